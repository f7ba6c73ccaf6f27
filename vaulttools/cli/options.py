"""Derives command-line options and their help from a tool's request model."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from vaulttools.answers.request import Request, accepted, explained, json_of, schema
from vaulttools.answers.tool import Tool
from vaulttools.cli.command_line import quoted
from vaulttools.cli.mistakes import LeftOver, Mistake, UnknownOption, unknown_option
from vaulttools.core.voice import Voice
from vaulttools.errors import BadArgument

_WIDTH = 80


class Parser(argparse.ArgumentParser):
    """Refuses in one sentence, and accepts no abbreviations."""

    def __init__(self, command: str, default: str | None = None) -> None:
        """`default` is the value of options that are not given."""
        super().__init__(
            prog=command,
            add_help=False,
            allow_abbrev=False,
            argument_default=default,
            # It formats nothing. Without a width it would import the modules that read archives to find one: 2 ms.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=_WIDTH),
        )

    def names(self) -> list[str]:
        """Returns the names of its options."""
        return [*self._option_string_actions]

    def error(self, message: str) -> NoReturn:
        """Raise the message as `BadArgument`."""
        unrecognized = message.removeprefix("unrecognized arguments: ")
        if unrecognized != message:
            given = unrecognized.split()[0].partition("=")[0]
            if not given.startswith("-"):
                raise Mistake(f"unexpected argument '{given}'", f"All options: vaulttools {self.prog} --help")
            raise unknown_option(given, self.names(), f"vaulttools {self.prog} --help")
        # `argument --limit: expected one argument` or `argument -i/--ignore: ignored explicit argument 'true'`
        option, _, fault = message.removeprefix("argument ").partition(": ")
        says = "needs a value" if fault.startswith("expected") else "takes no value"
        raise BadArgument(f"{option.rpartition('/')[2]} {says}" if fault else message)


@dataclass(frozen=True, slots=True)
class Option:
    """One argument on the command line."""

    field: str
    spelling: str
    """`PATTERN`, `[PATHS …]`, `--max-results`, `-i`, `--fixed/--no-fixed`, `--identifier | --word`."""
    words: str
    """Its description, accepted values and default."""
    in_usage: bool
    """Whether the usage line includes it: it is positional or required."""


def parse(tool: Tool[Any, Any], argv: Sequence[str]) -> dict[str, object]:
    """Returns the arguments of a tool by field, as texts that the request must still check.

    Raises:
        BadArgument: an option is unknown or lacks its value, or a word is left over.
    """
    words, command = list(argv), f"vaulttools {tool.name.replace('_', '-')}"
    end = words.index("--") if "--" in words else len(words)
    parser = _parser(tool)
    properties = schema(tool.request)["properties"]
    for word in words[:end]:
        option = word.partition("=")[0]
        if option.removeprefix("--") in tool.request.refused and option.startswith("--"):
            raise BadArgument(f"{option} is not accepted by {tool.name.replace('_', '-')}")
    given = words[:end]
    if "pattern" in tool.request.model_fields:
        given = ["-i" if _HABIT.fullmatch(word) else word for word in given if not _NEEDLESS.fullmatch(word)]
    known, left = parser.parse_known_args(given)
    strange = next((word.partition("=")[0] for word in left if _reads_as_option(word)), None)
    if strange is not None and tool.request.joins and not strange.startswith("--"):
        question = " ".join(map(quoted, left))
        raise UnknownOption(
            strange,
            (),
            f"All options: {command} --help --all. "
            f"Write '--' before a word that begins with '-': {command} -- {question}",
        )
    if strange is not None:
        raise unknown_option(strange, parser.names(), f"{command} --help --all")
    placed = [*left, *words[end + 1 :]]
    if placed and not _positional(tool.request):
        options_alone = ", ".join(f"--{_option(tool.request, field)}" for field in properties)
        sentence = f"unexpected argument '{placed[0]}'; {tool.name} takes only options: {options_alone}"
        raise LeftOver(sentence, placed)
    open_fields = [field for field in _positional(tool.request) if field not in known]
    if tool.request.joins and placed:
        placed = [" ".join(placed)]
    arguments = vars(known) | _placed(placed, open_fields, properties, command)
    if arguments.pop(_IGNORES_CASE, False):
        arguments |= _without_case(arguments, properties)
    for field, property_ in properties.items():
        if property_.get("type") == "object" and field in arguments:
            arguments[field] = _pairs(field, arguments[field])
        if _is_of_names(field, property_) and field in arguments:
            arguments[field] = [name for text in arguments[field] for name in _names(text)]
        if field in tool.request.flags and field in arguments:
            arguments[field] = _only_flag(arguments[field], property_)
        if field in tool.request.options and field not in arguments:
            is_list = property_.get("type") == "array"
            what = "a text; repeat it for more" if is_list else accepted(tool.request, field)
            raise Mistake(f"--{_option(tool.request, field)} is required: {what}", example(tool))
    return arguments


def _parser(tool: Tool[Any, Any]) -> Parser:
    parser = Parser(tool.name, argparse.SUPPRESS)
    for field, property_ in schema(tool.request)["properties"].items():
        kind = property_.get("type")
        if field in required(tool.request):
            continue
        if field in tool.request.flags:
            for value in _flag_values(property_):
                parser.add_argument(f"--{_dashed(value)}", dest=field, action="append_const", const=value)
            continue
        names = [name for name in (tool.request.short.get(field), f"--{_option(tool.request, field)}") if name]
        if kind == "boolean":
            # Two options each: `BooleanOptionalAction` takes the name `--no-due` for a denial of `--due`.
            parser.add_argument(*names, dest=field, action="store_true")
            parser.add_argument(f"--no-{_dashed(field)}", dest=field, action="store_false")
        else:
            parser.add_argument(*names, dest=field, action="append" if kind in ("array", "object") else "store")
    if ignores_case(tool.request):
        parser.add_argument("-i", "--ignore-case", dest=_IGNORES_CASE, action="store_true")
    return parser


def names(tool: Tool[Any, Any]) -> list[str]:
    """Returns the options of a tool's command, as they are written."""
    return _parser(tool).names()


_NEEDLESS: Final = re.compile("-[nrR]+")
"""Options of grep without effect here: lines are always numbered, and folders always searched."""
_HABIT: Final = re.compile("-[inrR]+")
"""The same combined with `-i`, as many people type them."""


def meant(word: str, request: type[Request]) -> list[str] | None:
    """Returns the option that a word may mean, by its name or a value of it; None if there is none."""
    for field, property_ in schema(request)["properties"].items():
        if _dashed(field) == word and property_.get("type") == "boolean":
            return [f"--{word}"]
        if word in property_.get("enum", ()) or f"`{word}`" in property_.get("description", ""):
            return [f"--{_option(request, field)}", word]
    return None


POSITIONAL: Final = frozenset(("base", "file", "note", "notes", "path", "paths", "pattern", "query", "question"))
"""Fields that are positional in every tool that has them, so that writing a command needs no import of its tool."""


def words(arguments: Mapping[str, Any], request: type[Request] = Request) -> list[str]:
    """Returns the words that `parse` reads as these arguments; `request` is needed for a tool whose options are named
    differently from its fields."""
    placed: list[str] = []
    given: list[str] = []
    for field, value in arguments.items():
        option = request.short.get(field) or f"--{_option(request, field)}"
        if field in POSITIONAL:
            placed += value if isinstance(value, list) else [str(value)]
        elif field in request.flags:
            given.append(f"--{_dashed(value)}")
        elif isinstance(value, bool):
            given.append(option if value else f"--no-{_dashed(field)}")
        elif field in _OF_NAMES and isinstance(value, list):
            is_plain = all(_names(each) == [each] for each in value)
            given += _option_words(option, ",".join(value) if is_plain else json.dumps(value, ensure_ascii=False))
        elif field not in _OF_PAIRS and isinstance(value, dict):
            given += _option_words(option, json.dumps(value, ensure_ascii=False))
        else:
            given += _option_words(option, value)
    is_option = any(map(_reads_as_option, placed))
    return [*given, "--", *placed] if is_option else [*placed, *given]


def _option_words(option: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        texts = [f"{name}={'null' if each is None else _text(each)}" for name, each in value.items()]
    else:
        texts = list(map(_text, value)) if isinstance(value, list) else [_text(value)]
    return [word for text in texts for word in ([f"{option}={text}"] if text.startswith("-") else [option, text])]


def _text(value: object) -> str:
    """Returns a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def ensure_placed(tool: Tool[Any, Any], arguments: Mapping[str, object]) -> None:
    """Refuse a command that lacks a positional word, with a correct example.

    Raises:
        Mistake: a word is missing.
    """
    missing = next((field for field in required(tool.request) if field not in arguments), None)
    if missing is not None:
        raise Mistake(f"{missing.upper()} is required: {accepted(tool.request, missing)}", example(tool))


def example(tool: Tool[Any, Any]) -> str:
    """Returns a hint with a command of the tool."""
    return f"For example: {' '.join(examples(tool)[0])}"


def examples(tool: Tool[Any, Any]) -> list[list[str]]:
    """Returns the commands for the example calls in the tool's description, each as a list of words."""
    _, _, text = tool.description.partition("Examples: ")
    decoder, found = json.JSONDecoder(), []
    while text.startswith("{"):
        arguments, end = decoder.raw_decode(text)
        given = words(arguments, tool.request)
        found.append(["vaulttools", tool.name.replace("_", "-"), *map(quoted, given)])
        text = text[end:].removeprefix("; ")
    return found


def name(request: type[Request], field: str) -> str:
    """Returns the name of a field on the command line: `--max-results`, `PATTERN`, `-i`."""
    if field in required(request):
        return field.upper()
    return request.short.get(field) or f"--{_option(request, field)}"


def options(request: type[Request]) -> list[Option]:
    """Returns the arguments of a request in the order of its fields, as help and documentation show them."""
    shown = []
    plain = schema(request)
    for field, property_ in plain["properties"].items():
        kind = property_.get("type")
        name = f"--{_option(request, field)}"
        is_positional = field in _positional(request)
        if is_positional:
            upper = field.upper()
            name = upper if field in plain.get("required", ()) else f"[{upper}{' …' if kind == 'array' else ''}]"
        elif field in request.flags:
            name = " | ".join(f"--{_dashed(value)}" for value in _flag_values(property_))
        elif kind == "boolean":
            name = request.short.get(field) or f"{name}/--no-{_dashed(field)}"
        elif kind == "object":
            name = f"{name} NAME=VALUE"
        elif _is_of_names(field, property_):
            name = f"{name} A,B"
        else:
            name = f"{name} {'N' if kind in ('integer', 'number') else 'TEXT'}"
        shown.append(Option(field, name, explained(request, field), is_positional or field in request.options))
    return shown


def _positional(request: type[Request]) -> tuple[str, ...]:
    return (*required(request), *request.positional)


def required(request: type[Request]) -> tuple[str, ...]:
    """Returns the fields that are only positional, not also options."""
    needed = [name for name, field in request.model_fields.items() if field.is_required()]
    return tuple(name for name in needed if name not in request.options)


def _placed(words: list[str], fields: Sequence[str], properties: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Assign positional words to fields: one each, but a last field that is a list takes all remaining words."""
    placed: dict[str, Any] = {}
    together = quoted(" ".join(words))
    for field in fields:
        if words and properties[field].get("type") == "array":
            placed[field], words = words, []
        elif words:
            placed[field], *words = words
    if words:
        is_one = len(fields) == 1
        hint = f"Several words are one {fields[0]} in quotes: {command} {together}" if is_one else ""
        raise Mistake(f"unexpected argument '{words[0]}'", hint)
    return placed


_IGNORES_CASE: Final = "-i"
"""The temporary key of `-i`, whose meaning depends on the tool."""

_OF_NAMES: Final = frozenset(("columns", "sort", "tags"))
"""Lists of names, separated by commas: `--tags a,b`. A name with a comma needs JSON: `'["a, b"]'`."""


_OF_PAIRS: Final = frozenset(("properties", "summaries"))
"""Objects that are written as pairs, `--properties status=open`; others are JSON."""


_COMMA: Final = re.compile(r""",(?=(?:[^"'()]|"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\))*$)""")
"""A comma outside quotes and brackets: a column may be an expression, `round(price, 2)`."""


def _is_of_names(field: str, property_: Mapping[str, Any]) -> bool:
    return field in _OF_NAMES and property_.get("type") == "array"


def _names(text: str) -> list[str]:
    given = json_of(text)
    return list(map(str, given)) if isinstance(given, list) else [name.strip() for name in _COMMA.split(text)]


def ignores_case(request: type[Request]) -> bool:
    """Whether the command has `-i` although the tool has no such argument: the tool is sensitive to case."""
    fields = request.model_fields
    return "pattern" in fields and "i" not in fields


def _without_case(arguments: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    if "case_sensitive" in properties:
        return {"case_sensitive": False}
    return {"pattern": f"(?i){arguments['pattern']}"} if arguments.get("pattern") else {}


def _option(request: type[Request], field: str) -> str:
    """Returns the name of a field as an option, without its leading dashes."""
    return request.options.get(field) or _dashed(field)


def _flag_values(property_: Mapping[str, Any]) -> list[str]:
    return [value for value in property_["enum"] if value != property_["default"]]


def _only_flag(given: Sequence[str], property_: Mapping[str, Any]) -> str:
    """Returns the one value that the flags of a field name."""
    values = [value for value in _flag_values(property_) if value in given]
    if len(values) > 1:
        *others, last = (f"--{_dashed(value)}" for value in values)
        raise BadArgument(f"{', '.join(others)} and {last} cannot be used together")
    return values[0]


def _reads_as_option(word: str) -> bool:
    """Whether argparse takes a word for an option: `- [ ] task`, which has blanks, is a pattern."""
    return len(word) > 1 and word.startswith("-") and " " not in word


def _dashed(field: str) -> str:
    return field.replace("_", "-")


def _pairs(field: str, given: object) -> dict[str, str | None]:
    assert isinstance(given, list)
    pairs: dict[str, str | None] = {}
    for pair in given:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise BadArgument(f"--{_dashed(field)} takes name=value, got '{pair}'")
        pairs[name] = None if value == "null" else value
    return pairs


class Commands(Voice):
    """Words messages for users of the command line."""

    def __init__(self, request: type[Request], vaults: Sequence[str]) -> None:
        """`request` belongs to the tool that answers; `vaults` are the values of `--vault`."""
        self._request = request
        self._program = ["vaulttools", *(word for vault in vaults for word in ("--vault", vault))]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Returns a complete command."""
        return " ".join(map(quoted, [*self._program, tool.replace("_", "-"), *words(arguments)]))

    def name(self, argument: str) -> str:
        """Returns the name of an option, or of a positional argument."""
        return name(self._request, argument)

    def given(self, argument: str, value: object) -> str:
        """Returns an option with its value."""
        return " ".join(map(quoted, words({argument: value})))

    def set(self, argument: str, value: str | int) -> str:
        """Returns the beginning of a sentence that advises an option."""
        return f"Use {name(self._request, argument)} {value}"

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        """Returns a command that continues the call, for a line of its own: without a full stop."""
        return f"Continue with: {self.call(tool, {**same, **changed})}"

    def embedding(self) -> str:
        """Returns the command that embeds passages: other commands end before they embed anything."""
        return " ".join(map(quoted, [*self._program, "index", "build", "--meaning"]))
