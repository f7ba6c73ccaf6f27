"""`query` and `context` find words of every script, in whatever Unicode form note and question are."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.folding.scripts import SCRIPTS, WORDS
from vaulttools import Vault, VaultConfig

Form = Literal["NFC", "NFD", "NFKC"]
FORMS: Final[tuple[Form, ...]] = ("NFC", "NFD", "NFKC")


@settings(max_examples=30)
@given(
    st.sampled_from(SCRIPTS).flatmap(lambda script: WORDS[script]),
    st.sampled_from(FORMS),
    st.sampled_from(FORMS),
    st.booleans(),
    st.sampled_from(["read", "indexed", "counted"]),
)
def test_a_word_is_found_in_every_form(
    tmp_path_factory: pytest.TempPathFactory, word: str, form: Form, asked: Form, in_name: bool, way: str
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    written, question = unicodedata.normalize(form, word), unicodedata.normalize(asked, word)
    name, text = (f"n {written}.md", "x") if in_name else ("n.md", f"# x\n\n{written}, here\n")
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "other.md").write_text("plain", encoding="utf-8")
    config = VaultConfig(index_folder=tmp_path_factory.mktemp("index"), meaning="off")
    with (
        pytest.MonkeyPatch.context() as patched,
        Vault.open(folder, config=config, index="auto" if way == "indexed" else "off") as vault,
    ):
        if way == "indexed":
            vault.build_index()
        if way == "counted":
            patched.setattr("vaulttools.ranked.ranking.MANY", 0)
        assert "## n" in vault.query(question).text
        assert "## n" in vault.context(question).text
