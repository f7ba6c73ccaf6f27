"""Reads a base from YAML: filters, formulas, column names, summaries and views."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from vaulttools.bases import formulas
from vaulttools.bases.evaluation import Compiled, Expression, Formulas
from vaulttools.bases.fields import FILE_FIELDS
from vaulttools.bases.syntax import Item, Literal, MemberAccess, Name
from vaulttools.errors import InvalidBase

MAX_BYTES: Final = 256 * 1024
"""Of one base; the largest that was seen has 20 KiB."""
MAX_FILTERS: Final = 500
"""Statements in one tree of filters."""
_MAX_DEPTH: Final = 30
"""Trees in trees."""
_PLAIN: Final = re.compile(r"\w+(?:[ -]\w+)*")
"""A name of a property that stands alone, `due`, `due date`, `due-date`; anything else is an expression."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One condition."""

    expression: Expression
    place: str
    """Which filter it is of, for sentences."""


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """Conditions: all, any or none of them must hold."""

    kind: str
    """`and`, `or` or `not`."""
    parts: tuple[Filter, ...]


Filter: TypeAlias = Statement | FilterGroup


@dataclass(frozen=True, slots=True)
class Column:
    """A property, a field of the file, a formula, or an expression of its own."""

    id: str
    """`note.price`, `file.name`, `formula.total`; else the expression."""
    compute: Compiled
    display: str
    """The heading of the column."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """What rows are put in order by."""

    column: Column
    is_reversed: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """One view of a base."""

    name: str
    type: str
    filter: Filter | None = None
    columns: tuple[Column, ...] = ()
    sort: tuple[Sorting, ...] = ()
    group_by: Sorting | None = None
    limit: int | None = None
    summaries: Mapping[str, str] | None = None
    """By id of the column: the name of a summary."""


class Base:
    """A base, its formulas compiled; a view is read when it is asked for."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        """From the values of its YAML.

        Raises:
            InvalidBase: a part is not what it must be; or a formula, the filter of all views, or a summary is wrong.
        """
        texts = _texts(_mapping(content.get("formulas"), "formulas"), "formulas")
        self.formulas: Formulas = formulas.read(texts)
        self.filter = self.filter_of(content.get("filters"), "the filter of all views")
        self._displays: dict[str, str] = {}
        for name, held in _mapping(content.get("properties"), "properties").items():
            display = held.get("displayName") if isinstance(held, Mapping) else None
            if isinstance(display, str) and display:
                self._displays[_id(name)] = display
        self.summaries: dict[str, Expression] = {
            name: formulas.within(text, self.formulas, f'summary "{name}"', is_summary=True)
            for name, text in _texts(_mapping(content.get("summaries"), "summaries"), "summaries").items()
        }
        views = content.get("views") or [{}]
        if not isinstance(views, Sequence) or isinstance(views, str):
            raise InvalidBase("A list is expected", "views")
        self._views = [_mapping(view, f"view {place}") for place, view in enumerate(views, 1)]
        self.names: tuple[tuple[str, str], ...] = tuple(_named(view, place) for place, view in enumerate(self._views))
        """The name and the type of each view."""

    def view(self, name: str | None) -> View:
        """A view by name, in any casing; the first without a name.

        Raises:
            InvalidBase: there is none of that name, or a part of it is wrong.
        """
        place = 0
        if name is not None:
            same = [at for at, (known, _) in enumerate(self.names) if known == name] or [
                at for at, (known, _) in enumerate(self.names) if known.lower() == name.lower()
            ]
            if not same:
                raise InvalidBase(
                    f'Unknown view "{name}"', f"a base with the views: {', '.join(n for n, _ in self.names)}"
                )
            place = same[0]
        content = self._views[place]
        shown, type_ = self.names[place]
        in_view = f'view "{shown}"'
        summaries = {
            _id(column): summary
            for column, summary in _texts(
                _mapping(content.get("summaries"), f"summaries of {in_view}"), in_view
            ).items()
        }
        limit = content.get("limit")
        return View(
            shown,
            type_,
            self.filter_of(content.get("filters"), f"the filter of {in_view}"),
            self.columns(_list(content.get("order"), f"order of {in_view}"), f"the columns of {in_view}", plain=True),
            self.sorting(content.get("sort"), f"the sort of {in_view}", plain=True),
            next(iter(self.sorting(content.get("groupBy"), f"the groupBy of {in_view}", plain=True)), None),
            limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None,
            summaries,
        )

    def filter_of(self, content: Any, place: str) -> Filter | None:
        """A tree of filters: a text, or `and`, `or`, `not` with lists of them.

        Raises:
            InvalidBase: it is neither, or a statement in it is wrong.
        """
        if content is None or content in ("", [], {}):
            return None
        counted = iter(range(MAX_FILTERS))
        return self._filter(content, place, 0, counted.__next__)

    def _filter(self, content: Any, place: str, depth: int, count: Callable[[], int]) -> Filter:
        if depth > _MAX_DEPTH:
            raise InvalidBase(f"Filters are nested deeper than {_MAX_DEPTH} levels", place)
        if isinstance(content, str | bool | int | float):
            text = str(content).lower() if isinstance(content, bool) else str(content)
            try:
                count()
            except StopIteration:
                raise InvalidBase(f"There are more than {MAX_FILTERS} statements", place) from None
            made = formulas.within(text, self.formulas, place)
            if made.conditions:
                return FilterGroup("and", tuple(Statement(each, place) for each in made.conditions))
            return Statement(made, place)
        if isinstance(content, Sequence):
            return FilterGroup(
                "and", tuple(self._filter(part, place, depth + 1, count) for part in content if part is not None)
            )
        if isinstance(content, Mapping):
            unknown = next((key for key in content if key not in ("and", "or", "not")), None)
            if unknown is not None:
                raise InvalidBase(f'Unknown key "{unknown}"; a filter is a text, or has "and", "or" or "not"', place)
            groups = []
            for kind, parts in content.items():
                listed = parts if isinstance(parts, Sequence) and not isinstance(parts, str) else [parts]
                held = tuple(self._filter(part, place, depth + 1, count) for part in listed if part is not None)
                groups.append(FilterGroup(kind, held))
            return groups[0] if len(groups) == 1 else FilterGroup("and", tuple(groups))
        raise InvalidBase('A filter is a text, or has "and", "or" or "not"', place)

    def columns(self, ids: Sequence[Any], place: str, *, plain: bool = False) -> tuple[Column, ...]:
        """Columns by what they show; with `plain` whatever has no prefix is the name of a property, else it may be an
        expression.

        Raises:
            InvalidBase: a formula or a field is not known, or an expression is wrong.
        """
        return tuple(self.column(str(each), place, plain=plain) for each in ids if each is not None)

    def column(self, given: str, place: str, *, plain: bool = False) -> Column:
        """As `columns`, of one."""
        kind, dot, name = given.partition(".")
        text = given
        known_as = given
        if dot and kind == "formula" and plain and name not in self.formulas.compiled:
            raise InvalidBase(f'Unknown formula "{name}"', place, given, 9)
        if dot and kind == "formula" and name in self.formulas.compiled:
            text, known_as = f"formula[{_quoted(name)}]", given
        elif dot and kind == "file" and (plain or name.lower() in FILE_FIELDS):
            text, known_as = given, given
        elif dot and kind == "note" and (plain or _PLAIN.fullmatch(name)):
            text, known_as = f"note[{_quoted(name)}]", given
        elif given == "file":
            known_as = "file.file"
        elif plain or (
            _PLAIN.fullmatch(given) and not given.isdigit() and given not in ("true", "false", "null", "this")
        ):
            text, known_as = f"note[{_quoted(given)}]", f"note.{given}"
        made = formulas.within(text, self.formulas, place)
        match made.node:  # an expression may be just a property, too
            case (
                Item(object=Name(name="note"), key=Literal(value=str(key)))
                | MemberAccess(object=Name(name="note"), name=key)
            ):
                known_as = f"note.{key}"
        return Column(known_as, made.compute, self._displays.get(known_as, _heading(known_as)))

    def sorting(self, content: Any, place: str, *, plain: bool = False) -> tuple[Sorting, ...]:
        """What to sort by: texts, `-` before one reverses it, or `{property, direction}`.

        Raises:
            InvalidBase: as `columns`; or an entry is neither.
        """
        listed = content if isinstance(content, Sequence) and not isinstance(content, str) else [content]
        found = []
        for each in listed:
            if each is None or each == "":
                continue
            if isinstance(each, Mapping):
                given = each.get("property") or each.get("column")
                is_reversed = str(each.get("direction", "ASC")).upper() == "DESC"
            else:
                given, is_reversed = each, False
                if isinstance(each, str) and each.startswith("-") and not plain:
                    given, is_reversed = each[1:], True
            if not isinstance(given, str) or not given:
                raise InvalidBase('A property, or {"property": …, "direction": "ASC" or "DESC"} is expected', place)
            found.append(Sorting(self.column(given, place, plain=plain), is_reversed))
        return tuple(found)


def read(text: str, place: str) -> Base:
    """A base from the text of its YAML.

    Raises:
        InvalidBase: it is none; `place` says what was read.
    """
    import yaml

    from vaulttools.notes.properties.safe_yaml import Loader

    if len(text) > MAX_BYTES:
        raise InvalidBase(f"The YAML is larger than {MAX_BYTES // 1024} KiB", place)
    try:
        loaded = Loader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        at = "" if error.problem_mark is None else f"line {error.problem_mark.line + 1} of "
        raise InvalidBase(f"The YAML cannot be read: {error.problem}", f"{at}{place}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidBase(f"The YAML cannot be read: {error}", place) from None
    if loaded.value is not None and not isinstance(loaded.value, dict):
        raise InvalidBase(
            "A base is a mapping with filters, formulas, properties, summaries and views, not this", place
        )
    return Base(loaded.value or {})


def _named(view: Mapping[str, Any], place: int) -> tuple[str, str]:
    type_ = view.get("type")
    name = view.get("name")
    shown = str(type_) if isinstance(type_, str) and type_ else "table"
    if name is None or name == "":
        name = shown.capitalize() if place == 0 else f"{shown.capitalize()} {place + 1}"
    return str(name), shown


def _id(name: str) -> str:
    """The id of a column: what has no prefix is a property of the note."""
    return name if name.partition(".")[0] in ("file", "formula", "note") and "." in name else f"note.{name}"


def _heading(column: str) -> str:
    kind, dot, name = column.partition(".")
    return name if dot and kind in ("note", "formula") else column


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _mapping(content: Any, place: str) -> Mapping[str, Any]:
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise InvalidBase("Names with values are expected", place)
    return content


def _list(content: Any, place: str) -> Sequence[Any]:
    if content is None:
        return []
    if isinstance(content, str) or not isinstance(content, Sequence):
        raise InvalidBase("A list is expected", place)
    return content


def _texts(content: Mapping[str, Any], place: str) -> dict[str, str]:
    texts = {}
    for name, text in content.items():
        if isinstance(text, Mapping | list):
            raise InvalidBase(f'A text is expected for "{name}"', place)
        if text is not None and text != "":
            texts[name] = str(text).lower() if isinstance(text, bool) else str(text)
    return texts
