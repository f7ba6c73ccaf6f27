"""Holds the tuned numbers of ranked search; `benchmarks/tuning.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Nomination:
    """How many notes are scored, and which."""

    scored: int = 60
    """Notes of the first round. Deeper pages append larger rounds, four times as many each, so earlier pages never
    change."""
    read: int = 30
    """The same if each note must be read, which takes a third of a millisecond."""
    rounds: int = 6
    in_name: float = 3.0
    """Weight of a term in a note's name where notes are nominated by their texts."""
    saturation: float = 1.5
    """Without an index: this many occurrences give half of the highest weight."""
    long_bytes: int = 20_000
    """Without an index: a note of this many bytes has half the weight of an empty one."""


NOMINATION: Final = Nomination()


@dataclass(frozen=True, slots=True)
class NoteWeights:
    """Weights in the score of a note."""

    title: float = 8.0
    """A word in the title counts like this many words in the body; likewise the next three. Weights of their own,
    `index/words._BM25_WEIGHTS`, choose the notes that are scored."""
    aliases: float = 3.0
    headings: float = 2.0
    properties: float = 2.0
    saturation: float = 1.5
    """BM25's k1: this many occurrences in a text of usual length give half of the highest weight."""
    length: float = 0.75
    """BM25's b: 0 ignores the length of a text, 1 counts it fully."""
    usual_length: int = 200
    """Words of a usual note. BM25 takes the mean of all notes; a constant makes a score depend on its note alone."""
    passage: float = 0.8
    """One passage holds the words together."""
    row: float = 0.5
    """The words follow each other as in the question."""
    name: float = 2.0
    """The title has the words of the question and no others."""
    window: int = 30
    """Words of a passage."""
    light_word: float = 2.5
    """Highest BM25 weight of a light word: that of a word in one note of twelve. If few notes are in the question's
    language, `big` and `put` are as rare as its subject."""
    kin: float = 0.6
    """Factor of a word that a note has only with another prefix, in Arabic and Hebrew, or in another inflection, in
    languages other than English."""
    other_language: float = 0.9
    """Factor of the score of a note whose language is unknown or not that of the question."""


NOTE: Final = NoteWeights()


@dataclass(frozen=True, slots=True)
class PassageWeights:
    """Weights in the score of a passage; a word in the passage itself counts 1."""

    again: float = 0.2
    """A word's second occurrence in the passage."""
    header: float = 0.7
    """A word in the header row of the passage's table."""
    is_header: float = 0.6
    """Factor of the score of a header row, which says less than the rows below it."""
    heading: float = 0.6
    """A word in a heading above the passage."""
    name: float = 0.5
    """A word in the title, an alias or the properties of the note."""
    beside: float = 0.4
    """A word in the passage before or after it, under the same heading."""
    row: float = 0.3
    """Two words in a row, as in the question; added to the weight of each word."""
    digit: float = 0.3
    """Bonus, as a share of the score, for a digit if the question asks for a number."""
    early: float = 0.1
    """Bonus, as a share of the score, for the first passage; half of it for one that begins `early_words` later."""
    early_words: int = 100
    length: float = 0.15
    """A passage of `usual` characters loses half of this share of its score."""
    usual: int = 400
    in_note: float = 0.15
    """Weight of the best passage in the score of its note; the note as a whole counts 1."""
    full: float = 1.3
    """The score of a passage that holds the whole question in a row."""


PASSAGE: Final = PassageWeights()


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the text of an answer is shared out among notes."""

    whole: int = 1_500
    """A note of up to this many characters is shown whole."""
    notes: int = 5
    """At most this many notes have text."""
    steepness: float = 6.0
    """A note's share of the text is proportional to this power of its score."""
    most: float = 0.66
    """The largest share of the text for the first note."""
    stop: float = 0.75
    """A note with a score below this share of the first note's has no text."""
    named: float = 0.5
    """A note with a score below this share of the first note's is not even named."""
    passage: float = 0.8
    """A further passage of a note is shown if it has at least this share of the score of the note's best passage."""
    beside: int = 500
    """The passage after the best one of the first note is shown, too, if it has at most this many characters."""
    later: tuple[int, ...] = ()
    """Upper bound of the characters of the second note's passages, of the third's and so on; the last is for all
    further ones. Empty: no bound."""
    is_first_uncut: bool = True
    """Whether later notes have text only if the first one is shown uncut."""


SHARING: Final = Sharing(stop=0.7, later=(500, 350, 250))
"""For answers by words and the vectors of a static encoder."""
BY_MODEL: Final = Sharing(notes=6, stop=0.8, passage=0.65)
"""For answers by words and the vectors of the model itself."""
BY_WORDS: Final = Sharing(stop=0.6, later=(350,))
"""For answers by words alone: their scores lie closer together."""
BY_WORDINGS: Final = Sharing(stop=0.45, later=(400,))
"""For answers by words alone with other wordings: the first note, which has most of them, scores far above the rest."""
OF_PERIOD: Final = Sharing(stop=0.5, steepness=3.0, most=0.5, is_first_uncut=False)
"""For a question that names a period: the notes of the period come first."""
IN_ORDER_OF_TIME: Final = Sharing(whole=400, notes=20, steepness=0.0, most=0.3, stop=0.5, is_first_uncut=False)
"""For a question about a period alone: the answer shows the beginning of each note."""
LIKENESS: Final = Sharing(
    whole=300, notes=10, steepness=1.0, most=0.15, stop=0.3, named=0.25, passage=1.0, beside=0, is_first_uncut=False
)
"""For notes that are like another one: each shows its nearest passage, and all count about equally."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights where words and meaning are joined; each signal is a share of its best value."""

    words: float = 0.3
    """How well the note's words fit."""
    note: float = 0.2
    """How near its passages are on average."""
    exact: float = 0.5
    """How near its nearest passage is by the model itself."""
    unread: float = 0.5
    """Factor of the static encoder's share for passages that the model itself did not compare."""
    looked_at: int = 16
    """Passages that the model itself compares; 0 if it made the vectors."""
    looked_at_of_note: int = 3
    """Upper bound of those of one note."""
    other_language: float = 0.95
    """Factor of the score of a note that is not in the language of the question."""
    is_near: float = 0.5
    """A passage with at least this share of the nearness in its note counts as found by meaning."""
    promising: int = 8
    """The passages to compare are chosen among this many times `looked_at`, so that several notes are among them."""
    by_words: int = 60
    """Notes found by words that are joined with those near in meaning; further ones follow."""
    near_passages: int = 150
    """The notes of this many nearest passages are candidates."""
    near_notes: int = 40
    """Upper bound of the notes that meaning adds."""
    sharing: Sharing = SHARING
    """How the text is shared out among the notes."""
    enough: int = 15
    """If the nearest passages lie in fewer notes of the scope than this, all passages of the scope are compared."""


FUSION: Final = Fusion()
"""For vectors of a static encoder."""
FUSION_OF_OWN: Final = Fusion(words=0.25, note=0.3, unread=1.0, looked_at=0, sharing=BY_MODEL)
"""For vectors of the model itself."""


NAMED_OF_WORDINGS: Final = 0.6
"""`Sharing.named` where a question comes with other wordings: the scores of its notes lie further apart."""

WORDS_OF_WORDINGS: Final = 0.5
"""`Fusion.words` where a question comes with other wordings: more of their words are words of the notes."""


NEARNESS: Final = 0.42
"""Below this similarity, by either model of the extra `semantic`, even the nearest passage is off topic. The nearest to
two words that no note of a person's vault holds had .36 of 20 pairs at most in English, .40 of 20 in German."""


@dataclass(frozen=True, slots=True)
class Copying:
    """When a passage is a copy of another, and when its note is left out."""

    shingle: int = 3
    """Words of a shingle."""
    alike: float = 0.7
    """Two copies share at least this part of their shingles: one word in twenty exchanged leaves 0.74."""
    as_long: float = 0.5
    """A copy has at least this part of the other's length; quicker to check than the shingles."""
    fewest: int = 12
    """Passages of fewer words are copies only if they are equal."""
    compared: int = 3
    """Passages of a note that are compared with those of others."""
    nearly: float = 0.8
    """If the best passage of a note is a copy, the note is shown only if another one has this share of its score."""


COPY: Final = Copying()


@dataclass(frozen=True, slots=True)
class Gathering:
    """How the budget of `context` is shared out."""

    relevant: float = 0.35
    """A note needs at least this share of the best note's score: below it, notes only share a common word."""
    of_note: int = 3
    """Upper bound of the passages of one note that are pieces of their own."""
    nearly: float = 0.6
    """A further passage needs at least this share of the score of its note's best passage."""
    for_passages: float = 0.7
    """The best passages fill at most this share of the room; the rest is for the neighbours of the first ones."""
    small_room: int = 2_000
    """The best passages may fill a room of fewer characters than this."""
    beside: int = 3
    """This many first pieces take in as many neighbours as fit; each later piece takes in one."""
    longest: int = 2_000
    """Upper bound of the characters of a piece that takes in neighbours."""


GATHERING: Final = Gathering()


@dataclass(frozen=True, slots=True)
class Time:
    """How the time of notes changes their order."""

    elsewhere: float = 0.7
    """Factor of the score of a note outside the period asked about, if other notes are inside."""
    of_period: int = 60
    """Upper bound of the notes of the period that are ordered by their passages about its days."""
    log: float = 0.4
    """Share of its score that a note of many days keeps if nothing in it about the period fits the question."""
    other_days: float = 0.3
    """Factor of the score of its passages about other days."""
    compared: int = 20
    """The newest is chosen among this many best notes."""
    alike: float = 0.8
    """A note with at least this share of the best note's score answers about as well."""
    alike_passages: float = 0.5
    """The same for passages, against the best passage of their note."""
    over: float = 0.8
    """Factor of the score of a note that is archived or superseded."""


TIME: Final = Time()


@dataclass(frozen=True, slots=True)
class Diversity:
    """How notes with words that the notes before them lack are preferred."""

    compared: int = 10
    """Notes that are reordered: those of a page."""
    weight: float = 0.2
    """Bonus, as a share of its score, of a note with all words of the question if the notes before it have none."""


DIVERSITY: Final = Diversity()


@dataclass(frozen=True, slots=True)
class Kinship:
    """How notes in the folder of a note, or with one of its tags, are preferred where notes like it are asked for."""

    compared: int = 60
    """Notes that are reordered."""
    folder: float = 0.4
    """Bonus, as a share of the score, for the same folder if hardly any other note is in it; 0 if all notes are."""
    tag: float = 0.6
    """The same for the rarest tag that both have."""


KINSHIP: Final = Kinship()
