"""Writes the command that was meant by words of other programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from vaulttools import tools
from vaulttools.answers.request import OF_CHOICES, choice, schema
from vaulttools.answers.tool import Tool
from vaulttools.cli import options
from vaulttools.cli.command_line import quoted, take_flag, take_value
from vaulttools.cli.mistakes import PROGRAMS, LeftOver, Mistake, UnknownOption
from vaulttools.core import spelling
from vaulttools.core.dates import moved
from vaulttools.errors import BadArgument
from vaulttools.obsidian_cli.commands import BUILT

_NEEDLESS: Final = ""
"""Stands for an option that may be left out here."""
_NEEDLESS_VALUE: Final = "{}-"
"""The same, with its value."""

_MEANT: Final[Sequence[tuple[str, Sequence[str]]]] = (
    # Parts of an answer, and its form.
    ("--count --counts -c --total --totals", ("--output counts", _NEEDLESS)),
    ("--files-with-matches --files --names --names-only --name-only --list -l", ("--output paths", _NEEDLESS)),
    (
        "-n -k -m --max-count --top --limit --max-results --max --head --first --number",
        ("--limit {}", "--max-results {}", _NEEDLESS_VALUE),
    ),
    ("-C -A -B --context --after-context --before-context --around", ("--context-lines {}", _NEEDLESS_VALUE)),
    ("-j --jsonl --ndjson --as-json", ("--json",)),
    ("-? /?", ("--help",)),
    ("--csv --tsv", ("--json",)),
    ("--sort-by --order-by --order --sort --sortr", ("--sort {}", _NEEDLESS_VALUE)),
    ("--group --by --groupby --group-by", ("--group-by {}", _NEEDLESS_VALUE)),
    ("--level --color --colour --colors", (_NEEDLESS_VALUE,)),
    (
        "--no-color --quiet -q --silent --verbose --pretty --plain --no-pager --line-number --heading --no-heading "
        "--with-filename --recursive -r -R --all -a --text --stats -E -P --perl-regexp --extended-regexp --regex",
        (_NEEDLESS,),
    ),
    # How to match.
    ("-i --ignore-case -S --smart-case", ("-i", _NEEDLESS)),
    ("-s --case-sensitive --match-case", ("--case-sensitive", "--match-case")),
    ("-F --fixed-strings --literal --exact", ("--fixed", _NEEDLESS)),
    ("-e --regexp --query --pattern", ("{}",)),
    ("--no-ignore -u -I --hidden", ("--hidden", "--include-excluded", "--no-gitignore")),
    # Links.
    ("--unresolved --broken --dead --missing", ("--direction unresolved",)),
    ("--orphans --orphan --orphaned", ("--direction orphans",)),
    ("--backlinks --back --incoming --to --linked-from --inbound", ("--direction back",)),
    ("--outgoing --out --outbound --forward --from", ("--direction out",)),
    ("--mentions --unlinked", ("--direction mentions",)),
    # Where to search.
    ("-g --glob --include --iglob --files-matching", ("--glob {}", "--file-pattern {}")),
    ("-t --type --ext --extension", ("--glob *.{}", "--file-pattern **/*.{}", _NEEDLESS_VALUE)),
    ("-name -iname --name", ("**/{}", "--name {}")),
    ("--path --folder --dir --directory --in --from", ("--folder {}", "--file-pattern {}/**", "--glob {}/**")),
    ("--file --note", ("--glob {}", "--file-pattern {}")),
    ("--tag --tagged --label --project", ("--tags {}", "--name {}")),
    ("--prefix --starts-with", ("--name {}",)),
    ("--property --prop --field --key", ("--properties {}", "--name {}")),
    ("--before --until --older", ("--due-before {}", "--modified-before {}")),
    ("--after --since --newer --changed-within", ("--due-after {}", "--modified-after {}")),
    # Tasks.
    ("--done --completed --complete --finished --checked", ("--status done",)),
    ("--todo --open --pending --incomplete --undone --not-done --unchecked", ("--status open",)),
    ("--any --all-tasks", ("--status any",)),
    ("--due-today --today", ("--due-after today --due-before tomorrow",)),
    ("--late --past-due", ("--overdue",)),
    ("--highest", ("--priority highest",)),
    ("--high", ("--priority high",)),
    ("--medium", ("--priority medium",)),
    ("--low", ("--priority low",)),
)
"""Options of other programs, and what they mean here: the first form whose options the command has. `{}` is the value
of the option."""

OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    name: tuple(form for names_, forms in _MEANT if name in names_.split() for form in forms)
    for names, _ in _MEANT
    for name in names.split()
}

_OF_COMMAND: Final[Sequence[tuple[str, str]]] = (
    ("version", "--version"),
    ("man usage commands", "--help"),
    ("view note show-note less head tail more print", "read {NOTE}"),
    ("daily today journal", "read daily"),
    ("weekly week", "read weekly"),
    ("monthly", "read monthly"),
    (
        "files notes list-notes recent recents latest modified changed log history changes diff",
        'find "*.md" --limit 20',
    ),
    ("lookup ask-notes chat q answer", "query {QUESTION}"),
    ("similar related like", "query --like {NOTE}"),
    ("regex regexp match", "search-files {PATTERN}"),
    ("count counts", "search-files {PATTERN} --output counts"),
    ("unresolved broken dangling missing", "links --direction unresolved"),
    ("orphans orphan", "links --direction orphans"),
    ("graph map neighbours neighbors connections", "links {NOTE} --depth 2"),
    ("mentions", "links {NOTE} --direction mentions"),
    ("headings headers toc contents structure", "outline {NOTE}"),
    ("frontmatter front-matter metadata meta yaml", "read {NOTE} --frontmatter"),
    ("props property fields", "properties"),
    ("due agenda", "tasks --due-after today --due-before tomorrow"),
    ("overdue late", "tasks --overdue"),
    ("done completed", "tasks --status done"),
    ("build reindex rebuild refresh sync update-index scan", "index build"),
    ("clear reset clean purge", "index clear"),
    ("status info stats size", "index status"),
    ("doctor check verify test lint", "index verify"),
    ("setup install connect add link register integrate", "init"),
    ("server http start run web gui ui browser rest api page", "serve :8765"),
    ("stop kill", "daemon stop"),
    ("completions autocomplete complete", "completion bash"),
)

WORDS: Final[Mapping[str, str]] = {name: line for names, line in _OF_COMMAND for name in names.split()}
"""Words that people type as commands, and that may also begin a question of three words or more."""

_SENTENCES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("config", "configure", "settings", "preferences", "set"),
        "Settings are lines in vaulttools.toml, see docs/configuration.md; those of assistants: vaulttools init",
    ),
    **dict.fromkeys(
        ("update", "upgrade", "self-update"),
        "The index: vaulttools index build; the program, in its new folder: "
        "uv tool install --force '.[mcp,serve,files,semantic]'",
    ),
    **dict.fromkeys(
        ("uninstall", "remove"),
        "In this order: vaulttools init --remove --write; vaulttools index clear --all; uv tool uninstall vaulttools",
    ),
    **dict.fromkeys(
        (
            *("new", "create", "edit", "delete", "write", "append", "move", "mv", "rm", "rename", "replace", "save"),
            *("touch", "git", "commit", "push", "pull"),
        ),
        "Nothing is ever written into a vault; to read a note: vaulttools read NOTE",
    ),
}
"""Commands that have no one counterpart, and what to do instead."""

_SUBCOMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "index": {
        "build": "rebuild update create refresh make new start sync add reindex --build --update --rebuild",
        "clear": "delete remove rm clean drop reset purge --clear",
        "verify": "check test doctor validate --verify --check",
        "status": "info show list stats size path --status --info",
    },
    "daemon": {"start": "run up begin launch enable", "stop": "kill down end quit disable", "status": "info show ps"},
    "token": {"add": "create new make issue", "revoke": "delete remove rm", "list": "ls show status"},
}

_TAKEN: Final[Mapping[str, Sequence[str]]] = {"build": ("--meaning",), "clear": ("--all",)}
"""What a subcommand takes."""

_PLACED: Final[Mapping[str, str]] = {
    "today": "--due-after today --due-before tomorrow",
    "tomorrow": "--due-after tomorrow --due-before +2d",
    "todo": "--status open",
    "completed": "--status done",
    "late": "--overdue",
    **dict.fromkeys(("list", "ls", "all", "show", "count", "counts", "get"), _NEEDLESS),
}
"""Words after a command that takes only options."""

_MOST: Final = 8
"""Mistakes that are mended in one command."""


def command(words: Sequence[str], known: Sequence[str], program: Sequence[str]) -> str:
    """Returns a hint for a command that is none of the known ones; "" if it resembles none. `program` begins the
    proposed command."""
    first = words[0].casefold()
    if first in _SENTENCES:
        return _SENTENCES[first]
    if first in known:
        return _filled(program, first, first, words[1:], are_kept=True)
    if first in _DATAVIEWS:
        return _dataview(" ".join(["table" if first == "table" else "", *words[1:]]).strip() or "table", program)
    if first in _LISTS and words[1:2] and words[1] in known:
        words, first = words[1:], words[1]
        return _filled(program, first, first, words[1:], are_kept=True)
    line = PROGRAMS.get(first) or WORDS.get(first)
    if line is not None:
        return _filled(program, first, line, words[1:])
    if first in (each.name for each in BUILT):
        return _did_you_mean(program, ["obsidian", *words])
    near = spelling.closest(first, [*known, *PROGRAMS])
    if not near:
        return ""
    line = PROGRAMS.get(near[0], near[0])
    return _filled(program, near[0], line, words[1:], are_kept=True)


def general(words: Sequence[str], program: Sequence[str]) -> str:
    """Returns a hint for an unknown option before the command; "" if nobody knows it."""
    option, sign, value = words[0].partition("=")
    if option in _OF_VAULT:
        rest = words[1:] if sign else words[2:]
        return _did_you_mean(program, ["--vault", value if sign else "".join(words[1:2]) or "DIR", *rest])
    at = next((at for at, word in enumerate(words) if word.replace("-", "_") in tools.NAMES), None)
    if at is None:
        return ""
    tool = tools.named(words[at].replace("-", "_"))
    mended = _mended(tool, [*words[:at], *words[at + 1 :]])
    return "" if mended is None else _did_you_mean(program, [_dashed(tool.name), *mended])


_OF_VAULT: Final = ("-C", "-d", "--dir", "--directory", "--folder", "--notes", "--path", "--root", "--vaults")
"""Options before the command that mean the vault."""


def better(error: Mistake, tool: Tool[Any, Any], words: Sequence[str], program: Sequence[str]) -> Mistake:
    """Returns the error with the whole command that was probably meant, or as it was."""
    of = _dashed(tool.name)
    tool, words = _with_output(tool, of, _pattern_first(tool, words), 1)
    mended = _mended(tool, words)
    return error if mended is None else Mistake(str(error), _did_you_mean(program, [_dashed(tool.name), *mended]))


def not_found(tool: Tool[Any, Any], arguments: Mapping[str, object], program: Sequence[str]) -> str:
    """Returns a hint where a word was taken for a path that does not exist; "" if it was probably meant as one."""
    paths, base = arguments.get("paths"), arguments.get("base")
    if isinstance(paths, list) and "pattern" in arguments and not any(map(_LIKE_A_PATH.search, paths)):
        together = {**arguments, "pattern": " ".join([str(arguments["pattern"]), *paths])}
        del together["paths"]
        words = [*program, _dashed(tool.name), *options.words(together, tool.request)]
        return f"Several words are one pattern in quotes: {' '.join(map(quoted, words))}"
    if tool.name == "find" and isinstance(paths, list) and len(paths) == 1 and not _LIKE_A_PATH.search(paths[0]):
        named = {**arguments, "paths": [f"**/*{paths[0]}*"]}
        words = [*program, "find", *options.words(named, tool.request)]
        return f"For names that hold it: {' '.join(map(quoted, words))}"
    return _dataview(base, program) if isinstance(base, str) else ""


def _dataview(text: str, program: Sequence[str]) -> str:
    """Returns a hint with the columns of a question in the language of Dataview; "" for another text."""
    found = _DATAVIEW.match(text)
    if found is None:
        return ""
    columns = [name.strip() for name in found[1].split(",") if name.strip()]
    return _did_you_mean(program, ["base", "--where", "true", "--columns", ",".join(["file.path", *columns])])


_DATAVIEWS: Final = ("dataview", "dql", "sql", "table")


_LIKE_A_PATH: Final = re.compile(r"[/\\.*?]")
_DATAVIEW: Final = re.compile(r"(?is)(?:table(?:\s+without\s+id)?|list)\b(.*?)(?:\bfrom\b.*|\bwhere\b.*|\bsort\b.*)?$")
"""A question in the language of Dataview, with its columns."""


def subcommand(name: str, known: Sequence[str], words: Sequence[str], program: Sequence[str]) -> Mistake:
    """Returns the error for wrong words after `index`, `daemon` or `token`, which take one of the known ones."""
    got = f", got '{' '.join(words)}'" if words else ""
    sentence = f"{name} takes one of {', '.join(known)}{got}"
    return Mistake(sentence, _meant_of(name, known, words, program))


def _meant_of(name: str, known: Sequence[str], words: Sequence[str], program: Sequence[str]) -> str:
    meant = next((each for each, names in _SUBCOMMANDS[name].items() if words and words[0] in names.split()), None)
    if meant is None:
        near = spelling.closest(words[0], (each.split()[0] for each in known)) if words else []
        meant = near[0] if near else None
    if words[:1] == ["restart"]:
        return f"{_did_you_mean(program, [name, 'stop'])}, then {' '.join(map(quoted, [*program, name, 'start']))}"
    if meant is None:
        return f"For example: {' '.join(map(quoted, [*program, name, 'status' if 'status' in known else known[-1]]))}"
    if name == "token":
        return f"{_did_you_mean(program, [name])} {next(each for each in known if each.startswith(meant))}"
    # Of other programs `purge --all` removes an index, not all that this program keeps.
    takes = () if meant == "clear" and words[0] in _SUBCOMMANDS[name][meant].split() else _TAKEN.get(meant, ())
    taken = [near[0] for word in words[1:] if (near := spelling.closest(word, takes))]
    return _did_you_mean(program, [name, meant, *taken])


def _did_you_mean(program: Sequence[str], words: Sequence[str]) -> str:
    """Returns the hint, with a command at its end that can be pasted."""
    return f"Did you mean: {' '.join(map(quoted, [*program, *words]))}"


def _dashed(name: str) -> str:
    return name.replace("_", "-")


_LISTS: Final = ("get", "list", "ls", "show")
"""Commands of other programs that come before what is listed."""

_PLACE: Final = re.compile(r"\{([A-Z]+|\*)\}")


def _filled(program: Sequence[str], of: str, line: str, rest: Sequence[str], *, are_kept: bool = False) -> str:
    """Returns the hint with a command from the table, and with what else was typed after the program `of`, as far as
    the command takes it; "" if a search would find something else without it."""
    made = shlex.split(line)
    name = made[0].replace("-", "_")
    if name not in tools.NAMES:
        made, rest = _placed(made, of, rest)
        return _did_you_mean(program, [*made, *rest] if are_kept else made)
    tool = tools.named(name)
    names = options.names(tool)
    rest = [word for word in _without_harmless(of, rest) if word in names or word not in _ALONE.get(of, ())]
    rest = _pattern_first(tool, rest)
    if of == "fd":
        made, rest = _with_extension(made, rest)
    if any(word in _VALUED.get(of, ()) for word in rest):
        return ""
    made, rest = _placed(made, of, rest)
    if tool.name == "find" and "{*}" not in line and (folders := _free(of, rest)):  # words of find add to each other
        if "{NAME}" not in line or len(folders) > 1:
            return ""
        made[1] = f"{rest.pop(folders[0]).rstrip('/')}/{made[1]}"
    tool, rest = _with_output(tool, of, rest, 0)
    made[0] = _dashed(tool.name)
    mended = _mended(tool, [*made[1:], *rest])
    if mended is None and (tool.name not in _SEARCHING or not _narrows(of, rest)):
        mended = _mended(tool, made[1:])
        if mended is None:
            mended = [*made[1:], *(field.upper() for field in options.required(tool.request))]
    return "" if mended is None else _did_you_mean(program, [made[0], *mended])


def _placed(made: Sequence[str], of: str, rest: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns a command from the table with typed words in its places, and the words that are left."""
    made, rest = [*made], [*rest]
    for place, word in enumerate(made):
        if found := _PLACE.search(word):
            placed = next((rest.pop(at) for at in _free(of, rest)), None)
            made[place] = word.replace(found[0], found[1] if placed is None else placed)
    return made, rest


_SEARCHING: Final = ("find", "grep", "search", "search_files")


def _narrows(of: str, words: Sequence[str]) -> bool:
    """Whether words say where to search, or what to show."""
    return bool(_free(of, words)) or any(word.partition("=")[0] in OPTIONS for word in words)


def _without_harmless(of: str, words: Sequence[str]) -> list[str]:
    """Returns the words without options, and their values, that change nothing in what is found."""
    places = [place for place, word in enumerate(words) if word in _HARMLESS and word in _VALUED.get(of, ())]
    return [word for place, word in enumerate(words) if place not in places and place - 1 not in places]


_HARMLESS: Final = ("-j", "-M", "-L", "-c")


def _pattern_first(tool: Tool[Any, Any], words: Sequence[str]) -> list[str]:
    """Returns the words of a search with its pattern, the value of `-e`, before them."""
    if tool.name not in ("grep", "search", "search_files"):
        return [*words]
    for place, word in enumerate(words):
        option, sign, value = word.partition("=")
        if option in ("-e", "--regexp") and (sign or words[place + 1 : place + 2]):
            return [value if sign else words[place + 1], *words[:place], *words[place + (1 if sign else 2) :]]
    return [*words]


def _with_extension(made: Sequence[str], words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns a command from the table and the words of `fd`, with its extension in the name: `-e md wedding` is
    `*wedding*.md`."""
    place = next((place for place, word in enumerate(words[:-1]) if word in ("-e", "--extension")), None)
    if place is None:
        return [*made], [*words]
    rest, extension = [*words[:place], *words[place + 2 :]], words[place + 1].lstrip(".")
    free = _free("fd", rest)
    name = f"{rest.pop(free[0])}*" if free else ""
    return [word.replace("{NAME}*", f"{name}.{extension}") for word in made], rest


def _with_output(tool: Tool[Any, Any], of: str, words: Sequence[str], before: int) -> tuple[Tool[Any, Any], list[str]]:
    """Returns the tool that shows names or counts in the place of lines, if an option asks for them, and the words
    with an option for the paths; `before` words that belong to no option come before them."""
    apart = [option for word in words for option in _apart(word)]
    forms = [(*OPTIONS.get(word, ()), "")[0] for word in apart]
    if tool.name not in ("grep", "search") or not any(form.startswith("--output ") for form in forms):
        return tool, [*words]
    places = _free(of, apart)[before:]
    given = [apart[place] for place in places]
    are_files = {"." in path.strip("./") for path in given}
    # Several are one glob; a name with a comma or brackets would be another one.
    if len(given) == 1 or (len(are_files) == 1 and all(map(_PLAIN.fullmatch, given))):
        path = given[0] if len(given) == 1 else f"{{{','.join(each.rstrip('/') for each in given)}}}"
        option = "--file" if True in are_files else "--folder"
        apart = [word for place, word in enumerate(apart) if place not in places]
        apart += [] if path in (".", "./") else [option, path]
    return tools.named("search_files"), apart


_PLAIN: Final = re.compile(r"\w[\w ./-]*")


def _free(of: str, words: Sequence[str]) -> list[int]:
    """Returns the places of words that, after a program, are neither options nor the value of one."""
    values = {place + 1 for place, word in enumerate(words) if _has_value(of, word)}
    return [place for place, word in enumerate(words) if word[:1] != "-" and place not in values]


def _has_value(of: str, option: str) -> bool:
    if option in _ALONE.get(of, ()):
        return False
    form = next(iter(OPTIONS.get(option, ())), "")
    # The value of `-e` is the pattern.
    return option in _VALUED.get(of, ()) or ("{}" in form and form != "{}")


_SEARCHES: Final = ("ack", "ag", "grep", "rg", "ripgrep", "search", "search-files")

_ALONE: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys((*_SEARCHES, "bat", "cat", "less", "more"), ("-n",)),
    **dict.fromkeys(("dir", "list", "ls"), ("-t", "-n")),
}
"""By program, options without a value that have one in others: `rg -n seed`, `head -n 5`."""

_VALUED: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(_SEARCHES, ("-f", "-T", "-M", "-j", "-d", "-G")),
    **dict.fromkeys(("head", "tail"), ("-c",)),
    "fd": ("-e", "-E", "-S", "-c", "-d", "-x", "--exclude", "--max-depth"),
    "tree": ("-L", "-I", "-P"),
}
"""By program, more options with a value. No command of ours has the like of them."""


def _apart(word: str) -> list[str]:
    """Returns the options that are written as one, `-rl`; else the word itself."""
    options_ = [f"-{letter}" for letter in word[1:]]
    is_several = _TOGETHER.fullmatch(word) and word not in OPTIONS and all(each in OPTIONS for each in options_)
    return options_ if is_several else [word]


_TOGETHER: Final = re.compile("-[A-Za-z]{2,4}")


def _mended(tool: Tool[Any, Any], given: Sequence[str]) -> list[str] | None:
    """Returns the words of a command with every guess replaced; None if it stays wrong."""
    words = [*given]
    for _ in range(_MOST):
        try:
            _read(tool, words)
        except UnknownOption as error:
            changed = _with_option(tool, words, error)
        except LeftOver as error:
            changed = _with_placed(tool, words, error.words)
        except BadArgument:
            return None
        else:
            return _with_one_glob(words)
        if changed is None:
            return None
        words = changed
    return None


def _with_one_glob(words: list[str]) -> list[str] | None:
    """Returns the words with a folder and a name as one glob, `Boat/**/*.md`; None if two globs cannot be one: the last
    would win."""
    places = [place for place, word in enumerate(words) if word.partition("=")[0] in ("--file-pattern", "--glob")]
    if len(places) < 2:
        return words
    given = [words[place + 1] for place in places if "=" not in words[place]]
    folder = next((glob for glob in given if glob.endswith("/**")), "")
    name = next((glob.removeprefix("**/") for glob in given if glob != folder), "")
    if len(given) != 2 or len(places) != 2 or not folder or not name or name[0] == "!" or "/" in name:
        return None
    kept = [word for place, word in enumerate(words) if place not in (places[0] + 1, places[1], places[1] + 1)]
    kept.insert(places[0] + 1, f"{folder}/{name}")
    return kept


def _read(tool: Tool[Any, Any], words: Sequence[str]) -> None:
    """Read a command as the program does, general options and all."""
    rest = [*words]
    if take_flag(rest, "--help"):
        return
    for flag in ("--json", "--no-index", *(("--csv",) if tool.csv is not None else ())):
        take_flag(rest, flag)
    for option in ("--vault", "--today"):
        take_value(rest, option)
    options.ensure_placed(tool, options.parse(tool, rest))


def _with_option(tool: Tool[Any, Any], words: Sequence[str], error: UnknownOption) -> list[str] | None:
    place = next(place for place, word in enumerate(words) if word.partition("=")[0] == error.given)
    option, sign, value = words[place].partition("=")
    before, after = [*words[:place]], [*words[place + 1 :]]
    if found := _ATTACHED.fullmatch(option):  # `-n5`
        option, sign, value = found[1], "=", found[2]
    following = value if sign else (after[0] if after and not after[0].startswith("-") else "")
    if option in _OF_VALUE:
        made = _OF_VALUE[option](following)
        return None if made is None else [*before, *made, *(after if sign else after[1:])]
    if (
        option in _WHOLE_WORD
        and (at := next((at for at, word in enumerate(words) if word[:1] != "-"), None)) is not None
    ):
        whole = [*words]
        whole[at] = rf"\b{words[at]}\b"
        return whole[:place] + whole[place + 1 :]
    if option[2:].replace("-", "_") in OF_CHOICES and (chosen := choice(tool.request, following)) is not None:
        return [*before, *options.words(dict([chosen]), tool.request), *(after if sign else after[1:])]
    is_choice = option[2:] in OF_CHOICES
    if is_choice and following and (meant := options.meant(following, tool.request)) is not None:
        return [*before, *meant, *(after if sign else after[1:])]
    if tool.name == "search" and option in _OF_PLACE and following and following[0] != "!":
        return _with_path([*before, *(after if sign else after[1:])], _OF_PLACE[option].format(following))
    names = {*options.names(tool), "--json", "--help"}
    for form in OPTIONS.get(option, ()):
        if not names.issuperset(word for word in form.split() if word.startswith("-")):
            continue
        if form == "{}" and tool.name in _SEARCHING and _free(_dashed(tool.name), [*before, *after[1:]]):
            return None  # a second pattern
        if form == _NEEDLESS_VALUE:
            return [*before, *(after if sign else after[1:])]
        if "{}" not in form:
            return [*before, *form.split(), *([value] if value else []), *after]
        if not following or following[0] == "!" or (form == "**/{}" and tool.name != "find"):
            continue
        made = [word.replace("{}", following.rstrip("/")) for word in form.split()]
        placed = [word for word in before if word != "."] if form == "**/{}" else before
        return [*placed, *made, *(after if sign else after[1:])]
    if len(error.near) == 1 and not is_choice:
        return [*before, f"{error.near[0]}{sign}{value}", *after]
    return None


_ATTACHED: Final = re.compile(r"(-[A-Za-z])=?(\d+)")


def _with_path(words: Sequence[str], glob: str) -> list[str] | None:
    """Returns the words of a search in the files of a glob, in its folder if it has one; None in other places."""
    free = _free("search", words)
    if len(free) == 1:
        return [*words, glob]
    folder = words[free[1]].rstrip("/") if len(free) == 2 else ""
    name = glob.removeprefix("**/")
    if not _PLAIN.fullmatch(folder) or "." in folder or "/" in name:
        return None
    return [*words[: free[1]], f"{folder}/**/{name}", *words[free[1] + 1 :]]


_OF_PLACE: Final = {
    **dict.fromkeys(("-g", "--glob", "--include"), "{}"),
    **dict.fromkeys(("-t", "--type", "--ext", "--extension"), "**/*.{}"),
}
"""Options for a path after the pattern."""
_WHOLE_WORD: Final = ("-w", "--word-regexp", "--whole-word", "--words")


def _with_placed(tool: Tool[Any, Any], words: Sequence[str], placed: Sequence[str]) -> list[str] | None:
    """Returns the words with options in place of those that belong to none."""
    properties = schema(tool.request)["properties"]
    made: list[str] = []
    texts: list[str] = []
    for word in placed:
        is_of_tasks = "due_before" in properties
        name, sign, value = word.partition(":")
        if is_of_tasks and name == "due" and sign and (due := _due_on(value)) is not None:
            made += due
        elif word in _PLACED and (is_of_tasks or not _PLACED[word]):
            made += _PLACED[word].split()
        elif (meant := options.meant(word, tool.request)) is not None:
            made += meant
        else:
            texts.append(word)
    if texts and not {"name", "text"} & properties.keys():
        return None
    if texts:
        made += ["--name" if "name" in properties else "--text", " ".join(texts)]
    rest = [*words]
    for word in placed:
        rest.remove(word)
    return [*(word for word in rest if word != "--"), *made]


_NEXT: Final = {
    "today": "tomorrow",
    "yesterday": "today",
    "tomorrow": "+2d",
    **{
        f"{one} {unit}": f"{other} {unit}"
        for one, other in (("this", "next"), ("last", "this"))
        for unit in ("week", "month", "year")
    },
}
"""The span after another one, in the words of dates."""


def _due_on(value: str) -> list[str] | None:
    """Returns the options for tasks that are due within a span of days, such as `today` or `2026-11`."""
    said = value.casefold()
    if said in _NEXT:
        return ["--due-after", said, "--due-before", _NEXT[said]]
    if said.startswith("before:"):
        return ["--due-before", said.removeprefix("before:")]
    parts = said.split("-")
    try:
        first = date(*map(int, [*parts, "1", "1"][:3]))
        after = moved(first, 1, "ymd"[len(parts) - 1])
    except (ValueError, IndexError, OverflowError, TypeError):
        return None
    return ["--due-after", said, "--due-before", after.isoformat()]


def _in_form(value: str) -> list[str] | None:
    """Returns the options for a format of output."""
    if not value:
        return None
    return ["--json"] if value.casefold() in ("json", "jsonl", "ndjson", "csv", "tsv") else []


_OF_VALUE: Final[Mapping[str, Callable[[str], list[str] | None]]] = {
    **dict.fromkeys(("--due", "--due-on", "--on"), _due_on),
    **dict.fromkeys(("--format", "--output", "--out", "-o", "-f", "--output-format"), _in_form),
}
"""Options whose meaning depends on the value."""
