"""Answers questions in plain words, one module a stage.

`search.ranked` runs all stages, `ranking.rank` those that words decide:

0. `search_space` puts filters and operators to the notes, and reads notes for all stages.
1. `question` reads the words, the language (`english` without function words), and whether a number is asked for.
2. `candidates` nominates the notes that hold the words; `counting` does so without an index. `substitutes` replaces
   words that no note holds. `finder` finds the places of words in a note.
3. `scoring` scores notes, `evidence` scores their passages and says how weak they are, `ranking` combines both.
4. `by_meaning` starts the models and says how far they are, `fusion` adds notes that are near in meaning;
   `meaning.translation` has translated the question before.
   `intent` reads what else a question asks for, and `preference` reorders the notes: first those of a period, the
   newest, or those that answer the other half. `days` finds the days of notes and passages.
5. `copies` folds passages that several notes hold; `allotment` (for `query`) and `gathering` (for `context`) share
   out the room; `showing` cuts and writes the passages.

`weights` holds all tuned numbers; `benchmarks/tuning.md` gives the measurements behind them.
"""
