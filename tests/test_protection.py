"""The canary: text of a protected folder or of a file outside the vault appears in no answer, however it is asked for.

Every form of fault-P01 to fault-P20 goes through every argument of every tool that can name a file, by Python, `call`,
the command line and HTTP. A tool that is added later is tried too: its arguments are found by their names in its
request.

A caller may name a closed file, and the refusal repeats its path. So two things must not appear: the text of closed
files, and the names of files beside them that nobody named. Two names of one length show that an existing file and a
missing one get the same answer.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import socket
import stat
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_config_path

from tests.conftest import write_files
from tests.server.asking import answers_at, app_of, ask
from vaulttools import Vault, VaultConfig, VaultToolsError, tools
from vaulttools.answers.request import PATHS
from vaulttools.cli.main import main
from vaulttools.server.callers import Tenants
from vaulttools.server.calls import Calls
from vaulttools.server.tokens import TokenFile
from vaulttools.server.vault_pool import VaultPool
from vaulttools.server.vaults import Vaults

posix_only = pytest.mark.not_on_windows("names and links of POSIX")
pytestmark = pytest.mark.usefixtures("nothing_is_written")

CANARY = "CANARY"
"""Occurs in the text of every closed file."""
UNNAMED = "KANARI"
"""Occurs in the name of a file in every closed folder; no form names that file."""
THERE, ABSENT = "there.md", "never.md"

WORD = "needle"
"""Occurs beside the canary, and in open files."""
OTHERS: dict[str, Any] = {"pattern": WORD, "query": WORD, "terms": [WORD], "paths": ["**"]}
"""What the other required arguments get; those that name a file get an open one."""

CLOSED = (
    ".obsidian",
    ".git",
    ".trash",
    ".smarthole",
    ".config-x",
    "Private",
    "Team/Secret",
    "deep/.obsidian",
    "a/.git",
)
ODD_SPELLINGS = (".OBSIDIAN", ".Obsidian.", ".git ", ".obsi\u200cdian", ".ſmarthole")
ARCHIVED = (
    *(*CLOSED[:4], "Private", "Team/Secret", "backup/vault/Team/Secret", "deep/er/.git", "..\\.trash"),
    *ODD_SPELLINGS,
    *("a/../.git", "TEAM/x/../secret", "x\\.obsidian"),
)
"""Folders of the archives; their names are closed at any depth."""
OUTSIDE = ("outside", "vault2", "vault-evil", "vault_backup", "vault.bak")


class Field(NamedTuple):
    """An argument of a tool that can name a file."""

    tool: str
    name: str
    is_list: bool

    def arguments(self, *values: str) -> dict[str, Any]:
        """The arguments of a call with these paths."""
        others = required(self.tool)
        if self.name == "like":  # instead of a question
            del others["query"]
        return {**others, self.name: list(values) if self.is_list else values[0]}


def required(tool: str) -> dict[str, Any]:
    """The arguments that a tool cannot do without."""
    fields = tools.named(tool).request.model_fields
    needed = {name: OTHERS.get(name, "open.md") for name, field in fields.items() if field.is_required()}
    # The other directions need a note, a base needs something to compute, and some tools take one argument of two.
    beside = {
        "links": {"direction": "unresolved"},
        "base": {"where": "file.name != ''"},
        "read": {"note": "open.md"},
        "query": {"query": OTHERS["query"]},
    }
    return needed | beside.get(tool, {})


def path_fields() -> list[Field]:
    """Every argument of every tool that can name a file."""
    schemas = {tool: tools.named(tool).request.model_json_schema()["properties"] for tool in tools.NAMES}
    return [
        Field(tool, name, is_list='"array"' in json.dumps(schema[name]))
        for tool, schema in schemas.items()
        for name in schema
        if name in PATHS
    ]


FIELDS = path_fields()


def _named(field: Field) -> str:
    return f"{field.tool}-{field.name}"


by_field = pytest.mark.parametrize("field", FIELDS, ids=_named)


# The vault


def _note(more: str = "") -> str:
    """The word as text, property, tag and link."""
    return f"---\n{WORD}{more}: {WORD}\n---\n{more} {WORD} #{WORD}{more} [[{WORD}{more}]]\n- [ ] {WORD}{more}\n"


def _close(folder: Path) -> None:
    """Make a folder with files that nobody may see."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (THERE, f"{UNNAMED}.md", "notes.zip"):
        (folder / name).write_text(_note(CANARY), encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the vault lies among others."""
    place = tmp_path_factory.mktemp("place").resolve()
    vault = place / "vault"
    for name in (*CLOSED, *(ODD_SPELLINGS if sys.platform == "linux" else ())):
        _close(vault / name)
    for name in OUTSIDE:
        _close(place / name)
    (vault / ".config-x" / "app.json").write_text(json.dumps({"canary": CANARY}), encoding="utf-8")
    return _with_what_is_open(place)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """A vault like the other, without anything closed."""
    place = _with_what_is_open(tmp_path_factory.mktemp("bare").resolve())
    with Vault.open(place / "vault", config=CONFIG) as vault:
        yield vault


def _with_what_is_open(place: Path) -> Path:
    vault = place / "vault"
    for name in (
        "open.md",
        "a/open.md",
        "Team/open.md",
        "deep/open.md",
        "my.obsidian.notes/open.md",
        "%2e%2e/open.md",
        "~/open.md",
    ):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(_note() if "/" in name else f"{WORD}\n", encoding="utf-8")
    _archive(vault)
    if sys.platform != "win32":
        _link(vault)
    for path in [*vault.rglob("*"), vault]:
        if not path.is_symlink() or os.utime in os.supports_follow_symlinks:
            os.utime(path, (1_000_000_000, 1_000_000_000), follow_symlinks=not path.is_symlink())
    return place


def _archive(vault: Path) -> None:
    """Archives with what is closed in a vault; they are files like others, whatever is in them."""
    closed = [f"{folder}/{name}" for folder in ARCHIVED for name in (THERE, f"{UNNAMED}.md")]
    members = {"open.md": f"{WORD}\n", "Team/open.md": _note()} | {name: _note(CANARY) for name in closed}
    with zipfile.ZipFile(vault / "backup.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    (vault / "backup.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def _link(vault: Path) -> None:
    links = {
        "link.md": f"../outside/{THERE}",
        "out": "../outside",
        "absolute": str(vault.parent / "outside"),
        "chain.md": "Team/second.md",
        "Team/second.md": "../third.md",
        "third.md": f"../outside/{THERE}",
        "chain": "Team/next",
        "Team/next": "../out",
        "door": ".obsidian",
        "door.md": f".obsidian/{THERE}",
        "Team/private": "../Private",
        "team": "Team",
        "dür": "../outside",
        unicodedata.normalize("NFD", "tür"): ".obsidian",
        "up": "..",
        "loop": "loop",
        "around/up": "..",
    }
    for name, target in links.items():
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).symlink_to(target)
    os.link(vault / "open.md", vault / "twin.md")


CONFIG = VaultConfig(protected=("Private", "Team/Secret"))


@pytest.fixture(scope="module")
def vault(place: Path) -> Iterator[Vault]:
    """The vault, opened."""
    with Vault.open(place / "vault", config=CONFIG) as vault:
        yield vault


@pytest.fixture(scope="module")
def nothing_is_written(place: Path) -> Iterator[None]:
    """Whatever the tests of this module call, the vault stays as it was, to the byte and the time."""
    before = digest(place)
    yield
    assert digest(place) == before


def digest(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything about a tree except the times of access."""
    tree: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        content: object = None
        if stat.S_ISREG(status.st_mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        tree[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, content)
    return tree


@pytest.fixture(autouse=True)
def the_users_configuration(place: Path, own_configuration: None) -> None:
    """The command line opens the vault as the user has configured it."""
    folder = user_config_path("vaulttools")
    folder.mkdir(parents=True)
    table = f"[vault]\npath = {json.dumps(str(place / 'vault'))}\nprotected = {json.dumps(CONFIG.protected)}\n"
    (folder / "vaulttools.toml").write_text(table, encoding="utf-8")


# How a form is tried


def by_call(vault: Vault, tool: str, arguments: dict[str, Any]) -> list[str]:
    """Text and details of a call."""
    result = vault.call(tool, arguments)
    return [result.text, json.dumps(result.details, ensure_ascii=False)]


def by_python(vault: Vault, tool: str, arguments: dict[str, Any]) -> list[str]:
    """The typed answer of a method, or its error."""
    try:
        answer = getattr(vault, tool)(**arguments)
    except VaultToolsError as error:
        return [str(error), repr(vars(error))]
    return [answer.text, repr(answer), answer.model_dump_json()]


def by_command_line(vault: Vault, tool: str, arguments: dict[str, Any]) -> list[str]:
    """What the command prints, as text and as JSON."""
    command = ["--vault", str(vault.path), "call", tool, json.dumps(arguments)]
    shown = []
    for options in ([], ["--json"]):
        printed = _Printed()
        with printed:
            main([*options, *command])
        shown += printed.streams
    return shown


def by_http(vault: Vault, tool: str, arguments: dict[str, Any]) -> list[str]:
    """The answer of a server to `POST /tools/NAME`."""
    calls = Calls()
    try:
        app = app_of(Vaults(("notes",), lambda _: nullcontext(vault)), calls)
        return [ask(app, "POST", f"/tools/{tool}", json=arguments).text]
    finally:
        calls.close()


class _Printed:
    """Collects what is printed to stdout and stderr."""

    def __init__(self) -> None:
        self.streams: list[str] = []
        self._stack = ExitStack()

    def __enter__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self._stack.enter_context(redirect_stdout(self._out))
        self._stack.enter_context(redirect_stderr(self._err))

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        self.streams = [self._out.getvalue(), self._err.getvalue()]


Face = Callable[[Vault, str, dict[str, Any]], list[str]]
FACES: tuple[Face, ...] = (by_call, by_python, by_command_line, by_http)


def assert_nothing_leaks(vault: Vault, form: str, field: Field, faces: Sequence[Face] = (by_call,)) -> None:
    """A form shows no closed text, and no sign of closed files; THERE marks where it names one."""
    for face in faces:
        shown = face(vault, field.tool, field.arguments(form))
        for output in shown:
            assert CANARY not in output, (form, face.__name__)
            assert UNNAMED not in output, (form, face.__name__)
        if THERE in form:
            absent = face(vault, field.tool, field.arguments(form.replace(THERE, ABSENT)))
            assert [output.replace(THERE, ABSENT) for output in shown] == absent, (form, face.__name__)


def dressed(path: str) -> list[str]:
    """A path in the forms in which tools take paths."""
    forms = [path, f" {path} ", f"'{path}'", f"[[{path}]]", f"[[{path.removesuffix('.md')}#Heading]]"]
    forms += [f"{path}:1-5", f"{path}:1", path.replace(THERE, "notes.zip:a.md"), path.replace(THERE, "")]
    forms += [path.replace(THERE, "*"), path.replace(THERE, "**"), path.replace(THERE, "**/*.md"), f"{path}/"]
    forms += [path.replace(THERE, "th[e]re.md"), path.replace(THERE, "{there,x}.md"), f"{{open.md,{path}}}"]
    forms += [f"obsidian://open?vault=vault&file={path}", f"obsidian://vault/vault/{path}", f"vaulttools://docs/{path}"]
    forms += [f"file://{path}", f"obsidian://open?path={path}"]
    return forms


ABSOLUTE = "PLACE"
"""Means the absolute path of the folder in which the vault lies."""

# The forms, by the fault they belong to

P01 = (
    "../outside/there.md",
    "../../../../../../../../../../etc/passwd",
    "./../outside/there.md",
    "deep/../../outside/there.md",
    "absent/../../outside/there.md",
    "open.md/../../outside/there.md",
    "*/../../outside/there.md",
    "out/../../outside/there.md",
    "..",
    "../",
    "../*/there.md",
    "../{outside,vault2}/there.md",
    "{..,.}/outside/there.md",
)
P02 = ("PLACE/outside/there.md", "/etc/passwd", "//PLACE/outside/there.md", "PLACE/vault/../outside/there.md", "/etc/*")
P03 = (*(f"PLACE/{name}/there.md" for name in OUTSIDE[1:]), "../vault2/there.md", "PLACE/vault?/there.md")
P04 = ("link.md", "absolute/there.md")
P05 = ("out/there.md", "out", "dür/there.md", unicodedata.normalize("NFD", "dür/there.md"), "up/outside/there.md")
P06 = ("chain.md", "chain/there.md", "Team/next/there.md", "third.md", "around/up/out/there.md", "around/up/chain.md")
P08 = ("\0", ".obsidian/there.md\0.png", "open.md\0/../.obsidian/there.md", "out\0/there.md")
P10 = ("%2e%2e/outside/there.md", "..%2foutside%2fthere.md", "%2e%2e%2foutside/there.md", "%2eobsidian/there.md")
P11 = ("~/outside/there.md", "~root/there.md", "$HOME/there.md", "~/../outside/there.md", "~/../../outside/there.md")
P12 = (
    "..\\outside\\there.md",
    "deep\\..\\..\\outside\\there.md",
    ".obsidian\\there.md",
    "deep\\.obsidian\\there.md",
    "deep/..\\.obsidian\\there.md",
    "\\\\server\\share\\there.md",
    "C:\\outside\\there.md",
    "C:/outside/there.md",
    ".obsidian/there.md:stream",
    ".obsidian::$INDEX_ALLOCATION/there.md",
    "OBSIDI~1/there.md",
)
P14 = ("x" * 300, "x/" * 3_000, f"{'deep/../' * 100}.obsidian/there.md", f"{'../' * 300}there.md", "y" * 5_000)
P15 = (
    *(f"{folder}/there.md" for folder in (*CLOSED, *ODD_SPELLINGS)),
    ".Obsidian/there.md",
    ".obsidian./there.md",
    ".obsidian /there.md",
    ".GIT/there.md",
    "deep/../.obsidian/there.md",
    ".//.obsidian//there.md",
    ".obsidian/./there.md",
    ".obsidian/../.obsidian/there.md",
    "PLACE/vault/.obsidian/there.md",
    ".obs\\u{69}dian/there.md",
    "\\u{2e}obsidian/there.md",
    "private/there.md",
    "TEAM/SECRET/there.md",
    "Team//Secret./there.md",
    unicodedata.normalize("NFD", ".obsidián/there.md"),
    "．obsidian/there.md",
    "door/there.md",
    "door.md",
    "team/Secret/there.md",
    "team",
    "Team/private/there.md",
    "tür/there.md",
    "around/up/Team/Secret/there.md",
    "around/up",
    "*obsidian/there.md",
    "[.]obsidian/there.md",
    "{.obsidian,deep}/there.md",
    "?obsidian/there.md",
    "**/there.md",
    "**/.git/**",
    "**/.*/**",
    ".*",
    "**/*ANARI*",
)
P15_ARCHIVED = tuple(
    f"{archive}:{folder}/there.md"
    for archive in ("backup.zip", "backup.tar.gz", "PLACE/vault/backup.zip")
    for folder in ARCHIVED
)
P16 = ("", " ", "/", ".", "./", "//", "*", "**", "/**", "**/*", "./**/*.md")


def _there(form: str, place: Path) -> str:
    return form.replace(ABSOLUTE, place.as_posix())


def _tried(forms: Sequence[str], field: Field, vault: Vault, place: Path) -> None:
    for form in forms:
        assert_nothing_leaks(vault, _there(form, place), field)


@by_field
@pytest.mark.parametrize(
    "forms",
    [
        pytest.param(P01, id="dots that lead out"),
        pytest.param(P02, id="an absolute path outside"),
        pytest.param(P03, id="a sibling whose name begins alike"),
        pytest.param(P04, id="a link to a file outside", marks=posix_only),
        pytest.param(P05, id="a link to a folder outside", marks=posix_only),
        pytest.param(P06, id="a chain of links that ends outside", marks=posix_only),
        pytest.param(P08, id="a NUL"),
        pytest.param(P10, id="percent signs"),
        pytest.param(P12, id="backslashes, drive letters and streams"),
        pytest.param(P14, id="long paths"),
        pytest.param(P15, id="spellings of protected folders"),
        pytest.param(P15_ARCHIVED, id="protected folders in archives"),
        pytest.param(P16, id="the root and nothing"),
    ],
)
def test_faults_P01_to_P06_P08_P10_P12_and_P14_to_P16_no_form_of_a_path_shows_what_is_closed(
    forms: Sequence[str], field: Field, vault: Vault, place: Path
) -> None:
    _tried(forms, field, vault, place)


@posix_only
@by_field
def test_fault_P09_a_root_that_is_a_link(field: Field, place: Path, tmp_path: Path) -> None:
    (tmp_path / "root").symlink_to(place / "vault")
    with Vault.open(tmp_path / "root", config=CONFIG) as vault:
        found = vault.call(field.tool, field.arguments(f"{tmp_path}/root/open.md"))
        if field.name not in ("glob", "folder"):
            assert not found.is_error or field.name == "base"  # which the note does not hold
            relative = vault.call(field.tool, field.arguments("open.md"))
            assert json.dumps(found.details).replace(f"{tmp_path}/root/", "") == json.dumps(relative.details)
        for form in ("root/.obsidian/there.md", "root/../there.md", "root2/there.md", "root/out/there.md"):
            assert_nothing_leaks(vault, f"{tmp_path}/{form}", field)


@by_field
def test_fault_P11_the_home_folder(field: Field, vault: Vault, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(place))
    _tried(P11, field, vault, place)


@by_field
@pytest.mark.parametrize("value", [None, 3, True, 2.5, {"a": ".obsidian"}, [3], [None], [[".obsidian"]], ["", None]])
def test_fault_P17_what_is_no_path(field: Field, vault: Vault, value: object) -> None:
    arguments = {**field.arguments("open.md"), field.name: value}
    for output in by_call(vault, field.tool, arguments):
        assert CANARY not in output
        assert UNNAMED not in output
        assert "Traceback" not in output
        assert "for a reason of its own" not in output


@posix_only
@by_field
def test_fault_P18_a_fifo_a_socket_and_a_device_are_not_waited_for(
    field: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("x.md")
    os.mkfifo("y.zip")
    Path("z.md").symlink_to("/dev/zero")
    Path("open.md").write_text(f"{WORD}\n", encoding="utf-8")
    with socket.socket(socket.AF_UNIX) as listener, Vault.open(tmp_path, config=CONFIG) as vault:
        listener.bind("s.md")
        for form in ("x.md", "s.md", "z.md", "*.md", "y.zip", "y.zip:a.md", "x.md:1-2", "[[x]]"):
            result = vault.call(field.tool, field.arguments(form))
            assert result.text
            assert "for a reason of its own" not in result.text


@posix_only
@by_field
def test_fault_P19_empty_and_virtual_files_are_searched_to_their_end(field: Field, tmp_path: Path) -> None:
    (tmp_path / "empty.md").touch()
    (tmp_path / "open.md").write_text(f"{WORD}\n", encoding="utf-8")
    (tmp_path / "proc.md").symlink_to("/proc/self/environ")
    with Vault.open(tmp_path, config=CONFIG) as vault:
        for form in ("empty.md", "proc.md", "*.md"):
            result = vault.call(field.tool, field.arguments(form))
            assert "for a reason of its own" not in result.text
            assert "HOME=" not in result.text


@pytest.mark.parametrize("field", [field for field in FIELDS if field.is_list], ids=_named)
def test_fault_P20_a_thousand_paths_are_answered_in_time(field: Field, vault: Vault, place: Path) -> None:
    for form in ("open.md", ".obsidian/there.md", f"{place}/outside/there.md", "absent.md", "*.md"):
        for output in by_call(vault, field.tool, field.arguments(*[form] * 1000)):
            assert CANARY not in output
            assert UNNAMED not in output
            assert len(output) < 60_000


@pytest.mark.parametrize("field", [field for field in FIELDS if field.is_list], ids=_named)
def test_a_closed_path_among_open_ones_closes_the_call(field: Field, vault: Vault, place: Path) -> None:
    for closed in (".obsidian/there.md", "deep/.obsidian/*", "../outside/there.md", f"{place}/vault2"):
        for paths in (["open.md", closed], [closed, "open.md"]):
            result = vault.call(field.tool, field.arguments(*paths))
            assert result.is_error
            assert result.text.startswith(("Access denied: ", "Path is outside the vault: "))


# What every form has in common


REPRESENTATIVES = (
    "backup.zip:.obsidian/there.md",
    "backup.tar.gz:backup/vault/Team/Secret/there.md",
    "../outside/there.md",
    "PLACE/vault2/there.md",
    "chain/there.md",
    "dür/there.md",
    ".OBSIDIAN/there.md",
    ".config-x/there.md",
    "team/Secret/there.md",
    "door/there.md",
    "deep\\.obsidian\\there.md",
)


@by_field
@pytest.mark.parametrize("form", REPRESENTATIVES)
def test_a_closed_file_stays_closed_in_every_dress(field: Field, form: str, vault: Vault, place: Path) -> None:
    if sys.platform == "win32" and form.startswith(("out", "chain", "dür", "team", "door")):
        pytest.skip("links of POSIX")
    for dress in dressed(_there(form, place)):
        assert_nothing_leaks(vault, dress, field)


@by_field
@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_every_face_keeps_what_is_closed(field: Field, face: Face, vault: Vault, place: Path) -> None:
    for form in (
        "../outside/there.md",
        f"{place}/vault2/there.md",
        ".Obsidian/there.md",
        "out/there.md",
        "door/there.md",
    ):
        assert_nothing_leaks(vault, form, field, [face])


FOREIGN = tuple(
    f"vault://{name}/{THERE}" for name in (*OUTSIDE, "vault/../vault2", "vault%2F..%2Fvault2", "vault/%2e%2e/vault2")
)
"""Notes of other vaults of a host, in the form in which MCP names notes."""


@pytest.fixture(scope="module")
def hosted(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., list[str]]]:
    """What `/v/vault/mcp` answers to a caller who may see `vault2`, too; the vaults around both belong to others."""
    tokens = TokenFile(tmp_path_factory.mktemp("host") / "tokens.json")
    token = tokens.add("one", ["vault", "vault2"])

    def answers(asked: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
        told = answers_at("/v/vault/mcp", Tenants(tokens, pool), token, asked)
        return [json.dumps(each, ensure_ascii=False) for each in told]

    pool = VaultPool(str(place))
    yield answers
    pool.close()


@posix_only
@by_field
def test_mcp_of_one_hosted_vault_shows_nothing_closed(
    field: Field, hosted: Callable[..., list[str]], place: Path
) -> None:
    forms = [_there(form, place) for form in (*REPRESENTATIVES, *FOREIGN, "../vault2/there.md")]
    asked = [("tools/call", {"name": field.tool, "arguments": field.arguments(form)}) for form in forms]
    for form, shown in zip(forms, hosted(asked), strict=True):
        assert CANARY not in shown and UNNAMED not in shown, form


@posix_only
def test_mcp_of_one_hosted_vault_reads_nothing_closed_in_any_form(
    hosted: Callable[..., list[str]], place: Path
) -> None:
    kinds = (P01, P02, P03, P04, P05, P06, P08, P10, P11, P12, P15, P15_ARCHIVED, FOREIGN)
    forms = ["open.md", *(_there(form, place) for forms in kinds for form in forms)]
    asked = [
        request
        for form in forms
        for request in (
            ("tools/call", {"name": "read", "arguments": {"note": form}}),
            ("tools/call", {"name": "read", "arguments": {"note": form, "vault": "vault2"}}),
            ("resources/read", {"uri": form if "://" in form else f"vault://vault/{form}"}),
        )
    ]
    told = hosted(asked)
    assert WORD in told[0] and WORD in told[2]
    for request, shown in zip(asked, told, strict=True):
        assert CANARY not in shown and UNNAMED not in shown, request


WIDE = {"include_excluded": True, "gitignore": False, "hidden": True, "max_results": 1000, "limit": 200}


def wide(tool: str) -> dict[str, Any]:
    """Arguments that exclude as little as possible."""
    fields = tools.named(tool).request.model_fields
    return required(tool) | {name: value for name, value in WIDE.items() if name in fields}


@posix_only
@pytest.mark.parametrize("tool", tools.NAMES)
def test_closed_files_change_no_answer(tool: str, vault: Vault, bare: Vault) -> None:
    for arguments in (required(tool), wide(tool)):
        assert vault.call(tool, arguments) == bare.call(tool, arguments)


@posix_only
@by_field
def test_a_wildcard_finds_what_it_would_find_if_nothing_closed_were_there(
    field: Field, vault: Vault, bare: Vault
) -> None:
    for form in ("**", "*", "*/*", "**/there.md", "?obsidian/*", "**/.*/**", "{.git,Team}/**", "[!x]*/*", "t*/S*/*"):
        assert vault.call(field.tool, field.arguments(form)) == bare.call(field.tool, field.arguments(form)), form


@pytest.mark.parametrize("tool", tools.NAMES)
@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_the_whole_vault_shows_nothing_closed(tool: str, face: Face, vault: Vault) -> None:
    shown = face(vault, tool, wide(tool))
    signs = (WORD, "open.md", '"clusters":[{')  # the last one of `sample`, whose details are places alone
    assert [output for output in shown if any(sign in output for sign in signs)]
    assert not [output for output in shown if CANARY in output or UNNAMED in output or THERE in output]


@pytest.mark.parametrize("closed", [".obsidian", "Private", "Team/Secret", "deep/.trash"])
def test_the_pages_list_show_and_embed_nothing_closed(closed: str, tmp_path: Path) -> None:
    card = {"type": "text", "text": CANARY, "x": 0, "y": 0}
    texts = {
        "md": _note(CANARY),
        "canvas": json.dumps({"nodes": [card]}),
        "base": f"views: [{{type: table, name: {CANARY}}}]\n",
        "pdf": CANARY,
        "png": CANARY,
    }
    files = {f"{closed}/{name}.{ending}": text for name in ("there", UNNAMED) for ending, text in texts.items()}
    named = [f"{closed}/there.{ending}" for ending in texts]
    cards = [{"id": name, "type": "file", "file": name, "x": 200 * at, "y": 0} for at, name in enumerate(named)]
    cards.append({"id": "t", "type": "text", "text": "\n\n".join(f"![[{name}]]" for name in named), "x": 0, "y": 900})
    write_files(
        tmp_path,
        files
        | {
            "open.md": "\n\n".join(f"![[{name}]]" for name in named),
            "open.canvas": json.dumps({"nodes": cards, "edges": [{"fromNode": "t", "toNode": named[0]}]}),
            "all.base": "views: [{type: table, name: all, order: [file.path, file.backlinks, needle]}]\n",
        },
    )
    calls = Calls()
    try:
        with Vault.open(tmp_path, config=CONFIG) as vault:
            app = app_of(Vaults(("notes",), lambda _: nullcontext(vault)), calls)
            pages = ["", "folder/", f"folder/{closed}", "note/open.md", "note/open.canvas", "note/all.base"]
            for page in (*pages, *(f"{kind}/{name}" for kind in ("note", "preview") for name in named)):
                answer = ask(app, "GET", f"/ui/{page}")
                assert (answer.status_code == 200) == (page in pages and page != f"folder/{closed}"), page
                assert CANARY not in answer.text and UNNAMED not in answer.text, page
                assert f"/{closed}/" not in answer.text or answer.status_code != 200, page
    finally:
        calls.close()


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.name in ("paths", "path", "file", "note")], ids=_named
)
def test_a_path_in_a_protected_folder_is_denied_by_the_folders_name(field: Field, vault: Vault) -> None:
    for folder in CLOSED:
        shown = folder.rpartition("/")[2] if "." in folder else folder
        for path in (folder, f"{folder}/there.md", f"{folder}/"):
            result = vault.call(field.tool, field.arguments(path))
            assert (result.is_error, result.text) == (True, f"Access denied: '{shown}/' is a protected folder")


@pytest.mark.parametrize("archive", ["backup.zip", "backup.tar.gz"])
@pytest.mark.parametrize("field", [Field("search", "paths", is_list=True), Field("read", "note", is_list=False)])
def test_a_member_in_a_protected_folder_is_denied_by_the_folders_name(field: Field, archive: str, vault: Vault) -> None:
    def denial(member: str) -> tuple[bool, str]:
        result = vault.call(field.tool, field.arguments(f"{archive}:{member}"))
        return result.is_error, result.text

    for folder, shown in [(".obsidian", ".obsidian"), ("x/.GIT.", ".git"), ("backup/team/Secret", "Team/Secret")]:
        denied = (True, f"Access denied: '{shown}/' is a protected folder")
        for member in (folder, f"{folder}/", f"{folder}/there.md", f"{folder}/{ABSENT}", f"{folder}/there.md:1-5"):
            assert denial(member) == denied
    assert denial("never") == (True, denial("..")[1].replace("..", "never"))
    for member in ("open.md", "Team/open.md", "./Team//open.md"):
        failed, text = denial(member)
        assert not failed
        assert WORD in text


def test_the_forms_name_closed_files_that_are_there(vault: Vault, place: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("links of POSIX")
    real = [form for form in (*P01, *P02, *P03, *P04, *P05, *P06, *P15) if THERE in form or form.endswith(".md")]
    reached = [form for form in real if _holds_canary(vault.path / _there(form, place))]
    assert len(reached) > 25


def _holds_canary(path: Path) -> bool:
    try:
        return CANARY in path.read_text(encoding="utf-8")
    except OSError:
        return False


def test_there_are_arguments_to_try() -> None:
    assert Field("search_files", "file_pattern", is_list=False) in FIELDS
    assert {field.tool for field in FIELDS} == {
        name for name in tools.NAMES if PATHS & set(tools.named(name).request.model_fields)
    }


@by_field
def test_a_path_object_is_taken_for_its_text(field: Field, vault: Vault) -> None:
    for text in ("open.md", "Team/open.md", f"{vault.path}/open.md", ".obsidian/there.md", "../outside/there.md"):
        arguments = field.arguments(text)
        path = Path(text)
        objects: list[object] = [[path], (path, path)] if field.is_list else [path]
        for value, same in zip(objects, [[text], [text, text]] if field.is_list else [text], strict=True):
            expected = vault.call(field.tool, {**arguments, field.name: same})
            assert vault.call(field.tool, {**arguments, field.name: value}) == expected


FOLDERS = [
    "Team",
    "Secret",
    "team",
    ".obsidian",
    ".Obsidian.",
    "deep",
    "around",
    "up",
    "out",
    "door",
    "chain",
    "vault2",
]
GLOBS = ["*", "**", "th?re.md", "{.obsidian,out}", "[.]git"]
PARTS = st.sampled_from([*FOLDERS, *GLOBS, "..", ".", "", "there.md", "open.md", "outside", "%2e%2e", "~", "dür"])


@posix_only
@given(
    field=st.sampled_from(FIELDS),
    parts=st.lists(PARTS, min_size=1, max_size=5),
    separator=st.sampled_from(["/", "\\", "//", "/./"]),
    start=st.sampled_from(["", "/", "./", "PLACE/", "PLACE/vault/"]),
)
def test_whatever_path_is_made_of_these_shows_nothing(
    field: Field, parts: list[str], separator: str, start: str, vault: Vault, place: Path
) -> None:
    assert_nothing_leaks(vault, _there(start, place) + separator.join(parts), field)
