"""Answers questions in plain words, one module a stage.

`search.ranked` runs all stages, `ranking.rank` those that words decide:

1. `question` reads the words, the language and the quantity asked for (`english` where no function word tells).
2. `candidates` nominates the notes that hold the words, `counting` where no index knows them; `substitutes` finds what
   to look for instead of words that stand nowhere; `finder` tells where they stand in a note.
3. `scoring` scores notes, `evidence` their passages and how weak they are, `ranking` puts both together.
4. `fusion` joins what is near in meaning.
   `intent` reads what a question asks for beside its words, and `preference` puts the notes in that order: those of a
   time first, the newest, those that answer the other half; `days` tells the days of notes and passages.
5. `copies` folds passages that stand in several notes; `allotment` (for `query`) and `gathering` (for `context`) share
   out the room; `showing` cuts and writes the passages.

`weights` holds all tuned numbers; `benchmarks/tuning.md` says what they rest on.
"""
