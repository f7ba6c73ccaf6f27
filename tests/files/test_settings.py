"""Settings files: which are read, and that reading one leaves nothing behind."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from vaulttools.files import settings


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, {}),
        ('{"a": [1]}', {"a": [1]}),
        ("[1]", {}),
        ("{", {}),
        (f'{{"a": "{"x" * (1 << 20)}"}}', {}),
    ],
)
def test_only_an_object_of_reasonable_size_is_read(tmp_path: Path, written: str | None, read: object) -> None:
    file = tmp_path / "app.json"
    if written is not None:
        file.write_text(written, encoding="utf-8")
    assert settings.read(file) == read
    assert settings.read(tmp_path) == {}, "a folder"


def test_a_caller_is_forgotten_without_the_garbage_collector(tmp_path: Path) -> None:
    class Answer:
        """What a caller holds while the settings are read."""

    def called() -> weakref.ref[Answer]:
        answer = Answer()
        assert settings.read(tmp_path / "none.json") == {}
        return weakref.ref(answer)

    gc.disable()
    try:
        assert called()() is None
    finally:
        gc.enable()
