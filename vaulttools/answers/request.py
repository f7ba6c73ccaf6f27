"""Turns arguments into a request, or refuses them in one sentence.

Accepted beyond the schema, because models really send it: a single string for a list, a JSON array or object in a
string, a number or boolean as a string, `2.0` for 2, `null` for an optional argument.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar

from vaulttools.core.voice import CALLS, Voice
from vaulttools.errors import BadArgument
from vaulttools.models import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    WithJsonSchema,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

R = TypeVar("R", bound="Request")

PATHS: Final = frozenset(
    ("path", "paths", "file", "folder", "glob", "file_pattern", "note", "notes", "base", "this_note", "like")
)
"""Arguments that take paths, the same in every tool; they also accept path objects."""

_SHOWN = 60
"""Characters of a refused value that the sentence repeats."""

_MOST_LEVELS: Final = 64
"""Levels of lists and objects in one another: a tree of filters may have 30. Deeper ones would exhaust Python's stack
in whatever reads them."""
_TOO_DEEP: Final = f"must not be nested deeper than {_MOST_LEVELS} levels"


class TooDeep(BadArgument, ValueError):
    """JSON in a text that is nested too deeply; a check of a field may raise it."""

    def __init__(self) -> None:
        super().__init__(f"a value {_TOO_DEEP}")


class Request(BaseModel):
    """The arguments of one tool. A field without a default is required, and positional on the command line."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    positional: ClassVar[tuple[str, ...]] = ()
    """Optional fields that are positional on the command line, after the required ones; `--NAME` works as well."""
    short: ClassVar[dict[str, str]] = {}
    """Fields with a short option: `{"i": "-i"}`."""
    options: ClassVar[dict[str, str]] = {}
    """Required fields that are options on the command line, with their name there: `{"terms": "term"}`."""
    flags: ClassVar[tuple[str, ...]] = ()
    """Fields whose values, except the default, are flags on the command line: `mode` is `--word`, `--regex`."""
    joins: ClassVar[bool] = False
    """Whether all positional words on the command line form one text: a question needs no quotes."""
    untold: ClassVar[tuple[str, ...]] = ()
    """Fields that definitions for models leave out, because models do not send them: each costs every conversation some
    20 tokens. Calls may give them all the same; no next step names one."""
    refused: ClassVar[tuple[str, ...]] = ()
    """Options of related commands that users expect here, but that this command lacks; it refuses them by name."""

    @classmethod
    def sentence(cls, name: str, details: ErrorDetails) -> str | None:
        """Returns the tool's own words for a wrong argument, if its document has some; None for the usual words."""
        return None


def json_of(value: object) -> object:
    """Parses a text that begins like a JSON list or object; returns any other value unchanged.

    Raises:
        TooDeep: it is nested too deeply.
    """
    return _json_of(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value


def _json_of(text: str) -> object:
    """Parses JSON; returns any other text unchanged."""
    try:
        return from_json(text)
    except TooDeep:
        raise
    except ValueError:
        return text


def from_json(text: str, above: int = 0) -> object:
    """Returns the value of a text of JSON; `above` is how many levels it may have beyond those of one argument.

    Raises:
        TooDeep: it is nested too deeply, or begins so without being JSON.
        ValueError: it is not JSON.
    """
    # Counted here, because each version of Python has another bound of its own, or none.
    if text.count("[") + text.count("{") > _MOST_LEVELS + above:
        level = 0
        for sign in _JSON_SIGN.findall(text):
            level += (sign in ("[", "{")) - (sign in ("]", "}"))
            if level > _MOST_LEVELS + above:
                raise TooDeep
    read: object = json.loads(text)
    return read


_JSON_SIGN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
"""A string of JSON, which may be cut off, or a bracket outside one."""


def _is_deep(value: object) -> bool:
    """Whether lists and objects are nested deeper than `_MOST_LEVELS`."""
    level = [value] if isinstance(value, _NESTING) else []
    for _ in range(_MOST_LEVELS):
        if not level:
            return False
        held = (each for above in level for each in (above.values() if isinstance(above, Mapping) else above))
        level = list({id(each): each for each in held if isinstance(each, _NESTING)}.values())
    return bool(level)


_NESTING: Final = (list, tuple, Mapping)


def _list_of(value: object) -> object:
    parsed = json_of(value)
    return [value] if isinstance(value, str) and not isinstance(parsed, list) else parsed


def _map_of(value: object) -> object:
    return _json_of(value) if isinstance(value, str) else value


def _text_of(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value


def _path_text(value: object) -> object:
    """Replaces path objects by their text, in lists too."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(map(_path_text, value)) if isinstance(value, list | tuple) else value


def number_of(value: object) -> float | None:
    """Returns a number given as number or text; None if it is no number: pydantic then refuses it."""
    try:
        return float(str(value))
    except ValueError:
        return None


Texts = Annotated[list[str], BeforeValidator(_list_of)]
"""A list of strings; one string is a list of one."""

_SEVERAL: Final = re.compile(r"[\s,]")
"""A tag never holds these; several tags written as one text do (rule-T01)."""


def _named_tags(tags: list[str]) -> list[str]:
    for tag in tags:
        if not tag.strip().strip("#"):
            raise ValueError(f"tags must be names of tags, such as work or #project/alpha, got {json.dumps(tag)}")
        if _SEVERAL.search(tag.strip()):
            raise ValueError(f'tags must be a list of tags, ["work", "project/alpha"], got {json.dumps(tag)} as one')
    return tags


Tags = Annotated[Texts, AfterValidator(_named_tags)]
"""Names of tags, with or without `#`."""

MOST_WORDINGS: Final = 8
"""Other wordings of one question: three bring nearly all that eight do."""
WORDING_CHARACTERS: Final = 500
"""Characters of one of them: a wording is a question or some words, not a note."""


def _checked_wordings(given: list[str]) -> list[str]:
    if len(given) > MOST_WORDINGS or any(len(each) > WORDING_CHARACTERS for each in given):
        raise ValueError(f"also must be at most {MOST_WORDINGS} texts of at most {WORDING_CHARACTERS} characters each")
    return given


Wordings = Annotated[Texts, AfterValidator(_checked_wordings)]
"""Other wordings of a question."""

Scalar = Annotated[
    str | None,
    BeforeValidator(_text_of),
    WithJsonSchema({"type": "string"}),  # Gemini refuses a list of types, and with it all tools
]
"""A text, written as JSON when it is a number or a boolean; or null."""

Values = Annotated[dict[str, Scalar], BeforeValidator(_map_of)]
"""Maps names to a text, or null."""


def parse(request: type[R], arguments: Mapping[str, object], voice: Voice = CALLS) -> R:
    """Makes a request of the arguments; `voice` decides how a refusal names them.

    Raises:
        BadArgument: one sentence that names every wrong argument and what is accepted.
    """
    if not isinstance(arguments, Mapping):
        raise BadArgument("the arguments must be a JSON object")
    if deep := [name for name, value in arguments.items() if _is_deep(value)]:
        raise BadArgument("; ".join(f"{voice.name(name)} {_TOO_DEEP}" for name in deep))
    fields = request.model_fields
    given = {
        name: _path_text(value) if name in PATHS else value
        for name, value in arguments.items()
        if not (value is None and name in fields and not fields[name].is_required())
    }
    try:
        return request.model_validate(given)
    except ValidationError as error:
        wrong = {
            str(details["loc"][0]) if details["loc"] else "": details for details in error.errors(include_url=False)
        }
        sentences = {name: _sentence(request, name, details, given.keys(), voice) for name, details in wrong.items()}
        if unknown := [name for name, details in wrong.items() if details["type"] == _UNKNOWN]:
            sentences[unknown[-1]] += f"; accepted are: {', '.join(fields)}"  # once, however many are unknown
        raise BadArgument("; ".join(sentences.values())) from None


_UNKNOWN: Final = "extra_forbidden"
"""Pydantic's word for the fault of an argument that the request does not have."""


def schema(request: type[Request]) -> dict[str, Any]:
    """Returns the JSON Schema of the arguments: plain types, no titles, no references, no null alternatives."""
    return _plain(request.model_json_schema())


@cache  # each costs a millisecond, and a method's documentation asks for every argument
def _properties(request: type[Request]) -> Mapping[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = schema(request)["properties"]
    return properties


def accepted(request: type[Request], name: str) -> str:
    """Says what an argument accepts: `a whole number from 0 to 20`."""
    return _words(_properties(request)[name])


def explained(request: type[Request], name: str) -> str:
    """Says what an argument is, what it accepts, and its default."""
    property_ = _properties(request)[name]
    parts = [_words(property_)] if "enum" in property_ or "minimum" in property_ else []
    default = property_.get("default")
    if default is not None:
        parts.append(f"default {str(default).lower() if isinstance(default, bool) else default}")
    return " ".join([property_["description"], *([f"({'; '.join(parts)})"] if parts else [])])


def _sentence(request: type[Request], name: str, details: ErrorDetails, given: AbstractSet[str], voice: Voice) -> str:
    if (own := request.sentence(name, details)) is not None:
        return own
    if details["type"] == _UNKNOWN:
        fields = [field for field in request.model_fields if field not in given]
        instead = _instead(request, name, details["input"], fields) or _chosen(request, name, details["input"], fields)
        return f"unknown argument '{name}'{instead}"
    if details["type"] == "missing":
        return f"{voice.name(name)} is required: {accepted(request, name)}"
    if details["type"] == "value_error":
        sentence = str(details["ctx"]["error"])
        if isinstance(details["ctx"]["error"], TooDeep):
            return f"{voice.name(name)} {_TOO_DEEP}"
        return f"{voice.name(name)}{sentence.removeprefix(name)}" if sentence.startswith(f"{name} ") else sentence
    if name not in request.model_fields:
        return "the arguments must be a JSON object"
    got = json.dumps(details["input"], ensure_ascii=False, default=str)
    return (
        f"{voice.name(name)} must be {accepted(request, name)}, got {got if len(got) <= _SHOWN else got[:_SHOWN] + '…'}"
    )


_ALIKE: Final[Mapping[str, Sequence[str]]] = {
    "folder": ("file_pattern", "glob", "paths", "path"),
    "glob": ("file_pattern", "paths"),
    "include": ("glob", "file_pattern", "paths"),
    "file_pattern": ("glob", "paths"),
    "paths": ("path", "glob", "file_pattern", "notes"),
    "path": ("paths", "note", "notes", "file", "glob", "file_pattern"),
    "note": ("file", "path", "paths", "glob", "file_pattern"),
    "name": ("paths",),
    "file": ("note", "notes"),
    "limit": ("max_results",),
    "max_results": ("limit",),
    "pattern": ("query", "question", "terms", "paths"),
    "term": ("terms",),
    "tag": ("tags", "name"),
    "prefix": ("name",),
    "property": ("name",),
    "state": ("status",),
    "sort_by": ("sort",),
    "order_by": ("sort",),
    "query": ("pattern", "question"),
    "question": ("query", "pattern"),
    "q": ("query", "pattern", "text"),
    "text": ("query", "pattern"),
    "filter": ("where",),
    "key": ("name",),
    "files": ("notes", "paths"),
    "top_k": ("limit", "max_results"),
    "count": ("limit", "max_results"),
}
"""By the name of an argument of another tool or program, our arguments with the same purpose, the nearest first."""


def _instead(request: type[Request], name: str, value: object, fields: Sequence[str]) -> str:
    """Suggests the field, and its value, for what an unknown argument meant; `""` if there is no such field."""
    if name == "count" and value is True and "output" in fields and choice(request, "counts") is not None:
        return '; give output="counts" instead'
    value = _texts(value)
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if name in ("path", "paths") and isinstance(value, str) and "folder" in fields and not _LIKE_A_FILE.search(value):
        alike: Sequence[str] = ("paths", "path", "note", "file", "folder")
    else:
        alike = _ALIKE.get(name, ())
    properties = _properties(request)
    field = next((each for each in alike if each in fields and _fits(value, properties[each])), None)
    if field is None:
        return ""
    if isinstance(value, int) and properties[field].get("type") == "string":
        value = str(value)
    if field in ("file_pattern", "glob") and isinstance(value, str):
        if name == "folder":
            value = f"{value.rstrip('/')}/**".lstrip("/")
        elif name == "note" and (value := _note_file(value)) is None:
            return ""
    if name == "name" and field == "paths":
        value = [f"**/*{str(each).strip('*')}*" for each in (value if isinstance(value, list) else [value])]
    if properties[field].get("type") == "array" and not isinstance(value, list):
        value = [value]
    shown = json.dumps(value, ensure_ascii=False, default=str)
    is_said = len(shown) <= _SHOWN and _is_accepted(request, field, value)
    return f"; give {field}={shown} instead" if is_said else f"; give {field} instead"


_LIKE_A_FILE: Final = re.compile(r"[*?\[{]|\.[A-Za-z]\w*$")
"""A glob, or a name with an extension: `v1.2` has none."""


def _texts(value: object) -> object:
    """Returns the list of texts that a text holds as JSON; any other value unchanged."""
    try:
        held = json_of(value)
    except TooDeep:
        return value
    return held if isinstance(held, list) and all(isinstance(each, str) for each in held) else value


def _note_file(name: str) -> str | None:
    """Returns the file of a note's name or link; None if it is a part of a note, or no glob can say it."""
    name = name.strip()
    if name.startswith("[[") and name.endswith("]]"):
        name = name[2:-2].partition("|")[0].strip()
    if not name or re.search(r"[#^*?\[\]{}|\\]", name):
        return None
    return name if _LIKE_A_FILE.search(name) else f"{name}.md"


def _fits(value: object, property_: Mapping[str, Any]) -> bool:
    """Whether a value is of the kind that a field takes, or of one that is read as such."""
    kind = property_.get("type")
    if kind in ("integer", "number"):
        return number_of(value) is not None
    if isinstance(value, list):
        return kind == "array" and bool(value)
    return value is not None and not isinstance(value, bool)


def _is_accepted(request: type[Request], field: str, value: object) -> bool:
    try:
        request.model_validate({field: value})
    except ValidationError as error:
        return all(details["loc"][:1] != (field,) for details in error.errors(include_url=False))
    return True


def _chosen(request: type[Request], name: str, value: object, fields: Sequence[str]) -> str:
    """Suggests fields that begin with the name of an unknown argument, or a choice that the name or the value means;
    `""` if there is no such field."""
    if begun := [field for field in fields if field.startswith(f"{name}_")]:
        return f"; give {' or '.join(begun)} instead"
    is_thing = name in _ALIKE and name not in OF_CHOICES  # `path` is no order, though one is called so
    found = None if is_thing or value is False else choice(request, name)
    if found is None and name in OF_CHOICES and isinstance(value, str):
        found = choice(request, value)
    return "" if found is None or found[0] not in fields else f"; give {found[0]}={json.dumps(found[1])} instead"


OF_CHOICES: Final = ("type", "kind", "link_type", "relation", "mode", "filter")
"""Arguments of other programs whose value is one of a few words."""

_SAID: Final = {
    "incoming": "back",
    "inbound": "back",
    "forward": "out",
    "broken": "unresolved",
    "unlinked": "mentions",
}
"""Words for choices that do not begin with them."""


def choice(request: type[Request], word: str) -> tuple[str, str] | None:
    """Returns a field and its choice that a word means: `direction` and `back` for `backlinks`; None if there is
    none."""
    if " " in word:
        return None
    said = _SAID.get(word.casefold(), word.casefold())
    for field, property_ in _properties(request).items():
        for each in property_.get("enum", ()):
            if len(each) >= _LEAST and said.startswith(each.casefold()):
                return field, each
    return None


_LEAST: Final = 3
"""A choice needs so many letters: a shorter one may begin a name by chance."""


def _words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    kind = schema.get("type")
    if kind in ("integer", "number"):
        what = "a whole number" if kind == "integer" else "a number"
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and high is not None:
            return f"{what} from {low:,} to {high:,}"
        return what if low is None else f"{what}, {low:,} or more"
    if kind == "array":
        return "a list of texts"
    if kind == "object":
        return "an object of names and values"
    return {"boolean": "true or false", "string": "a text"}.get(str(kind), "another value")


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a pydantic schema without the parts that confuse models and APIs."""
    definitions = schema.get("$defs", {})

    def plain(node: Any) -> Any:
        if isinstance(node, list):
            return [plain(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(definitions[node["$ref"].rpartition("/")[2]] | {k: v for k, v in node.items() if k != "$ref"})
        if "anyOf" in node:
            choices = [choice for choice in node["anyOf"] if choice.get("type") != "null"]
            if len(choices) == 1:
                node = {**{k: v for k, v in node.items() if k != "anyOf"}, **choices[0]}
        if "type" in node and "default" in node and node["default"] is None:
            node = {key: value for key, value in node.items() if key != "default"}
        return {
            key: {name: plain(value) for name, value in item.items()} if key == "properties" else plain(item)
            for key, item in node.items()
            if key not in ("title", "$defs")
        }

    result: dict[str, Any] = plain(schema)
    result.pop("description", None)
    return result
