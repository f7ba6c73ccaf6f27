"""`vaulttools://docs`: the pages that ship with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools.errors import BadArgument
from vaulttools.resources import documentation
from vaulttools.resources.urls import Virtual

CHECKOUT = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("index.md", "tools/search.md", "tools/find.md", "guide/find.md", "generate.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"page {name}\n", encoding="utf-8")
    monkeypatch.setattr(documentation, "_folder", lambda: tmp_path)


def page(name: str) -> Virtual:
    return Virtual(f"vaulttools://docs/{name}", f"page {name}.md\n")


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("url", ["vaulttools://docs", "vaulttools://docs/"])
def test_without_a_page_every_page_comes_in_path_order(url: str) -> None:
    names = ("guide/find", "index", "tools/find", "tools/search")
    assert documentation.resolve(url) == [page(name) for name in names]


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("vaulttools://docs/tools/search", "tools/search"),
        ("vaulttools://docs/tools/search.md", "tools/search"),
        ("vaulttools://docs/tools%2Fsearch", "tools/search"),
        ("vaulttools://docs/search", "tools/search"),
        ("vaulttools://docs/Search.md", "tools/search"),
        ("vaulttools://docs/tools/find", "tools/find"),
        ("vaulttools://docs/index", "index"),
    ],
)
def test_a_page_is_found_by_its_path_or_name(url: str, name: str) -> None:
    assert documentation.resolve(url) == [page(name)]


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(
    "asked", ["nowhere", "generate.py", "generate", "tools", "../docs", "tools/../../x", "index?x"]
)
def test_an_unknown_page_is_told_which_there_are(asked: str) -> None:
    with pytest.raises(BadArgument) as caught:
        documentation.resolve(f"vaulttools://docs/{asked}")
    assert str(caught.value) == f"Unknown page: {asked}; pages are guide/find, index, tools/find, tools/search"


@pytest.mark.parametrize("url", ["vaulttools://", "vaulttools://tools", "vaulttools://docsx/a"])
def test_there_is_nothing_but_the_documentation(url: str) -> None:
    with pytest.raises(BadArgument) as caught:
        documentation.resolve(url)
    sentence = f"Unknown URL: {url}; accepted are vaulttools://docs and vaulttools://docs/<page>"
    assert str(caught.value) == sentence


def test_in_a_checkout_the_pages_are_those_of_its_docs_folder() -> None:
    shown = {resource.name: resource.text for resource in documentation.resolve("vaulttools://docs")}
    assert shown == {
        f"vaulttools://docs/{path.relative_to(CHECKOUT).with_suffix('').as_posix()}": path.read_text(encoding="utf-8")
        for path in CHECKOUT.rglob("*.md")
    }
    for name in shown:
        assert [resource.name for resource in documentation.resolve(name)] == [name]


def test_pages_in_the_package_come_before_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "documentation").mkdir()
    (tmp_path / "documentation" / "shipped.md").write_text("here\n", encoding="utf-8")
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    assert documentation.resolve("vaulttools://docs") == [Virtual("vaulttools://docs/shipped", "here\n")]
