"""Published bypasses of other servers, and attempts of a prompted model: all of them fail.

`docs/security.md` says what is promised. The forms of paths are in `tests/test_protection.py`, under the ids of the
catalogue; this module has attacks beyond paths, and the published attacks in their published form.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeVault, write_files
from tests.test_docs import DOCS
from tests.test_faults import asking
from tests.test_protection import FIELDS, Field, by_field, required, wide
from tests.test_reliability import names_of_tests
from vaulttools import Vault, tools

posix_only = pytest.mark.not_on_windows("links and paths of POSIX")
every_tool = pytest.mark.parametrize("tool", tools.NAMES)

SECRET = "TOP-SECRET"

# Paths as they were published


@pytest.fixture
def attacked(tmp_path: Path) -> Vault:
    """An allowed folder with its siblings, and links as an attacker leaves them."""
    write_files(
        tmp_path,
        {
            "allowed/open.md": "needle #needle [[needle]]\n",
            "allowed_evil/secret.md": f"needle {SECRET}\n",
            "allowed.bak/secret.md": f"needle {SECRET}\n",
            "outside/secret.md": f"---\nneedle: needle\n---\nneedle {SECRET} #needle\n",
        },
    )
    if sys.platform != "win32":
        for name, target in {
            "link": tmp_path / "outside",
            "secret.md": tmp_path / "outside/secret.md",
            "chain": tmp_path / "allowed/link",
            "root": Path("/"),
            "passwd.md": Path("/etc/passwd"),
            "self": tmp_path / "allowed",
            "up": Path(".."),
        }.items():
            (tmp_path / "allowed" / name).symlink_to(target)
    return Vault.open(tmp_path / "allowed", index="off")


PUBLISHED = {
    "CVE-2025-53109": [
        "link/secret.md",
        "secret.md",
        "chain/secret.md",
        "root/etc/passwd",
        "passwd.md",
        "up/outside/*",
    ],
    "CVE-2025-53110": ["PLACE/allowed_evil/secret.md", "PLACE/allowed.bak/secret.md", "../allowed_evil/secret.md"],
    "CVE-2025-68145": ["PLACE/outside", "PLACE", "..", "/", "/etc", "self/../../outside/secret.md"],
    "encoded": ["%2e%2e/outside/secret.md", "..%2foutside%2fsecret.md", "..%252foutside/secret.md", "%2Fetc%2Fpasswd"],
    "other separators": [
        "..\\outside\\secret.md",
        "link\\secret.md",
        "....//outside/secret.md",
        "..;/outside/secret.md",
    ],
    "other schemes": [
        "file:///etc/passwd",
        "file://PLACE/outside/secret.md",
        "obsidian://open?path=/etc/passwd",
        "obsidian://open?path=PLACE/outside/secret.md",
        "obsidian://open?file=../outside/secret.md",
        "obsidian://open?file=..%2Foutside%2Fsecret.md",
        "vaulttools://docs/../../../etc/passwd",
        "vaulttools://docs/%2e%2e/%2e%2e/secret",
        "[[../outside/secret]]",
        "[[/etc/passwd]]",
    ],
}


@posix_only
@by_field
@pytest.mark.parametrize("bypass", PUBLISHED)
def test_a_published_bypass_reads_nothing(field: Field, bypass: str, attacked: Vault, tmp_path: Path) -> None:
    for form in PUBLISHED[bypass]:
        given = form.replace("PLACE", str(tmp_path))
        result = attacked.call(field.tool, {**wide(field.tool), **field.arguments(given)})
        shown = result.text + str(result.details)
        assert SECRET not in shown, given
        assert "root:x:0" not in shown, given
        assert "for a reason of its own" not in result.text, given


@posix_only
@every_tool
def test_no_walk_leaves_the_vault_by_a_link(tool: str, attacked: Vault) -> None:
    result = attacked.call(tool, wide(tool))
    assert SECRET not in result.text + str(result.details)


# Options

OPTIONS = [
    "--pre=touch PWNED",
    "--pre",
    "-f/etc/passwd",
    "--file=/etc/passwd",
    "--files",
    "--search-zip",
    "--follow",
    "-L",
    "--no-ignore",
    "--hostname-bin=touch",
    "--ignore-file=/etc/passwd",
    "--",
    "-",
    "-e",
    "--debug",
    "--type-list",
    "--config=/etc/passwd",
    "$(touch PWNED)",
    "`touch PWNED`",
    ";touch PWNED",
    "| touch PWNED",
]


@every_tool
def test_no_argument_becomes_an_option_of_ripgrep(
    tool: str, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A given text comes after `-e` or `--`, or inside an argument that begins otherwise."""
    monkeypatch.chdir(tmp_path)
    started: list[list[str]] = []
    popen = subprocess.Popen

    def watched(command: list[str], **options: Any) -> Any:
        started.append(list(command))
        assert not options.get("shell")
        return popen(command, **options)

    monkeypatch.setattr(subprocess, "Popen", watched)
    names = [] if sys.platform == "win32" else [f"{option.replace('/', '_')}.md" for option in OPTIONS]
    vault = make_vault(dict.fromkeys(["open.md", *names], f"needle\n{chr(10).join(OPTIONS)}\n"))
    fields = [field for field in FIELDS if field.tool == tool]
    with vault:
        for option in OPTIONS:
            calls = [asking(tool, option), *({**wide(tool), **field.arguments(option)} for field in fields)]
            for call in calls:
                result = vault.call(tool, call)
                assert "for a reason of its own" not in result.text
                assert "root:x:0" not in result.text
    assert not list(tmp_path.rglob("PWNED"))
    for command in started:
        assert set(_options(command)) <= _OURS, command


_OURS = {
    *("--no-config", "-uu", "--text", "--color=never", "--no-mmap", "--count", "--with-filename", "--null", "--json"),
    *("--only-matching", "--line-number", "--column", "--field-match-separator=\\x00", "--no-heading", "--heading"),
    *("--files-with-matches", "--multiline", "--threads=1"),
    *("--encoding=none", "--no-hidden", "--iglob=*.md", "--ignore-case", "--engine=auto", "--engine=default", "--crlf"),
    *("--engine=pcre2", "--fixed-strings", "--case-sensitive", "--max-count", "--max-filesize", "--iglob", "--version"),
    *("--multiline-dotall", "--word-regexp", "--null-data", "--pcre2", "-P", "-F", "-i", "-U", "--no-unicode", "-s"),
    *("--no-multiline-dotall", "--passthru", "--regexp"),
}


def _options(command: list[str]) -> list[str]:
    """The options in a command, without values: the text after `-e`, and everything after `--`."""
    options = []
    words = iter(command[1:])
    for word in words:
        if word == "--":
            for name in words:
                assert name.startswith("./") or name == ".", command
            break
        if word == "-e":
            next(words)
        elif word != "-":
            options.append(word if word in _OURS else re.sub(r"=.*", "", word, flags=re.DOTALL))
    return options


@every_tool
def test_the_only_program_that_a_call_starts_is_ripgrep(tool: str, make_vault: MakeVault) -> None:
    with make_vault({"open.md": "needle #needle [[needle]]\n"}) as vault:
        vault.read_structures()
        known = vault._opened.ripgrep.command
        started: list[str] = []
        hook = _Hook(started)
        sys.addaudithook(hook)
        try:
            vault.call(tool, asking(tool, "needle"))
            vault.call(tool, required(tool))
        finally:
            hook.is_over = True
        assert set(started) <= {known}


class _Hook:
    """Notes the programs that are started; a hook of Python cannot be taken away."""

    def __init__(self, started: list[str]) -> None:
        self.started = started
        self.is_over = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_over and event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn"):
            self.started.append(os.fspath(arguments[0]))


# The page


def test_every_test_that_the_page_names_exists() -> None:
    text = (DOCS / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    assert len(named) > 20
    assert named <= names_of_tests()
