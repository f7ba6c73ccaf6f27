"""In languages other than English a word of a question finds its inflections, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools import Vault, VaultConfig
from vaulttools.index.words import Spelling
from vaulttools.ranked.inflections import stem
from vaulttools.ranked.question import read
from vaulttools.ranked.weights import NOTE


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("hvor gemmes dataene", "Hvordan Obsidian gemmer data"),
        ("wie wird das Geld erstattet", "Erstattung"),
        ("dónde se almacenan mis notas", "almacena"),
        ("où sont stockées les notes", "Comment on stocke"),
        ("dove si incorpora una pagina", "Incorporare"),
        ("waar vind ik de mappen", "Map van configuratie: mappenlijst"),
        ("gdzie jest folder z konfiguracją", "konfiguracji"),
        ("como eu navego para uma nota", "Navegação"),
        ("чем опрыскать смородину от тли", "Смородина"),
        ("лодку покрасить в зеленый", "зелёную"),
        ("hur öppnar jag slumpmässiga sidor", "Slumpmässig anteckning"),
        ("klasörünü nerede bulurum", "Yapılandırma klasörü"),
    ],
)
@pytest.mark.parametrize("way", ["read", "indexed", "counted"])
def test_a_note_with_another_inflection_is_found(
    question: str, text: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "n.md").write_text(f"# x\n\n{text}\n", encoding="utf-8")
    (folder / "other.md").write_text("plain", encoding="utf-8")
    if way == "counted":
        monkeypatch.setattr("vaulttools.ranked.ranking.MANY", 0)
    config = VaultConfig(index_folder=tmp_path / "index", meaning="off")
    with Vault.open(folder, config=config, index="auto" if way == "indexed" else "off") as vault:
        if way == "indexed":
            vault.build_index()
        assert "## n" in vault.query(question).text


@pytest.mark.parametrize(
    ("word", "languages", "found"),
    [
        ("Смородину", {"ru"}, "смородин"),
        ("смородину", {"ru", "uk"}, "смородин"),
        ("смородину", {"uk"}, ""),
        ("dateien", {"ru"}, ""),
        ("Räumen", {"de"}, "raum"),
        ("Räumen", {"de", "nl"}, ""),
        ("räumen", set(), ""),
        ("leads", {"en"}, ""),
        ("zum", {"de"}, ""),  # too short
        ("Haus", {"de"}, ""),  # the word itself
        ("10er", {"de"}, ""),
        ("\ud800en", {"de"}, ""),
    ],
)
def test_a_stem_is_folded_and_known_only_in_a_sure_language(word: str, languages: set[str], found: str) -> None:
    assert stem(word, languages) == found


def test_an_inflection_counts_less_than_the_word() -> None:
    [term] = read("где смородина").terms
    assert term.spellings == (Spelling("смородина"), Spelling("смородин", is_beginning=True, share=NOTE.kin))
