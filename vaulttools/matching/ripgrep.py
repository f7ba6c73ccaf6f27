"""Builds ripgrep's arguments and parses its output; no other code calls it.

Runs always without a configuration file and ignore rules, and treat every file as text (`--text`): other code decides,
in the same way for all calls, which files count and which are binary.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Final, NamedTuple

from vaulttools.core import programs
from vaulttools.core.work import GONE, Reason, Work
from vaulttools.errors import RipgrepUnavailable
from vaulttools.files.scope import Covering
from vaulttools.matching import printed
from vaulttools.matching.hits import FileLines
from vaulttools.matching.process import ERROR_LINE, GET_IT, TOGETHER, Outcome, PatientRun, Running, Runs
from vaulttools.patterns import pattern as patterns
from vaulttools.patterns.pattern import Pattern

OLDEST: Final = (14, 0)
"""The oldest ripgrep with the output and options used here."""

_COMMAND_BYTES: Final = 24_000 if sys.platform == "win32" else 120_000
"""Most bytes of file names for one process: below Windows' 32,767 characters and macOS' 256 KiB of argv."""

_FOR_ONE_PROCESS: Final = 48
"""So few files are not worth a second process. With named files, ripgrep's own threads do not help: 360 files take 7.8
ms with threads, 7.2 without, and 4.5 in two processes (measured, two cores)."""

_BASE: Final = ("--no-config", "-uu", "--text", "--color=never", "--no-mmap")
"""Without memory maps: truncating a mapped file would end the process (fault-C11)."""

# Anchored at the beginning of a line: else an output without records would take quadratic time.
_COUNT_RECORD = re.compile(rb"^([^\0]*)\0(\d{1,18})\r?\n", re.MULTILINE)


@dataclass(slots=True)
class Counts:
    """Numbers of matching lines by vault-relative path, and reasons for files that could not be searched."""

    matching: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Reason] = field(default_factory=dict)
    stopped: Reason | None = None
    """Why files in neither of the two may not have been searched."""
    unsure: set[str] = field(default_factory=set, compare=False)
    """Files in ripgrep's messages, failed or gone."""


class Hits(NamedTuple):
    """Matching lines by vault-relative path."""

    lines: dict[str, FileLines]
    """Without entries for files without hits, and for the file at which ripgrep was stopped."""
    failed: dict[str, Reason]
    """Reasons for files that could not be searched."""
    stopped: Reason | None
    """Why files in neither of the two may have hits."""


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A usable ripgrep."""

    command: str
    """Absolute path of the program."""
    version: str

    def start(self, arguments: Iterable[str], folder: str | None = None, stdin: bytes | None = None) -> Running:
        """Start ripgrep in a folder; `stdin` is the text to search, if given."""
        return Running([self.command, *_BASE, *arguments], folder, stdin)

    def compile(self, given: str, mode: patterns.Mode, *, ignore_case: bool) -> Pattern:
        """Returns a pattern that ripgrep accepts, with literal parentheses if it reports a group error.

        Raises:
            InvalidPattern: ripgrep refuses the pattern; with its reason.
            BadArgument: the pattern is empty, too long or not valid text.
        """
        return _compiled(self, given, mode, ignore_case)

    def start_count(
        self,
        pattern: Pattern,
        folder: str,
        files: Sequence[str] | None,
        globs: Sequence[str] = (),
        *,
        below: str = "",
        normalised: bool = False,
    ) -> Runs:
        """Start counting matching lines in the named files of a folder, or in everything `below` a folder in it that
        the globs include.

        `normalised` files are copies of `Document.searchable`. With a multiline pattern ripgrep counts matches instead
        of lines: only zero or not is meaningful.
        """
        arguments = ["--count", "--with-filename", "--null", *globs, *_asked(pattern, normalised)]
        if files is None or not pattern.backtracks:
            return self._over(arguments, folder, files, below)
        # A line per file, at once: the one at which a run stops is the next of its files.
        arguments = ["--threads=1", "--include-zero", "--line-buffered", *arguments, "--"]

        def start(some: Sequence[str]) -> Running:
            return self.start([*arguments, *(f"./{path}" for path in some)], folder)

        return Runs(partial(PatientRun, some, start, _printed) for some in _shares(files))

    def _over(self, arguments: Sequence[str], folder: str, files: Sequence[str] | None, below: str = "") -> Runs:
        """Start runs over the named files in a folder, or over everything `below` a folder in it."""
        if files is None:
            return Runs([partial(self.start, [*arguments, "--", f"./{below}"], folder)])
        named = ([f"./{path}" for path in batch] for batch in _shares(files))
        return Runs(partial(self.start, ["--threads=1", *arguments, "--", *some], folder) for some in named)

    def counts(self, runs: Runs, work: Work) -> Counts:
        """Returns the combined counts of runs."""
        counts = Counts()
        for each in map(_counted, runs.outcomes(work)):
            counts.matching.update(each.matching)
            counts.failed.update(each.failed)
            counts.stopped = counts.stopped or each.stopped
            counts.unsure |= each.unsure
        for path in counts.failed:
            counts.matching.pop(path, None)
        return counts

    def counts_of_each(self, expressions: Sequence[str], folder: str, globs: Sequence[str], work: Work) -> list[Counts]:
        """Counts, for each Rust regex of ours, the matching lines in everything below a folder that the globs include;
        ignores case."""
        options = ["--count", "--with-filename", "--null", "--ignore-case", *globs]
        if len(expressions) >= TOGETHER:
            options.append("--threads=1")  # 11 runs over 6,289 notes: 0.7 s instead of 1.3 (two cores)
        runs = Runs(partial(self.start, [*options, "-e", each, "--", "."], folder) for each in expressions)
        return [*map(_counted, runs.outcomes(work))]

    def counts_of_texts(
        self, expression: str, folder: str, globs: Sequence[str], work: Work
    ) -> tuple[dict[str, Counter[str]], Reason | None]:
        """Counts, by file, each text that a Rust regex of ours matches, in everything below a folder that the globs
        include; ignores case. Also returns why counts may be missing. The regex must not match an empty text."""
        options = ["--only-matching", "--heading", "--no-line-number", "--with-filename", "--null", "--ignore-case"]
        outcome = self.start([*options, *globs, "-e", expression, "--", "."], folder).outcome(work)
        found = {}
        path, *blocks = outcome.stdout.split(b"\0")
        for block in blocks:  # `path NUL text LF text LF`, then an empty line and the next path
            texts, _, following = block.partition(b"\n\n")
            counted = Counter(texts.removesuffix(b"\n").split(b"\n"))
            found[_relative(path)] = Counter({text.decode("utf-8", "replace"): n for text, n in counted.items()})
            path = following
        return found, _stopped(outcome, is_whole=not path and outcome.stdout[-1:] in (b"\n", b""))

    def start_listing(
        self, expression: str, folder: str, files: Sequence[str] | None, globs: Sequence[str] = (), *, below: str = ""
    ) -> Runs:
        """Start listing the files whose text a Rust regex of ours matches anywhere."""
        options = ["--files-with-matches", "--null", "--multiline", *globs]
        return self._over([*options, "-e", expression], folder, files, below)

    def listed(self, runs: Runs, work: Work) -> tuple[set[str], Reason | None]:
        """Returns the combined files of runs, and why files may be missing; unreadable files are not included."""
        outcomes = list(runs.outcomes(work))
        found = {_relative(path) for outcome in outcomes for path in outcome.stdout.split(b"\0") if path}
        stops = (_stopped(each, is_whole=not each.stdout or each.stdout.endswith(b"\0")) for each in outcomes)
        return found, next(filter(None, stops), None)

    def hits(
        self,
        pattern: Pattern,
        folder: str,
        files: Sequence[str],
        work: Work,
        limit: int | None = None,
        *,
        normalised: bool = False,
    ) -> Hits:
        """Finds the matching lines of each named file, in order, at most the first `limit`.

        A last line may lack its lone CR at the end: see `FileLines.of`.
        """
        runs = self._over(_line_options(pattern, limit, normalised), folder, files)
        found: dict[str, FileLines] = {}
        failed: dict[str, Reason] = {}
        stopped: Reason | None = None
        for outcome in runs.outcomes(work):
            lines, ended = _lines_of(outcome, pattern, normalised)
            stopped = stopped or ended
            failed.update(_failures(outcome))
            if ended is not None and lines:
                lines.popitem()  # the last file's lines may be incomplete
            found.update((_relative(path), each[:limit]) for path, each in lines.items())
        return Hits(found, failed, stopped)

    def hits_in_text(self, pattern: Pattern, searchable: bytes, work: Work) -> tuple[FileLines, Reason | None]:
        """Like `hits` without a limit, for `Document.searchable`."""
        outcome = self.start([*_line_options(pattern, None, normalised=True), "-"], stdin=searchable).outcome(work)
        lines, stopped = _lines_of(outcome, pattern, normalised=True)
        failed = next((reason for _, reason in _failures(outcome)), None)
        return next(iter(lines.values()), FileLines()), stopped or failed

    def excluded(self, entries: Sequence[str], paths: Sequence[str], work: Work) -> Covering:
        """Matches paths against the `/regex/` entries of the vault's excluded files: as many entries as one process
        takes, and fewer where ripgrep refuses them, down to the one that it refuses."""
        lines = [path.replace("\n", " ") for path in paths]
        found: set[int] = set()
        stopped: Reason | None = None
        warnings: tuple[str, ...] = ()
        waiting = [*batches(entries)]
        while waiting and stopped is None:
            if work.remaining() <= 0:
                return Covering(found, "time limit", warnings)
            some = waiting.pop()
            matched = self.lines_matching(some, lines, work)
            if matched is not None:
                found |= matched[0]
                stopped = matched[1]
            elif len(some) > 1:
                half = len(some) // 2
                waiting += (some[:half], some[half:])
            else:
                # The entry is not shown: it is from a protected folder.
                warnings = ("ripgrep cannot read a /regex/ of the vault's excluded files; it excludes nothing.",)
        return Covering(found, stopped, warnings)

    def lines_matching(
        self, expressions: Sequence[str], lines: Sequence[str], work: Work
    ) -> tuple[set[int], Reason | None] | None:
        """Returns the places (from 0) of the lines that any of several expressions matches, ignoring case; and why some
        may be missing.

        None if ripgrep refuses an expression. PCRE2 takes only a single one, since it would number the groups of all
        together; ripgrep's own engine keeps them apart.
        """
        options = ["--ignore-case", "--engine=auto" if len(expressions) == 1 else "--engine=default"]
        options += ["--encoding=none", "--line-number", *(part for each in expressions for part in ("-e", each)), "-"]
        text = "\n".join(lines).encode("utf-8", "surrogateescape")
        try:
            outcome = self.start(options, stdin=text).outcome(work)
        except ValueError:  # a NUL or a lone surrogate, which a command line cannot contain
            return None
        if outcome.code == 2 and not outcome.out_of_time:
            return None
        if outcome.stopped is not None:
            return set(), outcome.stopped  # the output may end within a number
        numbers = [line.partition(b":")[0] for line in outcome.stdout.split(b"\n") if line]
        if not all(len(number) < 10 and number.isdigit() for number in numbers):
            return set(), "ripgrep died"
        return {int(number) - 1 for number in numbers}, None


def locate(configured: str | None = None) -> Ripgrep:
    """Returns the ripgrep to use: the configured one, else VAULTTOOLS_RG, else the wheel's, else the one on PATH.

    Raises:
        RipgrepUnavailable: there is none, or it is older than 14; the message says how to get one.
    """
    return _checked(found(configured, os.environ))


def found(configured: str | None, environ: Mapping[str, str]) -> str:
    """Returns the absolute path of the ripgrep to use in an environment, without running it.

    Raises:
        RipgrepUnavailable: there is none.
    """
    named = configured or environ.get("VAULTTOOLS_RG")
    path = environ.get("PATH", os.defpath)
    if named:
        command = programs.found(os.path.expanduser(named), path)
        if command is None:
            raise RipgrepUnavailable(f"ripgrep was not found at '{named}': {GET_IT}")
    else:
        beside = sysconfig.get_path("scripts"), os.path.dirname(sys.executable)
        command = programs.found("rg", os.pathsep.join((*beside, path)))
        if command is None:
            raise RipgrepUnavailable(f"ripgrep is needed and was not found: {GET_IT}")
    return command


def batches(files: Sequence[str], most: int = sys.maxsize) -> Iterator[Sequence[str]]:
    """Yields batches of at most `most` files that fit one command line."""
    start = size = 0
    for position, path in enumerate(files):
        length = len(path) * 3 + 8  # a character takes at most three bytes
        if (size + length > _COMMAND_BYTES or position - start >= most) and position > start:
            yield files[start:position]
            start, size = position, 0
        size += length
    if start < len(files):
        yield files[start:]


def _shares(files: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yields batches for processes that run at the same time."""
    return batches(files, max(_FOR_ONE_PROCESS, -(-len(files) // TOGETHER)))


@lru_cache(maxsize=8)
def _checked(command: str) -> Ripgrep:
    try:
        printed = subprocess.run([command, "--version"], capture_output=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise RipgrepUnavailable(f"'{command}' could not be run as ripgrep: {GET_IT}") from error
    match = re.match(rb"ripgrep (\d+)\.(\d+)\S*", printed)
    if match is None:
        raise RipgrepUnavailable(f"'{command}' is not ripgrep: {GET_IT}")
    version = match.group().decode().split()[1]
    if (int(match[1]), int(match[2])) < OLDEST:
        raise RipgrepUnavailable(f"ripgrep {version} at '{command}' is too old: {GET_IT}")
    return Ripgrep(command, version)


@lru_cache(maxsize=256)
def _compiled(ripgrep: Ripgrep, given: str, mode: patterns.Mode, ignore_case: bool) -> Pattern:
    pattern = patterns.read(given, mode=mode, ignore_case=ignore_case)
    error = _refusal(ripgrep, pattern)
    if error is None:
        return pattern
    if patterns.is_group_error(error):
        literal = patterns.with_literal_parentheses(pattern)
        if _refusal(ripgrep, literal) is None:
            return literal
    raise patterns.invalid(pattern, error)


def _refusal(ripgrep: Ripgrep, pattern: Pattern) -> str | None:
    """Returns ripgrep's complaint about a pattern, or None; plain text is valid without a process."""
    if pattern.plain:
        return None
    for arguments in dict.fromkeys((pattern.arguments(), pattern.arguments(normalised=True))):  # most often the same
        outcome = ripgrep.start([*arguments, "-"]).outcome(Work())
        if outcome.code == 2:
            return outcome.stderr.decode("utf-8", "replace")
    return None


def _relative(path: bytes) -> str:
    name = os.fsdecode(path)
    if os.sep != "/":
        name = name.replace(os.sep, "/")
    return name[2:] if name.startswith("./") else name


def _asked(pattern: Pattern, normalised: bool) -> tuple[str, ...]:
    return ("--encoding=none", *pattern.arguments(normalised=True)) if normalised else pattern.arguments()


def _counted(outcome: Outcome) -> Counts:
    """Parses the output of a run with `--count`."""
    records = _COUNT_RECORD.findall(outcome.stdout)
    return Counts(
        {_relative(path): int(number) for path, number in records if number != b"0"},
        dict(_failures(outcome)),
        _stopped(outcome, is_whole=_are_all(records, outcome.stdout)),
        {_relative(path) for path, _ in ERROR_LINE.findall(outcome.stderr)},
    )


def _printed(outcome: Outcome) -> tuple[bytes, set[str]]:
    """Returns the whole records of a run with `--count`, and the files that it names, failed ones included."""
    records = [*_COUNT_RECORD.finditer(outcome.stdout)]
    names = [record[1] for record in records] + [path for path, _ in ERROR_LINE.findall(outcome.stderr)]
    return b"".join(record[0] for record in records), {*map(_relative, names)}


def _line_options(pattern: Pattern, limit: int | None, normalised: bool) -> list[str]:
    """Returns the options for the output that `_lines_of` parses."""
    options = [*_max_count(pattern, limit), *_asked(pattern, normalised)]
    return [*(printed.JSON if pattern.multiline else printed.PLAIN), *options]


def _lines_of(outcome: Outcome, pattern: Pattern, normalised: bool) -> tuple[dict[bytes, FileLines], Reason | None]:
    """Returns the lines of a run by printed path, and why there may be more."""
    if pattern.multiline:
        lines, is_whole = printed.json_lines(outcome.stdout, normalised=normalised)
    else:
        crlf = "--crlf" in _asked(pattern, normalised)
        lines, is_whole = printed.plain_lines(outcome.stdout, normalised=normalised, crlf=crlf)
    return lines, _stopped(outcome, is_whole=is_whole or outcome.code == 2)


def _max_count(pattern: Pattern, limit: int | None) -> tuple[str, ...]:
    """Returns the limit of matches per file; none for a multiline pattern, which counts matches instead of lines."""
    return () if limit is None or pattern.multiline else (f"--max-count={limit}",)


def _failures(outcome: Outcome) -> Iterator[tuple[str, Reason]]:
    """Yields files and reasons from ripgrep's messages, as `rg: ./a.md: Permission denied (os error 13)`."""
    for path, message in ERROR_LINE.findall(outcome.stderr):
        name = _relative(path)
        if b"(os error 2)" in message:
            yield name, GONE
        else:
            yield name, "pattern too costly" if b"PCRE2" in message else "unreadable"
    for path in outcome.given_up:
        yield path, "pattern too costly"


def _stopped(outcome: Outcome, *, is_whole: bool) -> Reason | None:
    """Returns why the result of a run is incomplete; `is_whole`: the output has ripgrep's format."""
    return outcome.stopped or (None if is_whole else "ripgrep died")


def _are_all(records: Sequence[tuple[bytes, ...]], stdout: bytes) -> bool:
    """Whether the output holds only the records; each has one NUL."""
    return stdout.count(b"\0") == len(records) and (stdout.endswith(b"\n") if records else not stdout)
