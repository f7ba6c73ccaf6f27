"""The line at which a reader goes on behind what is shown."""

from __future__ import annotations

import pytest

from tests.ranked.test_showing import nothing_else_holds
from vaulttools.notes.note import Note
from vaulttools.ranked.allotment import allotted
from vaulttools.ranked.ranking import rank
from vaulttools.ranked.showing import reading_on

LONG = [f"Paragraph {number} says nothing{' at all, whatever it is about' * 20}." for number in range(6)]
BETWEEN = "\n\n".join(LONG)
WRAPPED = "\n".join(f"Line {number} of a long paragraph, at whose beginning" for number in range(3, 60))


@pytest.mark.parametrize(
    ("notes", "note", "line"),
    [
        # what follows, behind blank lines
        ({"a.md": f"Ore.\n\n# Lead\n\nLead sulphate.\n\n\n## More\n\n{BETWEEN}\n"}, "a.md", "## More"),
        ({"a.md": f"---\nx: 1\n---\nLead sulphate.\n\n# More\n\n{BETWEEN}\n"}, "a.md", "# More"),
        # where it was cut, in the middle of a paragraph or behind a line of it
        ({"a.md": f"Lead sulphate.\n\n{BETWEEN}\n"}, "a.md", LONG[1]),
        ({"a.md": f"Lead sulphate is old:\n{WRAPPED}\n"}, "a.md", None),
        ({"a.md": f"```\n{'x' * 30}\n\nlead sulphate\n{WRAPPED}\n```\n"}, "a.md", None),
        # nothing stands behind the best passage, whatever stands before it
        ({"a.md": f"# Ore\n\n{BETWEEN}\n\n## Lead\n\nLead sulphate of lead.\n"}, None, None),
        # all is shown of the best note: of another one nothing is told
        ({"a.md": "Lead sulphate.\n", "b.md": f"Of lead.\n\n{BETWEEN}\n"}, None, None),
        ({"a.md": "Lead sulphate.\n"}, None, None),
        ({"a.md": "---\nx: 1\n---\n\nLead sulphate.\n\n"}, None, None),
    ],
)
def test_it_is_the_first_line_that_is_not_shown(notes: dict[str, str], note: str | None, line: str | None) -> None:
    read = {path: Note(path, text) for path, text in notes.items()}
    ranking = rank("lead sulphate", frozenset(read), None, read.get, lambda: False, 20)
    deduplicator = nothing_else_holds(read)
    shown = allotted(ranking.notes, deduplicator, 2_000, ranking.finder.stands, lambda *_: ("", "")).notes
    found = reading_on(shown, read.get)
    assert (found and found[0]) == note
    if found is None or note is None:
        return
    lines = notes[note].split("\n")
    assert line in (None, lines[found[1] - 1])
    text = "\n".join(line for each in shown for line in each.lines)
    assert f"  {lines[found[1] - 1]}\n" not in text  # not whole
    if line is None:
        assert f"  {lines[found[1] - 2]}" in text
