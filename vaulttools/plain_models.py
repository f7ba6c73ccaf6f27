"""Replaces pydantic in a process that runs a single command.

Importing pydantic and building its classes takes 130 ms of CPU: a third of a command (measured). A class that is
declared with these names holds its arguments. It checks only plain arguments: a text, a flag, a number in its bounds.
For all others it raises `Unfit`, and the command runs again with pydantic, so that every refusal has one wording.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from operator import ge, gt, le
from types import NoneType
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

M = TypeVar("M", bound="BaseModel")

_REQUIRED: Final = object()

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
"""A whole number as text that every reader understands in the same way."""

_BOUNDS: Final = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum"}
"""The bounds of field declarations, with their names in a schema."""

_HOLDS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {"minimum": ge, "exclusiveMinimum": gt, "maximum": le}

_KINDS: Final[Mapping[object, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


class Unfit(Exception):
    """Only pydantic can handle this value."""


class _Process:
    """State of all models of this process."""

    are_wanted = False


def use(*, are_wanted: bool) -> None:
    """Selects these stand-ins, or pydantic, for the models that are declared from now on."""
    _Process.are_wanted = are_wanted


def are_wanted() -> bool:
    """Whether models use the stand-ins."""
    return _Process.are_wanted


class FieldInfo:
    """The declaration of one field; parameter names are pydantic's."""

    def __init__(self, default: Any = _REQUIRED, **given: Any) -> None:
        self.hint = ""
        """The type as source text."""
        self.default = default
        self.factory: Callable[[], Any] | None = given.get("default_factory")
        self.is_left_out = given.get("exclude", False)
        self.exclude_if: Callable[[Any], bool] | None = given.get("exclude_if")
        self.alias: str | None = given.get("serialization_alias")
        self.description: str | None = given.get("description")
        self.bounds: dict[str, Any] = {name: given[bound] for bound, name in _BOUNDS.items() if bound in given}
        self.said: dict[str, Any] = given.get("json_schema_extra", {})

    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is _REQUIRED and self.factory is None

    def bounds_hold(self, value: Any) -> bool:
        """Whether a value is within the bounds."""
        return value is None or all(_HOLDS[name](value, bound) for name, bound in self.bounds.items())


Field: Final = FieldInfo
ConfigDict: Final = dict


class ValidationError(Exception):
    """Never raised: see `Unfit`."""


class BeforeValidator:
    """Changes an argument before its type is checked."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


class AfterValidator(BeforeValidator):
    """Checks an argument that has the right type."""


class WithJsonSchema:
    """Holds what the schema says about a type."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said


class SkipValidation:
    """The argument is not checked."""


class ValidationInfo:
    """What a check learns about the field."""

    def __init__(self, field_name: str) -> None:
        self.field_name = field_name


class BaseModel:
    """Holds fields."""

    model_config: ClassVar[Any] = {}
    model_fields: ClassVar[dict[str, FieldInfo]] = {}

    def __init_subclass__(cls) -> None:
        fields = dict(cls.model_fields)
        for name, hint in cls.__annotations__.items():
            if hint.startswith("ClassVar"):
                continue
            default = vars(cls).get(name, _REQUIRED)
            fields[name] = default if isinstance(default, FieldInfo) else FieldInfo(default)
            fields[name].hint = hint
            if default is not _REQUIRED:
                delattr(cls, name)
        cls.model_fields = fields

    def __init__(self, **given: Any) -> None:
        for name, field in self.model_fields.items():
            if name in given:
                value = given[name]
            elif field.factory is not None:
                value = field.factory()
            elif field.default is _REQUIRED:
                raise Unfit(name)
            else:
                value = field.default
            vars(self)[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def model_copy(self: M, *, update: Mapping[str, Any]) -> M:
        """Returns a copy with other values of some fields."""
        copy = object.__new__(type(self))
        vars(copy).update({**vars(self), **update})
        return copy

    def model_dump(
        self, *, mode: Literal["python", "json"] = "python", exclude_defaults: bool = False
    ) -> dict[str, Any]:
        """Returns the fields, JSON-ready.

        Raises:
            Unfit: a field is not.
        """
        dumped: dict[str, Any] = {}
        for name, field in self.model_fields.items():
            value = vars(self)[name]
            if field.is_left_out or (field.exclude_if is not None and field.exclude_if(value)):
                continue
            if exclude_defaults and value == field.default:
                continue
            if type(value) is int and "float" in field.hint:
                value = float(value)
            dumped[field.alias or name] = _dumped(value)
        return dumped

    @classmethod
    def model_validate(cls: type[M], given: Mapping[str, Any]) -> M:
        """Returns a request with these arguments.

        Raises:
            Unfit: they are refused, or not plain.
        """
        fields, hints = cls.model_fields, get_type_hints(cls, include_extras=True)
        if not given.keys() <= fields.keys():
            raise Unfit("unknown")
        try:
            taken = {name: _taken(hints[name], value, name) for name, value in given.items()}
        except (ValueError, TypeError) as error:
            raise Unfit("refused") from error
        if not all(fields[name].bounds_hold(value) for name, value in taken.items()):
            raise Unfit("bounds")
        return cls(**taken)

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Returns the parts of the JSON Schema that the command line needs: types, values, bounds, defaults,
        descriptions."""
        hints = get_type_hints(cls, include_extras=True)
        properties = {}
        for name, field in cls.model_fields.items():
            said = {**_schema_of(hints[name]), **field.bounds, **field.said}
            if not field.is_required() and field.default is not None:
                said["default"] = field.default
            if field.description is not None:
                said["description"] = field.description
            properties[name] = said
        required = [name for name, field in cls.model_fields.items() if field.is_required()]
        return {"properties": properties, **({"required": required} if required else {})}


def _dumped(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (str, int, bool) or (kind is float and math.isfinite(value)):
        return value
    if kind in (list, tuple):
        return [*map(_dumped, value)]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _dumped(each) for key, each in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise Unfit(kind.__name__)


def _unwrapped(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Returns a type without `Annotated` and `| None`, and the annotations."""
    if get_origin(hint) is Annotated:
        inner, *said = get_args(hint)
        inner, before = _unwrapped(inner)
        return inner, (*before, *said)
    return (hint, ()) if _without_none(hint) is hint else _unwrapped(_without_none(hint))


def _without_none(hint: Any) -> Any:
    """Returns the type without `| None`."""
    others = [each for each in get_args(hint) if each is not NoneType]
    return others[0] if NoneType in get_args(hint) and len(others) == 1 else hint


def _schema_of(hint: Any) -> dict[str, Any]:
    """Returns the schema of a type."""
    kind, said = _unwrapped(hint)
    for each in said:
        if isinstance(each, WithJsonSchema):
            return each.said
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": [*get_args(kind)]}
    return {"type": _KINDS[get_origin(kind) or kind]} if (get_origin(kind) or kind) in _KINDS else {}


def _taken(hint: Any, value: Any, name: str) -> Any:
    """Returns what pydantic makes of a value.

    Raises:
        Unfit: pydantic refuses it, or may make something else of it.
        ValueError: a check refuses it.
    """
    if get_origin(hint) is Annotated:
        inner, *said = get_args(hint)
        for each in reversed(said):
            if type(each) is BeforeValidator:
                value = each.function(value)
        value = _taken(inner, value, name)
        for each in said:
            if type(each) is AfterValidator:
                takes_info = each.function.__code__.co_argcount == 2
                value = each.function(value, ValidationInfo(name)) if takes_info else each.function(value)
        return value
    if _without_none(hint) is not hint:
        return None if value is None else _taken(_without_none(hint), value, name)
    return _of_kind(hint, value, name)


def _of_kind(kind: Any, value: Any, name: str) -> Any:
    origin, given = get_origin(kind), type(value)
    if kind is str and given is str:
        value.encode()  # pydantic refuses text that cannot be UTF-8
        return value
    if kind is Any or (kind in (bool, int) and given is kind):
        return value
    if kind is int and given is str and _NUMBER.fullmatch(value):
        return int(value)
    if kind is float and given is float and math.isfinite(value):
        return value
    if origin is Literal and given is str and value in get_args(kind):
        return value
    if origin is list and given is list:
        return [_taken(get_args(kind)[0], each, name) for each in value]
    if origin is dict and given is dict:
        keys, values = get_args(kind)
        return {_taken(keys, key, name): _taken(values, each, name) for key, each in value.items()}
    raise Unfit(name)
