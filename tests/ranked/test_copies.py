"""Which passages are copies of each other."""

from __future__ import annotations

import pytest

from vaulttools.ranked.copies import Print

TEXT = "The client asks for a name and a password, and after three wrong ones it waits for ten minutes before the next."


@pytest.mark.parametrize(
    ("other", "is_copy"),
    [
        (TEXT, True),
        (TEXT.upper().replace(" ", "\n"), True),
        (TEXT.replace("name", "username"), True),
        (TEXT.replace("three", "3"), False),
        (TEXT.replace("a name and a password", "a key"), False),
        ("Der Client fragt nach Name und Passwort und wartet nach drei falschen zehn Minuten bis zum nächsten.", False),
        ("", False),
    ],
)
def test_copies_say_the_same_and_differ_in_no_number(other: str, is_copy: bool) -> None:
    assert Print(TEXT).is_copy_of(Print(other)) == is_copy
    assert Print(other).is_copy_of(Print(TEXT)) == is_copy


def test_short_passages_are_copies_only_when_they_are_the_same() -> None:
    assert Print("One two three four five.").is_copy_of(Print("one two\nthree four five."))
    assert not Print("Coming soon.").is_copy_of(Print("Coming soon."))
    assert not Print("One two three four five.").is_copy_of(Print("One two three four six."))
