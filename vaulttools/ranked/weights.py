"""Holds the tuned numbers of ranked search; `benchmarks/tuning.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Nomination:
    """Which notes are scored."""

    scored: int = 60
    """Notes that are scored. Deeper pages append larger rounds, four times as many each, so earlier pages never
    change."""
    read: int = 30
    """The same where each must be read, which takes a third of a millisecond."""
    rounds: int = 6
    in_name: float = 3.0
    """What a word or a piece of text counts in a name where notes are nominated by texts that hold it."""
    saturation: float = 1.5
    """Without an index: times that give half of what any number gives."""
    long_bytes: int = 20_000
    """Without an index: bytes of a note that halve what its counts weigh."""


NOMINATION: Final = Nomination()


@dataclass(frozen=True, slots=True)
class NoteWeights:
    """What counts how much in the score of a note."""

    title: float = 8.0
    """One word in the title, in words of the body."""
    aliases: float = 3.0
    headings: float = 2.0
    properties: float = 2.0
    saturation: float = 1.5
    """BM25's k1: so many occurrences in a text of usual length give half of what any number gives."""
    length: float = 0.75
    """BM25's b: 0 takes no note of the length of a text, 1 all."""
    usual_length: int = 200
    """Words of a note of usual length, where BM25 has the mean of all: so a score follows from the note alone."""
    passage: float = 0.8
    """That words stand in one passage."""
    row: float = 0.5
    """That words stand in a row, as in the question."""
    name: float = 2.0
    """That the title consists of the words of the question, and they of it."""
    window: int = 30
    """Words of a passage."""
    light_word: float = 2.5
    """The most that a light word weighs, in BM25's weights: as much as a word that one note of twelve holds. Where few
    notes are in the language of the question, `big` and `put` are as rare as what is asked about."""
    other_language: float = 0.9
    """What the score is multiplied by where the note is not in the language of the question, or in none that is
    known."""


NOTE: Final = NoteWeights()


@dataclass(frozen=True, slots=True)
class PassageWeights:
    """What a word counts in the score of a passage, where one in the passage itself counts 1."""

    again: float = 0.2
    """The second time in the passage."""
    header: float = 0.7
    """In the header row of its table."""
    is_header: float = 0.6
    """A header row itself, which says less than the rows below it."""
    heading: float = 0.6
    """In a heading above it."""
    name: float = 0.5
    """In the title, an alias or the properties of the note."""
    beside: float = 0.4
    """In the passage before or after it, under the same heading."""
    row: float = 0.3
    """Two words in a row, as in the question, beside what each counts."""
    quantity: float = 0.3
    """A quantity of the kind that the question asks for, in parts of the score."""
    early: float = 0.1
    """Of a passage that begins the note; half of it for one that begins `early_words` later."""
    early_words: int = 100
    length: float = 0.15
    """How much of its score a passage of `usual` characters loses against an empty one."""
    usual: int = 400
    in_note: float = 0.15
    """The best passage of a note, beside the note as a whole."""
    full: float = 1.3
    """The score of a passage that holds the whole question in a row."""


PASSAGE: Final = PassageWeights()


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the text of an answer is shared out among notes."""

    whole: int = 1_500
    """A note of up to so many characters is shown whole."""
    notes: int = 5
    """So many notes have text."""
    steepness: float = 6.0
    """A note's part of the text goes with this power of its score."""
    most: float = 0.66
    """The part of the text that the first note may have."""
    stop: float = 0.75
    """The part of the first note's score below which a note has no text."""
    named: float = 0.5
    """The part of the first note's score below which a note is not even named."""
    passage: float = 0.8
    """The part of the score of a note's best passage that a further one must have to be shown."""
    beside: int = 500
    """Characters of the passage that follows on the best one of the first note, up to which it is shown, too."""
    is_first_uncut: bool = True
    """Whether later notes have text only where nothing of the first one is cut."""


SHARING: Final = Sharing()
"""Where words and meaning are joined."""
BY_WORDS: Final = Sharing(stop=0.6)
"""Where words alone decide: their scores lie closer together."""
OF_PERIOD: Final = Sharing(stop=0.5, steepness=3.0, most=0.5, is_first_uncut=False)
"""Where a question names a period, whose notes come first."""
IN_ORDER_OF_TIME: Final = Sharing(whole=400, notes=20, steepness=0.0, most=0.3, stop=0.5, is_first_uncut=False)
"""Where a question asks about a period alone: each of its notes says how it begins."""
LIKENESS: Final = Sharing(
    whole=300, notes=10, steepness=1.0, most=0.15, stop=0.3, named=0.25, passage=1.0, beside=0, is_first_uncut=False
)
"""Where notes are like another one: each shows the passage that is near, and none answers more than the next."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """What counts how much where words and meaning are joined; all signals are shares of their best."""

    words: float = 0.3
    """How well the note's words fit."""
    note: float = 0.2
    """How near its passages are on average."""
    exact: float = 0.5
    """How near its nearest passage is by the model itself."""
    unread: float = 0.5
    """What the static encoder's share counts where the model itself did not look."""
    looked_at: int = 16
    """Passages that the model itself looks at."""
    looked_at_of_note: int = 3
    """Of one note."""
    other_language: float = 0.85
    """What a note is multiplied by that is in another language than the question."""
    is_near: float = 0.5
    """The share of nearness in its note from which on a passage was found by meaning."""
    promising: int = 8
    """So many times `looked_at` passages are looked through for those of different notes."""
    by_words: int = 60
    """Notes found by words that are joined with those near in meaning; further ones follow."""
    near_passages: int = 150
    """Nearest passages whose notes are looked at."""
    near_notes: int = 40
    """Notes that meaning adds at most."""
    enough: int = 15
    """Notes of the scope among those of the nearest passages that are enough; else all passages of the scope count."""


FUSION: Final = Fusion()


@dataclass(frozen=True, slots=True)
class Weak:
    """When the evidence for an answer is called weak."""

    by_words: float = 0.4
    """The part of the question, by what its words weigh, that a passage must hold where nothing tells its meaning."""
    nowhere: float = 5.0
    """The least that a word weighs that stands nowhere, unless the notes are so few that no word weighs as much: where
    no note has `boiling` or `mercury`, "the boiling point of mercury" is not about `point`. It counts half, since the
    notes may have another word for it."""


WEAK: Final = Weak()


NEARNESS: Final = 0.3
"""The similarity, by either model of the extra, below which even the nearest passage is about other things than the
question."""


@dataclass(frozen=True, slots=True)
class Copying:
    """When a passage is a copy of another, and when a note is left out for it."""

    shingle: int = 3
    """Words in a row that are compared."""
    alike: float = 0.7
    """The part of the shingles of two passages that both must have: a word in twenty exchanged leaves 0.74."""
    as_long: float = 0.5
    """The part of the length of a passage that a copy has at least: quicker to tell than the shingles."""
    fewest: int = 12
    """Words of a passage that can be nearly a copy; a shorter one is one, or is none."""
    short: int = 5
    """Words of a passage that may be the same in notes that have nothing to do with each other, if it has fewer."""
    compared: int = 3
    """Passages of a note that are compared with those of others."""
    nearly: float = 0.8
    """The part of the score of its best passage that another one of a note must have for the note to be shown though
    the best one is a copy."""


COPY: Final = Copying()


@dataclass(frozen=True, slots=True)
class Gathering:
    """How the budget of `context` is shared out."""

    relevant: float = 0.35
    """The part of the score of the best note that a further one must have: below it notes share a common word."""
    of_note: int = 3
    """Passages of one note that are pieces of their own."""
    nearly: float = 0.6
    """The part of the score of the best passage of its note that a further one must have."""
    for_passages: float = 0.7
    """The part of the room that the best passages may fill, so that what stands beside the first of them has some."""
    small_room: int = 2_000
    """Characters of a room that they may fill whole."""
    beside: int = 3
    """The first pieces, which take in as much of what stands beside them as fits; the others one passage each."""
    longest: int = 2_000
    """Characters up to which a piece takes in what stands beside it."""


GATHERING: Final = Gathering()


@dataclass(frozen=True, slots=True)
class Time:
    """How the time of notes changes their order."""

    elsewhere: float = 0.7
    """What a note's score is multiplied by that is not of the period asked about, where others are."""
    of_period: int = 60
    """Notes of the period that are put into order by the passages about its days."""
    log: float = 0.4
    """What a note of many days keeps of its score where nothing that it says of the period fits the question."""
    other_days: float = 0.3
    """What its passages count that are about other days."""
    compared: int = 20
    """Notes among which the newest is looked for."""
    alike: float = 0.8
    """The part of the best note's score from which on a note answers about as well."""
    alike_passages: float = 0.5
    """The same of the best passage of a note."""
    over: float = 0.8
    """What the score of a note counts that is archived or superseded."""


TIME: Final = Time()


@dataclass(frozen=True, slots=True)
class Diversity:
    """How notes are preferred that hold words which those before them lack."""

    compared: int = 10
    """Notes that are put into order: those of a page."""
    weight: float = 0.2
    """What a note gains that holds all of the question where nothing of it was held, in parts of its score."""


DIVERSITY: Final = Diversity()
