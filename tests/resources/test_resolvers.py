"""The built-in URLs: `obsidian://`, and the pages of `vaulttools://docs` that ship with the package."""

from __future__ import annotations

import os
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote

import pytest

from tests.conftest import write_files
from vaulttools.errors import AccessDenied, BadArgument, OutsideVault, PathNotFound
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.resources import urls
from vaulttools.resources.urls import Backed, Resolvers, Virtual

FORMS = "accepted are obsidian://open?vault=NAME&file=PATH and obsidian://vault/NAME/PATH"
links = pytest.mark.not_on_windows("not every user may make links, and Wine reads none back")

FILES = ("Note.md", "Projects/plan.md", "Projects/My plan.md", "img/Figure 1.png", "a+b.md", "100%.md", "C# notes.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vault = tmp_path / "My vault"
    write_files(vault, dict.fromkeys((*FILES, ".obsidian/app.json", ".hidden.md", "../outside.md"), ""))
    return vault


def opened(folder: Path, spelling: Path | None = None) -> Resolvers:
    real = folder.resolve()
    files = [path.relative_to(real).as_posix() for path in real.rglob("*.*") if "/." not in path.as_posix()]
    root = Root(str(real), str(spelling or folder), Protection.of())
    made = Resolvers()
    made.register("obsidian", urls.of_obsidian(root, LinkIndex(files).resolve))
    return made


@pytest.mark.parametrize(
    ("url", "file"),
    [
        # by path, by name, with and without extension
        ("obsidian://open?vault=My%20vault&file=Projects%2Fplan.md", Backed("Projects/plan.md")),
        ("obsidian://open?vault=My%20vault&file=Projects%2Fplan", Backed("Projects/plan.md")),
        ("obsidian://open?vault=My vault&file=Projects/plan", Backed("Projects/plan.md")),
        ("obsidian://open?vault=My%20vault&file=my%20PLAN", Backed("Projects/My plan.md")),
        ("obsidian://open?file=plan.md&vault=My%20vault&paneType=tab", Backed("Projects/plan.md")),
        ("obsidian://open?vault=My%20vault&file=Figure%201.png", Backed("img/Figure 1.png")),
        ("obsidian://open?file=Note", Backed("Note.md")),
        ("obsidian://open/?file=Note", Backed("Note.md")),
        ("OBSIDIAN://open?file=Note", Backed("Note.md")),
        # the short form
        ("obsidian://vault/My%20vault/Note", Backed("Note.md")),
        ("obsidian://vault/My vault/Projects/plan.md", Backed("Projects/plan.md")),
        ("obsidian://vault/My%20vault/Projects%2Fplan?paneType=tab", Backed("Projects/plan.md")),
        # a hidden file that is named
        ("obsidian://open?file=.hidden.md", Backed(".hidden.md")),
        # values are decoded once
        ("obsidian://open?file=a+b", Backed("a+b.md")),
        ("obsidian://open?file=a%2Bb", Backed("a+b.md")),
        ("obsidian://open?file=100%25", Backed("100%.md")),
        ("obsidian://open?file=100%", Backed("100%.md")),
        # headings
        ("obsidian://open?file=Note%23H1%23H2", Backed("Note.md", ("H1", "H2"))),
        ("obsidian://open?file=Projects/plan.md#Next: steps", Backed("Projects/plan.md", ("Next: steps",))),
        ("obsidian://vault/My vault/Note#H", Backed("Note.md", ("H",))),
        ("obsidian://open?file=Note%23%5Eid", Backed("Note.md", block="id")),
        ("obsidian://open?file=C%23%20notes", Backed("C# notes.md")),
        ("obsidian://open?file=C%23%20notes.md%23H", None),
    ],
)
def test_a_url_leads_to_the_file_it_names(folder: Path, url: str, file: Backed | None) -> None:
    if file is None:
        with pytest.raises(PathNotFound):
            opened(folder).resolve(url)
    else:
        assert opened(folder).resolve(url) == [file]


def test_an_absolute_path_overrides_vault_and_file_and_may_lack_its_extension(folder: Path) -> None:
    path = quote(str(folder / "Projects" / "plan"), safe="")
    url = f"obsidian://open?vault=Other&file=Note&path={path}"
    assert opened(folder).resolve(url) == [Backed("Projects/plan.md")]
    assert opened(folder).resolve(f"obsidian://open?path={path}.md%23H") == [Backed("Projects/plan.md", ("H",))]


@pytest.mark.parametrize(
    ("url", "error", "sentence"),
    [
        ("obsidian://open?vault=Other&file=Note", BadArgument, "Vault is not open: Other"),
        ("obsidian://open?vault=my%20vault&file=Note", BadArgument, "Vault is not open: my vault"),
        ("obsidian://vault/Other/Note", BadArgument, "Vault is not open: Other"),
        ("obsidian://open?vault=ef6ca3e3b524d22f&file=Note", BadArgument, "Vault is not open: ef6ca3e3b524d22f"),
        ("obsidian://open?file=None", PathNotFound, "Path not found: obsidian://open?file=None"),
        ("obsidian://open?file=Projects", PathNotFound, "Path not found: obsidian://open?file=Projects"),
        ("obsidian://open?file=%23H", PathNotFound, "Path not found: obsidian://open?file=%23H"),
        ("obsidian://open?file=..%2Foutside", OutsideVault, "Path is outside the vault: ../outside"),
        ("obsidian://open?file=..%2Foutside%23H", OutsideVault, "Path is outside the vault: ../outside"),
        ("obsidian://vault/My%20vault/%2e%2e/outside.md", OutsideVault, "Path is outside the vault: ../outside.md"),
        ("obsidian://open?path=%2Fetc%2Fpasswd", OutsideVault, "Path is outside the vault: /etc/passwd"),
        ("obsidian://open?file=.obsidian%2Fapp", AccessDenied, "Access denied: '.obsidian/' is a protected folder"),
        ("obsidian://open?file=.Obsidian/app%23H", AccessDenied, "Access denied: '.obsidian/' is a protected folder"),
        ("obsidian://open?file=a%00b", BadArgument, "Path contains a NUL character"),
        ("obsidian://open?vault=My%20vault", BadArgument, f"The URL names no file: {{url}}; {FORMS}"),
        ("obsidian://search?vault=My%20vault&query=x", BadArgument, f"The URL opens no file: {{url}}; {FORMS}"),
    ],
)
def test_other_urls_are_refused_in_one_sentence(
    folder: Path, url: str, error: type[BadArgument], sentence: str
) -> None:
    with pytest.raises(BadArgument) as caught:
        opened(folder).resolve(url)
    assert (type(caught.value), str(caught.value)) == (error, sentence.replace("{url}", url))


@pytest.mark.not_on_windows("no name has ? or *, or bytes that are no UTF-8")
def test_decoded_wildcards_and_bytes_are_literal(folder: Path) -> None:
    (folder / "what?*.md").write_text("", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.md")).write_text("", encoding="utf-8")
    made = opened(folder)
    assert made.resolve("obsidian://open?file=what%3F%2A") == [Backed("what?*.md")]
    assert made.resolve("obsidian://open?file=bad%FF") == [Backed("bad\udcff.md")]
    with pytest.raises(PathNotFound):
        made.resolve("obsidian://open?file=%2A.md")


@links
def test_a_vault_has_the_name_of_its_folder_and_of_the_link_it_was_opened_by(folder: Path) -> None:
    link = folder.parent / "Notes"
    link.symlink_to(folder)
    made = opened(folder, spelling=link)
    for name in ("Notes", "My%20vault"):
        assert made.resolve(f"obsidian://vault/{name}/Note") == [Backed("Note.md")]


def test_a_vaults_name_is_compared_in_nfc(tmp_path: Path) -> None:
    folder = tmp_path / normalize("NFD", "Bücher")
    write_files(folder, {"Note.md": ""})
    assert opened(folder).resolve("obsidian://vault/B%C3%BCcher/Note") == [Backed("Note.md")]


@links
def test_a_link_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "way out.md").symlink_to(folder.parent / "outside.md")
    with pytest.raises(OutsideVault):
        opened(folder).resolve("obsidian://open?file=way%20out.md")


CHECKOUT = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("index.md", "tools/search.md", "tools/find.md", "guide/find.md", "generate.py")
    write_files(tmp_path, {name: f"page {name}\n" for name in names})
    monkeypatch.setattr(urls, "_folder", lambda: tmp_path)


def page(name: str) -> Virtual:
    return Virtual(f"vaulttools://docs/{name}", f"page {name}.md\n")


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("url", ["vaulttools://docs", "vaulttools://docs/"])
def test_without_a_page_every_page_comes_in_path_order(url: str) -> None:
    names = ("guide/find", "index", "tools/find", "tools/search")
    assert urls.documentation(url) == [page(name) for name in names]


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
    assert urls.documentation(url) == [page(name)]


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(
    "asked", ["nowhere", "generate.py", "generate", "tools", "../docs", "tools/../../x", "index?x"]
)
def test_the_refusal_of_an_unknown_page_lists_the_pages(asked: str) -> None:
    with pytest.raises(BadArgument) as caught:
        urls.documentation(f"vaulttools://docs/{asked}")
    assert str(caught.value) == f"Unknown page: {asked}; pages are guide/find, index, tools/find, tools/search"


@pytest.mark.parametrize("url", ["vaulttools://", "vaulttools://tools", "vaulttools://docsx/a"])
def test_every_other_url_is_unknown(url: str) -> None:
    with pytest.raises(BadArgument) as caught:
        urls.documentation(url)
    sentence = f"Unknown URL: {url}; accepted are vaulttools://docs and vaulttools://docs/<page>"
    assert str(caught.value) == sentence


def test_a_checkout_takes_the_pages_from_its_docs_folder() -> None:
    shown = {resource.name: resource.text for resource in urls.documentation("vaulttools://docs")}
    assert shown == {
        f"vaulttools://docs/{path.relative_to(CHECKOUT).with_suffix('').as_posix()}": path.read_text(encoding="utf-8")
        for path in CHECKOUT.rglob("*.md")
    }
    for name in shown:
        assert [resource.name for resource in urls.documentation(name)] == [name]


def test_pages_in_the_package_come_before_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"documentation/shipped.md": "here\n"})
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    assert urls.documentation("vaulttools://docs") == [Virtual("vaulttools://docs/shipped", "here\n")]
