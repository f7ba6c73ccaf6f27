"""The documentation agrees with the code, its links lead somewhere, its examples run."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import vaulttools
from vaulttools import tools
from vaulttools.cli import daemon, mcp, serve
from vaulttools.cli import main as cli
from vaulttools.cli.main import Said

REPOSITORY = Path(__file__).parent.parent
DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GENERATED = re.compile(r"^<!-- generated: .*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def page_name(path: Path) -> str:
    """The page's path from the repository."""
    return path.relative_to(REPOSITORY).as_posix()


def prose(path: Path) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", _FENCED.sub("", path.read_text(encoding="utf-8")))


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_is_generated_is_up_to_date() -> None:
    command = [sys.executable, str(DOCS / "generate.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert (checked.stdout, checked.stderr, checked.returncode) == ("", "", 0)


@pytest.mark.parametrize("name", tools.NAMES)
def test_every_tool_has_a_page_with_words_parameters_and_real_output(name: str) -> None:
    text = (DOCS / "tools" / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# `{name}`\n")
    assert "\n## When to use it\n" in text
    for mark in ("parameters -->", "transcript vaulttools "):
        assert f"<!-- generated: {mark}" in text


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_mark_is_closed_and_known(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("<!-- ")]
    assert [line.startswith("<!-- generated: ") for line in lines] == [True, False] * (len(lines) // 2)
    assert all(line == "<!-- end -->" for line in lines[1::2])


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_link_leads_to_a_page_and_a_heading(path: Path) -> None:
    broken = []
    for link in _LINK.findall(prose(path)):
        if re.match(r"https?:", link):
            continue
        target, _, anchor = link.partition("#")
        there = (path.parent / target).resolve() if target else path
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(link)
    assert broken == []


def test_the_documentation_has_at_most_32000_words() -> None:
    """Pages that nobody would read are cut, not kept. Tables and outputs that are generated do not count."""
    written = (_GENERATED.sub("", path.read_text(encoding="utf-8")) for path in PAGES)
    assert sum(len(text.split()) for text in written) <= 32_000


def test_architecture_fits_12_kb() -> None:
    assert (DOCS / "architecture.md").stat().st_size <= 12_000


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, left = set(), [REPOSITORY / "README.md"]
    while left:
        path = left.pop()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))]
        left += [(path.parent / link).resolve() for link in links if link and (path.parent / link).exists()]
    assert set(PAGES) <= reached


_NEEDS_NUMPY = pytest.mark.not_under_wine("its C runtime lacks a function that numpy calls")

_FRAMEWORKS = DOCS / "frameworks.md"
"""Its examples need packages of others: `tests/server/mcp/test_frameworks.py` installs and runs them."""

PYTHON_BLOCKS = [
    pytest.param(code, id=f"{page_name(path)}-{number}", marks=_NEEDS_NUMPY if "import numpy" in code else ())
    for path in PAGES
    if path != _FRAMEWORKS
    for number, (language, code) in enumerate(_FENCED.findall(path.read_text(encoding="utf-8")))
    if language == "python"
]


@pytest.mark.parametrize("code", PYTHON_BLOCKS)
def test_every_python_example_runs(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    exec(compile(code, "<example>", "exec"), {})
    assert capsys.readouterr().err == ""


COMMANDS = [
    pytest.param(lines, id=f"{page_name(path)}-{number}")
    for path in PAGES
    if path.name in {"README.md", "installing.md", "assistants.md", "hosting.md", "serve.md"}
    for number, (language, code) in enumerate(_FENCED.findall(path.read_text(encoding="utf-8")))
    if not language and re.search(r"^(?:\w+=\S+ )?vaulttools ", code, re.MULTILINE)
    for lines in [code.replace("\\\n", " ").splitlines()]
]


@pytest.fixture
def short() -> Iterator[str]:
    """A folder whose path is short enough for a socket: what the pages clear is nobody else's."""
    with TemporaryDirectory(prefix="vt-") as folder:
        yield folder


@pytest.mark.parametrize("lines", COMMANDS)
def test_every_command_of_these_pages_works_as_pasted_into_a_checkout(
    lines: list[str],
    small_vault: Path,
    tmp_path: Path,
    short: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The servers and the resident process are not started: their options alone are read."""
    notes = Path.home() / "Notes"
    if not notes.exists():
        shutil.copytree(small_vault, notes)
        (notes / "vaulttools.toml").touch()
    for module in (serve, mcp):
        monkeypatch.setattr(module, "run", lambda options: None)
    monkeypatch.setattr(daemon, "_start", lambda folder, path: Said("started"))
    for name in ("XDG_RUNTIME_DIR", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, short)
    monkeypatch.chdir(REPOSITORY)
    for line in lines:
        words = shlex.split(line.replace("/srv", tmp_path.as_posix()).replace("…", "SECRET"), comments=True)
        while words and (variable := re.fullmatch(r"(VAULTTOOLS_\w+)=(.*)", words[0])):
            monkeypatch.setenv(variable[1], variable[2])
            del words[0]
        words = [str(Path(word).expanduser()) if word.startswith("~") else word for word in words]
        if words[:1] == ["cd"]:
            monkeypatch.chdir(words[1])
        elif words[:1] == ["vaulttools"]:
            status = cli.main(words[1:])
            said = capsys.readouterr().err
            assert status in (cli.FOUND, cli.NOTHING_FOUND) and "error: " not in said, (line, said)


def test_the_readme_shows_what_make_demo_and_make_test_are() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    demo = re.search(r"^demo:.*\n\t@\$\(BIN\)/(vaulttools .*)$", makefile, re.MULTILINE)
    assert demo is not None
    assert f"<!-- generated: transcript {demo[1]} -->" in readme
    assert "\nmake demo " in readme and "\nmake test " in readme
    assert re.search(r"^test:", makefile, re.MULTILINE)


def test_the_changelog_is_of_this_version() -> None:
    text = (DOCS / "changelog.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[?([^\]\s]+)", text, re.MULTILINE)
    released = [version for version in versions if version != "Unreleased"]
    assert versions[:1] == ["Unreleased"] or released[:1] == [vaulttools.__version__]
    assert not released or released[0] == vaulttools.__version__
    groups = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert set(groups) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Performance"}
