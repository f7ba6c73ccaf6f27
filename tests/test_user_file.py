"""A change of the user's configuration reaches open vaults with the next call, and never opens what was closed."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, Literal

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from platformdirs import user_cache_path, user_config_path

from tests.clock import StandingClock
from tests.conftest import write_files
from tests.server.asking import app_of, ask
from tests.test_protection import required
from vaulttools import BadArgument, Vault, VaultConfig, VaultToolsError, tools, user_file
from vaulttools.call import Call
from vaulttools.cli.resident import Resident
from vaulttools.errors import AccessDenied
from vaulttools.files import disk
from vaulttools.meaning import embedders
from vaulttools.server.calls import Calls
from vaulttools.server.mcp.backend import Backend
from vaulttools.server.vault_pool import VaultPool
from vaulttools.server.vaults import opened
from vaulttools.user_file import GONE, NAME, UNREADABLE, UNUSABLE, YOUNG, Followed

posix_only = pytest.mark.not_on_windows("pipes and links of POSIX")

CANARY = "CANARY"
DIARY = f"---\nneedle{CANARY}: needle\n---\n# {CANARY}\nneedle{CANARY} needle #needle{CANARY}\n- [ ] [[{CANARY}]]\n"
FILES = {
    "open.md": "needle [[there]]\n",
    "Diary/there.md": DIARY,
    "Diary/deep/more.md": DIARY,
    "Work/plan.md": "needle\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vault with a diary."""
    write_files(tmp_path / "vault", FILES)
    return tmp_path / "vault"


def file() -> Path:
    """The user's configuration file; its folder exists."""
    folder = user_config_path("vaulttools")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / NAME


def text(folder: Path, *lines: str) -> str:
    """A configuration of the vault."""
    return "\n".join(["[notes]", f"path = {json.dumps(str(folder))}", *lines, ""])


CLOSED = 'protected = ["Diary"]'


def write(folder: Path, *lines: str) -> None:
    file().write_text(text(folder, *lines), encoding="utf-8")


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file be old."""
    monkeypatch.setattr(user_file, "is_racy", lambda *_: False)


@pytest.fixture(params=["auto", "off"])
def vault(request: pytest.FixtureRequest, folder: Path) -> Iterator[Vault]:
    """An open vault in which everything was searched, without a configuration."""
    index: Literal["auto", "off"] = request.param
    with Vault.open(folder, index=index) as vault:
        if index == "auto":
            vault.build_index()
        for tool in tools.NAMES:
            vault.call(tool, required(tool))
        assert CANARY in vault.read("Diary/there.md").text
        yield vault


def outputs(vault: Vault, tool: str, arguments: dict[str, Any]) -> str:
    result = vault.call(tool, arguments)
    return result.text + json.dumps(result.details)


# What is added


def in_place(folder: Path) -> None:
    write(folder, CLOSED)


def by_another_file(folder: Path) -> None:
    beside = file().with_suffix(".new")
    beside.write_text(text(folder, CLOSED), encoding="utf-8")
    beside.replace(file())


def through_nothing(folder: Path) -> None:
    write(folder)
    file().unlink()
    write(folder, CLOSED)


@pytest.mark.parametrize("changed", [in_place, by_another_file, through_nothing])
@pytest.mark.parametrize("tool", tools.NAMES)
def test_a_folder_that_is_protected_anew_is_shown_by_no_tool(
    vault: Vault, folder: Path, tool: str, changed: Callable[[Path], None]
) -> None:
    changed(folder)
    assert CANARY not in outputs(vault, tool, required(tool))
    assert "there.md" not in outputs(vault, tool, required(tool))
    with Vault.open(folder, index="off") as anew:
        expected = outputs(anew, tool, required(tool))
    if tool not in ("query", "context"):  # ranked without an index, and while one is built
        assert outputs(vault, tool, required(tool)) == expected


def test_what_else_gives_text_is_closed_too(vault: Vault, folder: Path) -> None:
    resolved = vault.link_resolver()("there", None)
    write(folder, CLOSED)
    assert resolved == "Diary/there.md"
    assert vault.link_resolver()("there", None) is None
    assert CANARY not in str(list(vault.stream("search_files", {"pattern": "needle"})))
    with pytest.raises(AccessDenied):
        vault.session.root.locate("Diary/there.md")


def test_a_kept_text_goes_with_its_folder(folder: Path, later: None) -> None:
    write(folder, "hashline = true")
    with Vault.open(folder, index="off") as vault:
        tag = vault.search("needle", paths=["Diary/there.md"]).text.split("there.md#")[1][:4]
        open_tag = vault.search("needle", paths=["open.md"]).text.split("open.md#")[1][:4]
        write(folder, "hashline = true", "time_limit = 9")
        assert vault.snapshot("open.md", open_tag) is not None
        write(folder, "hashline = true", CLOSED)
        assert vault.snapshot("open.md", open_tag) is None
        with pytest.raises(AccessDenied):
            _ = vault.snapshot("Diary/there.md", tag) or vault.read("Diary/there.md")


def test_the_server_shows_it_by_no_address_and_no_resource(folder: Path) -> None:
    addresses = ["/vault/Diary/there.md", "/vault/Diary/", "/vault/", "/tags/", "/search/simple/?query=needle"]
    addresses += ["/ui/", "/ui/note/Diary/there.md", "/ui/search?q=needle", "/ui/map", "/ui/folder/Diary"]
    with opened({"v": str(folder)}) as vaults:
        calls = Calls()
        app, backend = app_of(vaults, calls), Backend(vaults, tools.NAMES, calls)

        async def resources() -> str:
            listed, read = await backend.newest("v"), await backend.text("v", "Diary/there.md")
            return repr((listed, read))

        def shown() -> list[str]:
            methods = ["POST" if address.startswith("/search/") else "GET" for address in addresses]
            return [ask(app, *each).text for each in zip(methods, addresses, strict=True)] + [anyio.run(resources)]

        before = shown()
        assert sum(CANARY in each for each in before) > 3
        write(folder, CLOSED)
        after = shown()
        assert [each for each in after if CANARY in each] == []
        assert "open.md" in after[-1]
        assert "there.md'" not in after[-1]
        calls.close()


def test_a_vault_that_a_host_opens_while_the_file_is_gone_has_its_settings(folder: Path) -> None:
    write(folder, CLOSED)
    pool = VaultPool(str(folder.parent), index="off")
    with pool.lent("vault") as vault:
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
    pool.close_idle(float("inf"))
    for gone in (file().unlink, lambda: file().write_bytes(b"[notes"), lambda: file().write_bytes(b"")):
        gone()
        with pool.lent("vault") as vault:
            assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
            assert vault.notices
        pool.close_idle(float("inf"))
    pool.close()


@pytest.mark.parametrize("table", ["[secret]\nprotected = []\n", "[secret\n", "[secret]\npath = {}\nsecret = 1\n"])
def test_a_host_tells_its_callers_nothing_of_a_file_that_cannot_be_used(
    folder: Path, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    file().write_text(table.format(json.dumps(str(folder))), encoding="utf-8")
    pool = VaultPool(str(folder.parent), index="off")
    try:
        with pytest.raises(BadArgument) as refused, pool.lent(folder.name):
            pass
        assert "secret" not in str(refused.value) and NAME not in str(refused.value)
        assert NAME in caplog.text
    finally:
        pool.close()


def test_a_resident_process_answers_for_the_settings_of_now(folder: Path) -> None:
    with Vault.open(folder) as vault:
        resident = Resident(vault, is_daemon=True)
        assert resident._vault.is_as_opened(str(folder))
        write(folder, CLOSED)
        assert vault.is_as_opened(str(folder))
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})


def test_the_old_index_is_removed_and_the_new_one_does_not_hold_it(folder: Path) -> None:
    with Vault.open(folder) as vault:
        vault.build_index()
        [before] = user_cache_path("vaulttools").glob("*/index-*.sqlite")
        session = vault.session
        write(folder, CLOSED)
        vault.build_index()
        session.close()
        assert session.ended.is_set()
        assert _removed(before)
        held = b"".join(each.read_bytes() for each in user_cache_path("vaulttools").glob("*/index-*.sqlite*"))
    assert b"there.md" not in held


def _removed(database: Path) -> bool:
    import threading

    for thread in threading.enumerate():
        if thread.name == "vaulttools closing":
            thread.join()
    return not database.exists()


def test_what_is_embedded_behind_the_calls_is_read_no_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "is_wanted", lambda config: True)
    with Vault.open(folder) as vault:
        vault.build_index()
        vault.find(paths=["**"])
        supply = vault.session._embeddable(strictly=False)
        assert supply is not None and CANARY in supply.read("Diary/there.md").text
        write(folder, CLOSED)
        vault.find(paths=["**"])
        with pytest.raises(Exception, match="unreadable"):
            supply.read("Diary/there.md")


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("time_limit = 3", lambda config: config.time_limit == 3),
        ("search_context_after = 0", lambda config: config.search_context_after == 0),
        ("respect_excluded = false", lambda config: config.respect_excluded is False),
    ],
)
def test_each_setting_holds_from_the_next_call_on(
    folder: Path, line: str, shows: Callable[[VaultConfig], bool]
) -> None:
    with Vault.open(folder, index="off", today="2026-11-01") as vault:
        write(folder, line)
        assert shows(vault.config)
        assert vault.config.index == "off"
        assert vault.session.calendar.today().isoformat() == "2026-11-01"
        assert vault.notices == ()


def test_a_configuration_that_was_given_stays(folder: Path) -> None:
    with Vault.open(folder, config=VaultConfig(), index="off") as vault:
        write(folder, CLOSED)
        assert CANARY in vault.read("Diary/there.md").text
        file().write_bytes(b"[[[")
        assert vault.notices == ()


# What is gone, or cannot be read


def _folder_instead() -> None:
    file().unlink()
    file().mkdir()


def _pipe_instead() -> None:
    file().unlink()
    os.mkfifo(file())


def _endless() -> None:
    file().unlink()
    file().symlink_to("/dev/zero")


FAULTS: dict[str, tuple[Callable[[], object], str]] = {
    "gone": (lambda: file().unlink(), GONE),
    "its folder is gone": (lambda: shutil.rmtree(file().parent), GONE),
    "half a line": (lambda: file().write_text('[notes]\npath = "/x'), UNREADABLE),
    "NUL": (lambda: file().write_bytes(b"\0" * 100), UNREADABLE),
    "no UTF-8": (lambda: file().write_bytes(b"[a]\npath = '\xff'"), UNREADABLE),
    "no path": (lambda: file().write_text("[notes]\nprotected = []\n"), UNREADABLE),
    "brackets": (lambda: file().write_text("a = " + "[" * 100_000), UNREADABLE),
    "dots": (lambda: file().write_text("a." * 100_000 + "a = 1"), UNREADABLE),
    "a table of dots": (lambda: file().write_text(f"[{'a.' * 2_000}a]\n" + "b = 1\n" * 100_000), UNREADABLE),
    "2 MiB": (lambda: file().write_bytes(b"#" * (2 << 20)), UNREADABLE),
    "a folder": (_folder_instead, UNREADABLE),
    "a pipe": (_pipe_instead, UNREADABLE),
    "endless": (_endless, UNREADABLE),
}
every_fault = pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=posix_only if name in ("a pipe", "endless") else ()) for name in FAULTS]
)


@every_fault
def test_a_file_that_cannot_be_used_changes_nothing_and_is_told(
    folder: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, CLOSED, "time_limit = 7")
    with Vault.open(folder, index="off") as vault:
        assert not vault.notices
        done, notice = FAULTS[fault]
        with caplog.at_level(logging.WARNING, "vaulttools"):
            done()
            assert vault.notices == () or vault.notices == (notice,)
            for _ in range(3):
                result = vault.call("grep", {"pattern": "needle"})
                assert CANARY not in result.text
                assert f"[{notice}]" in result.text
                assert result.details["notices"] == [notice]
        assert vault.config.time_limit == 7
        assert len(caplog.records) == 1  # not one for each call
        if file().is_dir():
            file().rmdir()
        else:
            file().unlink(missing_ok=True)
        write(folder, 'protected = ["Diary", "Work"]')
        assert "plan.md" not in outputs(vault, "grep", {"pattern": "needle"})
        assert vault.config.time_limit == 7 or vault.notices == ()


@every_fault
def test_a_vault_is_not_opened_with_a_file_that_cannot_be_used(folder: Path, fault: str) -> None:
    file().touch()
    done, notice = FAULTS[fault]
    done()
    if notice == GONE:
        Vault.open(folder, index="off").close()
        return
    with pytest.raises(BadArgument) as refusal:
        Vault.open(folder, index="off")
    assert len(str(refusal.value)) < 400
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("tool", tools.NAMES)
def test_every_tool_tells_that_the_file_is_gone(folder: Path, tool: str) -> None:
    write(folder, CLOSED)
    with Vault.open(folder, index="off") as vault:
        file().unlink()
        result = vault.call(tool, required(tool))
        assert GONE in result.text
        assert GONE in result.details["notices"]


def test_a_setting_that_cannot_be_used_changes_nothing_and_is_told(folder: Path) -> None:
    write(folder, CLOSED)
    with Vault.open(folder, index="off") as vault:
        for line in ('time_limit = "long"', "protected = 3", 'protected = ["/elsewhere"]', "no_such_field = 1"):
            write(folder, line)
            assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
            assert UNUSABLE in vault.notices


def test_a_file_that_appears_after_the_start_is_followed(folder: Path) -> None:
    with Vault.open(folder, index="off") as vault:
        assert CANARY in outputs(vault, "grep", {"pattern": "needle"})
        assert not vault.notices
        write(folder, CLOSED)
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        file().unlink()
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        assert vault.notices == (GONE,)


# What is taken away


def test_no_part_of_a_file_that_is_being_written_opens_anything(folder: Path) -> None:
    write(folder, CLOSED, "time_limit = 7", 'config_folder = ".mine"')
    write_files(folder, {".mine/there.md": DIARY})
    whole = text(folder, "time_limit = 8", 'config_folder = ".other"', 'protected = ["Work"]').encode()
    with Vault.open(folder, index="off") as vault:
        for length in range(len(whole) + 1):
            file().write_bytes(whole[:length])
            assert CANARY not in outputs(vault, "search", {"pattern": "needle", "paths": ["Diary", ".mine", "."]})
            assert vault.notices
        assert vault.config.protected == ("Work", "Diary", ".mine")
        assert vault.config.time_limit == 8


def test_what_a_file_no_longer_closes_is_open_once_the_file_is_old(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = StandingClock()
    monkeypatch.setattr(time, "monotonic", clock.monotonic)
    write(folder, CLOSED)
    with Vault.open(folder, index="off") as vault:
        write(folder)
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        assert [*vault.notices] == [YOUNG]
        clock.now += user_file.SETTLED / 2
        write(folder, "hashline = false")  # it is still being written
        clock.now += user_file.SETTLED / 2
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        clock.now += user_file.SETTLED / 2
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        clock.now += user_file.SETTLED
        assert CANARY in outputs(vault, "grep", {"pattern": "needle"})
        assert vault.notices == ()


def test_an_old_file_without_the_folder_opens_it_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, CLOSED)
    with Vault.open(folder, index="off") as vault:
        write(folder)
        settle(monkeypatch)
        assert CANARY in outputs(vault, "grep", {"pattern": "needle"})


NAMES = st.lists(st.sampled_from(["Diary", "Work", "Else"]), unique=True)
STATES = st.one_of(NAMES, st.sampled_from(["gone", "empty", "broken", "elsewhere"]))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=NAMES, states=st.lists(st.tuples(STATES, st.booleans()), max_size=6))
def test_what_holds_is_what_the_last_whole_file_says_and_all_that_was_closed_since(
    folder: Path, first: list[str], states: list[tuple[Any, bool]]
) -> None:
    """The same as a slow description of it: a file counts as whole if it is there, can be read, and is old."""
    is_old, place = True, file()
    followed_file = user_file.UserFile(place)

    def put(state: object) -> None:
        if state == "gone":
            place.unlink(missing_ok=True)
        elif state == "empty":
            place.write_text("")
        elif state == "broken":
            place.write_text("[[")
        elif state == "elsewhere":
            place.write_text('[x]\npath = "/elsewhere"\n')
        else:
            write(folder, f"protected = {json.dumps(state)}")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(user_file, "is_racy", lambda *_: not is_old)
        patched.setattr(time, "monotonic", StandingClock().monotonic)
        put(first)
        followed = user_file.Followed(folder, file=followed_file)
        expected = set(first)
        for state, is_old in states:
            put(state)
            if state not in ("gone", "broken"):
                said = set(state) if isinstance(state, list) else set()
                expected = said if is_old else expected | said
            assert set(followed.now().protected) == expected
            if state in ("gone", "broken"):
                assert followed.notices in ((GONE,), (UNREADABLE,))


# What it costs


def test_a_call_asks_for_the_status_of_the_file_once_and_reads_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, CLOSED)
    settle(monkeypatch)
    with Vault.open(folder, index="off") as vault:
        asked: list[str] = []

        def noted(name: str) -> None:
            call = getattr(disk, name)

            def counted(path: Any, *more: Any, **others: Any) -> Any:
                asked.append(f"{name} {path}")
                return call(path, *more, **others)

            monkeypatch.setattr(disk, name, counted)

        for name in ("stat", "open_file"):
            noted(name)
        vault.read("open.md")
        assert [each for each in asked if NAME in each] == [f"stat {file()}"]


def test_the_work_of_a_call_under_way_is_not_cut_by_a_change(folder: Path) -> None:
    with Vault.open(folder, index="off") as vault:
        work = vault.stream("search_files", {"pattern": "needle"}, cancel=Event())
        write(folder, "time_limit = 9")
        assert vault.config.time_limit == 9
        assert len(list(work)) == 4


def test_a_call_that_is_behind_by_a_change_does_not_undo_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Vault.open(folder, index="off") as vault:
        write(folder, "time_limit = 9")
        behind, now = iter([Followed(folder).now()]), Followed.now
        write(folder, "time_limit = 8", CLOSED)
        monkeypatch.setattr(Followed, "now", lambda followed: next(behind, None) or now(followed))
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        assert vault.config.time_limit == 8


def test_a_vault_whose_folder_is_gone_is_opened_again_when_it_is_back(folder: Path) -> None:
    with Vault.open(folder, index="off") as vault:
        aside = folder.with_name("aside")
        folder.rename(aside)
        write(folder, CLOSED)
        with pytest.raises(VaultToolsError):
            vault.grep("needle")
        aside.rename(folder)
        assert CANARY not in outputs(vault, "grep", {"pattern": "needle"})
        assert vault.notices == ()


def test_a_call_that_is_asked_once_more_tells_it_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, CLOSED)
    with Vault.open(folder) as vault:
        vault.build_index()
        moved = iter([{"open.md": 1}, {"open.md": 1}])
        monkeypatch.setattr(Call, "moved", lambda *_: next(moved))
        file().unlink()
        assert vault.grep("found nowhere").notices == [GONE]
        assert next(moved, None) is None
