"""Answers show the blocks and sections of other notes that their passages embed."""

from __future__ import annotations

import pytest

from tests.answered import ranked
from tests.conftest import MakeVault

INCIDENT = "# Incident\n\n## Summary\n\nPartitions were lost.\n\n## Cause\n\nA wrong date format. ^root\n\nMore.\n"
QUESTION = "retention decision"


@pytest.mark.parametrize(
    ("embed", "shown"),
    [
        ("![[Incident#^root]]", "Embedded there, Work/Incident.md, line 9:\n  A wrong date format. ^root"),
        ("![why](Incident.md#Summary)", "Embedded there, Work/Incident.md, lines 3-6:\n  ## Summary\n  Partitions"),
    ],
    ids=["a block", "a section, by a Markdown link"],
)
def test_an_embedded_part_is_shown_below_its_passage(embed: str, shown: str, make_vault: MakeVault) -> None:
    vault = make_vault({"Work/Incident.md": INCIDENT, "Work/Retention.md": f"Retention decision. Reason: {embed}\n"})
    assert shown in vault.query(QUESTION).text


@pytest.mark.parametrize(
    ("embed", "arguments"),
    [
        ("![[Incident]]", {}),
        ("[[Incident#^root]]", {}),
        ("![[Incident#^other]]", {}),
        ("`![[Incident#^root]]`", {}),
        ("%% ![[Incident#^root]] %%", {}),
        ("![[Missing#^root]]", {}),
        ("![[Incident#^root]]", {"folder": "Plans"}),
        ("![[Incident#^root]]", {"glob": "Plans/*"}),
    ],
    ids=[
        "a whole note",
        "a link",
        "no such block",
        "in code",
        "in a comment",
        "no such note",
        "outside the folder",
        "outside the glob",
    ],
)
def test_other_embeds_stay_as_written(embed: str, arguments: dict[str, str], make_vault: MakeVault) -> None:
    vault = make_vault({"Work/Incident.md": INCIDENT, "Plans/Retention.md": f"Retention decision. Reason: {embed}\n"})
    assert "Embedded" not in vault.query(QUESTION, **arguments).text  # type: ignore[arg-type]


def test_a_part_that_is_protected_is_not_shown(make_vault: MakeVault) -> None:
    vault = make_vault({".obsidian/Incident.md": INCIDENT, "Retention.md": "Retention decision ![[Incident#^root]]\n"})
    assert "wrong date" not in vault.query(QUESTION).text


def test_a_part_that_the_answer_shows_already_is_not_repeated(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "Incident.md": "The retention decision had a reason. ^root\n",
            "Retention.md": "Retention decision of July: ![[Incident#^root]]\n",
        }
    )
    text = vault.query(QUESTION).text
    assert text.count("had a reason") == 1
    assert "Embedded" not in text


def test_two_parts_are_shown_at_most_and_long_ones_are_cut(make_vault: MakeVault) -> None:
    long = "\n".join(f"Sentence {number} of a long block." for number in range(50))
    embeds = "\n".join(f"![[Incident#^b{number}]]" for number in range(3))
    blocks = "\n\n".join(f"{long} ^b{number}" for number in range(3))
    vault = make_vault({"Incident.md": f"{blocks}\n", "Retention.md": f"Retention decision\n{embeds}\n"})
    text = vault.query(QUESTION).text
    assert text.count("Embedded there") == 2
    assert text.count("…") == 2
    assert len(vault.query(QUESTION, max_chars=500).text) <= 500


def test_a_part_that_is_embedded_twice_is_shown_once(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "Incident.md": INCIDENT,
            "Other.md": "Storage is cheap. ^cheap\n",
            "Retention.md": "Retention decision ![[Incident#^root]], ![[Incident#Cause]] and ![[Other#^cheap]]\n",
        }
    )
    text = vault.query(QUESTION).text
    assert text.count("wrong date") == 1
    assert "Storage is cheap" in text


def test_eight_embeds_are_read_at_most(make_vault: MakeVault) -> None:
    missing = " ".join(f"![[Incident#^none{number}]]" for number in range(8))
    vault = make_vault({"Incident.md": INCIDENT, "Retention.md": f"Retention decision {missing} ![[Incident#^root]]\n"})
    assert "Embedded" not in vault.query(QUESTION).text


def test_details_hold_the_embedded_parts(make_vault: MakeVault) -> None:
    vault = make_vault({"Incident.md": INCIDENT, "Retention.md": "Retention decision ![[Incident#^root]]\n"})
    (note,) = ranked(vault.query(QUESTION, limit=1)).notes
    assert note.passages[0].embedded is not None
    assert note.passages[0].embedded[0].model_dump() == {
        "path": "Incident.md",
        "start_line": 9,
        "end_line": 9,
        "text": "A wrong date format. ^root",
    }
