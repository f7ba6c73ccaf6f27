"""Vault: opening, one method a tool, `call` for whatever a model sends, threads, cancellation, the awaitable form."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.conftest import MakeVault, write_files
from tests.tools.test_definitions import CALLS
from vaulttools import BadArgument, Cancelled, ToolResult, Vault, VaultConfig, tools
from vaulttools.files import content_caches
from vaulttools.session import Session

FIXTURES = Path(__file__).parent.parent / "fixtures"
posix_only = pytest.mark.not_on_windows("a shell script stands in for ripgrep")

# Opening and leaving


@pytest.mark.parametrize("name", tools.NAMES)
def test_a_vault_that_nobody_closed_goes_with_its_last_reference(small_vault: Path, name: str) -> None:
    """A circle of references would keep it, and its threads, until the garbage collector finds it."""
    gc.disable()
    try:
        vault = Vault.open(small_vault)
        for arguments in CALLS[name]:
            vault.call(name, arguments)
        session = weakref.ref(vault._opened)
        del vault
        assert session() is None
    finally:
        gc.enable()


def test_a_folder_opens_and_has_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Notes").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Vault.open("Notes").path == Vault.open(tmp_path / "Notes").path == (tmp_path / "Notes").resolve()


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Notes").mkdir()
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert Vault.open("~/Notes").path == (tmp_path / "Notes").resolve()


@posix_only
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"path": ""}, 'path must name a folder, got ""; the current folder is "."'),
        ({"path": None}, "path must be a text or a path object, got None"),
        ({"path": b"notes"}, "path must be a text or a path object, got b'notes'"),
        ({"index": "bogus"}, 'index must be "auto", "off" or None, got \'bogus\''),
        ({"index": True}, 'index must be "auto", "off" or None, got True'),
        ({"index": ["auto"]}, 'index must be "auto", "off" or None, got [\'auto\']'),
    ],
)
def test_what_opens_nothing_is_refused_in_one_sentence(
    tmp_path: Path, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadArgument) as refusal:
        Vault.open(**{"path": tmp_path, **arguments})
    assert str(refusal.value) == sentence


def test_path_objects_are_taken_wherever_a_path_is_asked(make_vault: MakeVault, tmp_path: Path) -> None:
    note, folder = Path("x", "n.md"), Path("x")
    opened = make_vault({"x/n.md": "word [[n]]", "o.md": "word"})
    assert opened.read(note).content == opened.read(note=opened.path / note).content == "word [[n]]"
    assert opened.search("word", paths=[note, "o.md"]).files == ["x/n.md", "o.md"]
    assert opened.links(note=note, direction="back").total == opened.tags(folder=folder).searched == 1
    config = VaultConfig.model_validate({"index_folder": tmp_path / "kept", "hashline": True})
    assert config.index_folder == str(tmp_path / "kept")
    with Vault.open(opened.path, config=config) as vault:
        tag = content_caches.tag("word")
        assert tag in vault.search("word", paths=Path("o.md")).text
        assert vault.snapshot(Path("o.md"), tag) == vault.snapshot("o.md", tag) is not None


@pytest.mark.not_under_wine("it makes no symbolic links")
def test_a_link_to_the_vault_opens_the_vault(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"a.md": "hit"})
    (tmp_path / "link").symlink_to(vault.path)
    linked = Vault.open(tmp_path / "link")
    assert linked.path == vault.path
    for spelling in (vault.path, tmp_path / "link"):
        assert [file.path for file in linked.search_files("hit", file_pattern=f"{spelling}/a.md").files] == ["a.md"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "The vault cannot be opened: NAME: no such folder"),
        ("a.md", "The vault cannot be opened: NAME: not a folder"),
        ("~nobody-here/x", "The vault cannot be opened: NAME: no such folder"),
        ("a\0b", "Path contains a NUL character"),
    ],
)
def test_what_is_no_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    (tmp_path / "a.md").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadArgument) as refusal:
        Vault.open(name)
    assert str(refusal.value) == sentence.replace("NAME", name)


def test_a_vault_is_a_context_manager(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        assert vault.search_files("Question").total_files == 1
    with pytest.raises(KeyError), Vault.open(small_vault):
        raise KeyError


# Three ways to call


def test_the_method_and_call_give_the_same_answer(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        typed = vault.search_files("TODO", file_pattern="Projects/**", context_lines=1)
        called = vault.call("search_files", {"pattern": "TODO", "file_pattern": "Projects/**", "context_lines": "1"})
        awaited = asyncio.run(
            vault.acall("search_files", {"pattern": "TODO", "file_pattern": "Projects/**", "context_lines": 1})
        )
    assert called == awaited == ToolResult(typed.text, typed.model_dump(mode="json"), is_error=False)
    assert typed.files[0].excerpts[0].matching_lines == [13]


@pytest.mark.parametrize("arguments", [[1], "TODO", 5, {"bogus": 1}, {}, None, {5: 6}])
def test_call_answers_bad_arguments_with_a_sentence(small_vault: Path, arguments: Any) -> None:
    with Vault.open(small_vault) as vault:
        result = vault.call("search_files", arguments)
    assert result.is_error and result.details == {"error": result.text}
    assert "\n" not in result.text and "failed" not in result.text


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"\ud800": 1}, "the arguments must be a JSON object"),
        ({"sort": "\ud800"}, 'sort must be one of path, modified, matches, got "\\ud800"'),
        ({"pattern": "\ud800"}, "Pattern is not valid Unicode text: it holds a lone surrogate"),
        ({"file_pattern": "\ud800*"}, "Path is not valid Unicode text: it holds a lone surrogate"),
        ({"file_pattern": "../\udc80"}, "Path is outside the vault: ../\\udc80"),
    ],
)
def test_fault_O04_a_lone_surrogate_breaks_no_output(
    small_vault: Path, argument: dict[str, Any], sentence: str
) -> None:
    with Vault.open(small_vault) as vault:
        result = vault.call("search_files", {"pattern": "x", **argument})
    assert (result.text, result.details, result.is_error) == (sentence, {"error": sentence}, True)


@pytest.mark.parametrize("name", ["nothing", "", "Search_Files", None, 5])
def test_fault_M03_call_answers_an_unknown_tool_with_the_names(small_vault: Path, name: Any) -> None:
    with Vault.open(small_vault) as vault:
        result = vault.call(name, {})
    assert (result.text, result.is_error) == (
        f"unknown tool '{name}'; the tools are: {', '.join(tools.NAMES)}",
        True,
    )


def test_fault_M13_a_fault_of_our_own_is_told_without_its_details(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("text of a note")

    monkeypatch.setattr("vaulttools.vault.parse", broken)
    with Vault.open(small_vault) as vault:
        result = vault.call("search_files", {"pattern": "x"})
    assert result.is_error and result.text.startswith("search_files failed for a reason of its own (error ")
    assert "text of a note" not in str(result) and "text of a note" in caplog.text


def test_a_call_without_a_descriptor_left_is_refused(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """This happens when a module is first imported and the process has no descriptor left (fault-S07)."""
    vault = make_vault({"a.md": "x"})

    def imported(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(Session, "scope", imported)
    result = vault.call("search_files", {"pattern": "x"})
    assert (result.is_error, result.text) == (
        True,
        "Too many files are open: raise the limit (`ulimit -n`), or ask again",
    )


# Threads, time, cancellation


def test_several_threads_may_use_one_vault(small_vault: Path) -> None:
    patterns = ["TODO", "seed", "[A-Z]{4}", "Jörg", "absent word", r"^#+ ", "e"] * 4

    with Vault.open(small_vault) as vault:

        def called(pattern: str) -> ToolResult:
            return vault.call("search_files", {"pattern": pattern})

        alone = [called(pattern) for pattern in patterns]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(called, patterns)) == alone


def test_a_call_that_is_cancelled_before_it_starts_raises(small_vault: Path) -> None:
    cancel = Event()
    cancel.set()
    with Vault.open(small_vault) as vault:
        for call in (
            lambda: vault.search_files("TODO", cancel=cancel),
            lambda: vault.call("search_files", {"pattern": "TODO"}, cancel=cancel),
        ):
            with pytest.raises(Cancelled):
                call()
        assert vault.search_files("TODO", cancel=Event()).total_files == 4


@pytest.fixture
def stuck_rg(tmp_path: Path) -> Path:
    """A ripgrep that never ends; it writes its process number beside itself."""
    script = tmp_path / "stuck-rg"
    script.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo ripgrep 15.0.0; exit; }\n'
        'echo $$ > "$0.pid.new" && mv "$0.pid.new" "$0.pid"\nexec tail -f /dev/null\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    return script


def ended(script: Path) -> bool:
    """Whether the process that a stuck ripgrep named is gone."""
    try:
        os.kill(int(script.with_name("stuck-rg.pid").read_text(encoding="utf-8")), 0)
    except ProcessLookupError:
        return True
    return False


@posix_only
def test_cancelling_the_task_of_acall_stops_the_search(make_vault: MakeVault, stuck_rg: Path) -> None:
    folder = make_vault({"a.md": "hit"}).path
    vault = Vault.open(folder, config=VaultConfig(rg=str(stuck_rg), time_limit=600), index="off")

    async def cancelled() -> None:
        task = asyncio.create_task(vault.acall("search_files", {"pattern": "hit"}))
        while not stuck_rg.with_name("stuck-rg.pid").exists():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())  # returns when the thread of the call has ended
    assert ended(stuck_rg)


def test_acall_lets_other_tasks_run(small_vault: Path) -> None:
    async def both() -> list[ToolResult]:
        with Vault.open(small_vault) as vault:
            calls = (vault.acall("search_files", {"pattern": pattern}) for pattern in ("TODO", "seed"))
            return list(await asyncio.gather(*calls))

    assert [result.details["total_files"] for result in asyncio.run(both())] == [4, 11]


def test_a_search_finds_its_words_after_a_misspelt_question(tmp_path: Path) -> None:
    """Both look up the words of the index, in tables of their own on one connection."""
    write_files(tmp_path, {f"{number}.md": f"The mineral number {number} is galena.\n" for number in range(60)})
    with Vault.open(tmp_path) as vault:
        vault.build_index()
        assert vault.query("galenna").found
        assert vault.search_files("galena").total_files == 60


TASKS = "- [ ] pay rent 📅 2026-11-01\n- [x] done ✅ 2026-10-30\n"


@pytest.mark.parametrize(
    ("today", "said"),
    [
        ("2026-11-01", "1 open task in 1 note:"),
        (date(2026, 11, 2), "1 open task in 1 note, overdue on 2 November 2026:"),
    ],
)
def test_today_is_the_day_that_dates_are_reckoned_from(tmp_path: Path, today: date | str, said: str) -> None:
    write_files(tmp_path / "v", {"a.md": TASKS, "2026-11-01.md": "the first", "2026-11-02.md": "the second"})
    with Vault.open(tmp_path / "v", index="off", today=today) as vault:
        assert vault.tasks().text.startswith(said)
        assert "overdue on" in vault.tasks(overdue=True).text
        assert vault.tasks(done_after="last week").total == 1
        assert vault.read("daily").path == f"{today}.md"
        found = vault.base(where='file.name == "a"', columns=["today()", "now().date().toString()"])
        assert found.rows[0].values == [str(today), str(today)]


def test_a_day_for_today_comes_from_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "v", {"a.md": TASKS})
    monkeypatch.setenv("VAULTTOOLS_TODAY", "2026-12-24")
    assert "overdue on 24 December 2026" in Vault.open(tmp_path / "v", index="off").tasks().text
    with pytest.raises(BadArgument, match="today must be a day such as 2026-11-01, got"):
        Vault.open(tmp_path / "v", today="soon")
    monkeypatch.setenv("VAULTTOOLS_TODAY", "2026-13-01")
    with pytest.raises(BadArgument, match='VAULTTOOLS_TODAY must be a day such as 2026-11-01, got "2026-13-01"'):
        Vault.open(tmp_path / "v")
