"""Finds bases in notes, and reads their YAML: filters, formulas, columns, summaries, views."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from vaulttools.bases import formulas, numbers
from vaulttools.bases.evaluation import Compiled, Expression
from vaulttools.bases.fields import FILE_FIELDS
from vaulttools.bases.syntax import Item, Literal, MemberAccess, Name
from vaulttools.core.folding.identity import is_same
from vaulttools.errors import InvalidBase
from vaulttools.notes.parts import Span

MAX_BYTES: Final = 256 * 1024
"""Upper bound of one base's YAML."""
MAX_FILTERS: Final = 500
"""Statements in one tree of filters."""
_MAX_DEPTH: Final = 30
"""Levels of a tree of filters."""
_OPENING: Final = re.compile(r"[ \t>]*(?:[-*+][ \t]+)*(`{3,}|~{3,})[ \t]*base[ \t]*\r?")
_PREFIX: Final = re.compile(r"[ \t]*(?:>[ \t]?)*")
_PLAIN: Final = re.compile(r"\w+(?:[ -]\w+)*")
"""A plain property name such as `due`, `due date` or `due-date`; anything else is an expression."""

_VALUES: Final = ("true", "false", "null", "this")
"""Names that never mean a property."""


class Statement(NamedTuple):
    """One condition."""

    expression: Expression
    place: str
    """Names the filter in messages, such as `the filter of all views`."""


class FilterGroup(NamedTuple):
    """Conditions, and whether all, any or none of them must hold."""

    kind: str
    """`and`, `or` or `not`."""
    parts: tuple[Filter, ...]


Filter: TypeAlias = Statement | FilterGroup


class Column(NamedTuple):
    """A property, a field of the file, a formula, or an expression of its own."""

    id: str
    """`note.price`, `file.name`, `formula.total`; otherwise the expression itself."""
    compute: Compiled
    display: str
    """The heading of the column."""


class Sorting(NamedTuple):
    """A column that orders rows."""

    column: Column
    is_reversed: bool = False


class View(NamedTuple):
    """One view of a base."""

    name: str
    type: str
    filter: Filter | None = None
    columns: tuple[Column, ...] = ()
    sort: tuple[Sorting, ...] = ()
    group_by: Sorting | None = None
    limit: int | None = None
    summaries: Mapping[str, str] | None = None
    """Name of a summary by the id of its column."""


class ViewHead(NamedTuple):
    """What a view is called, and how much it shows."""

    name: str
    type: str
    limit: int | None
    """The most rows."""


class Base:
    """A base with compiled formulas; `view` reads a view when somebody needs it."""

    def __init__(self, content: Mapping[str, Any], stop: Callable[[], None] = lambda: None) -> None:
        """Read the values of its YAML; `stop` is called before each expression, and may raise.

        Raises:
            InvalidBase: a part has the wrong type, the filter of all views is wrong, or there are many circles.
        """
        self.formulas = formulas.read(_texts(content.get("formulas"), "formulas"), stop)
        self.filter = self.filter_of(content.get("filters"), "the filter of all views")
        self._displays: dict[str, str] = {}
        for name, held in _mapping(content.get("properties"), "properties").items():
            display = held.get("displayName") if isinstance(held, Mapping) else None
            if isinstance(display, str) and display:
                self._displays[_id(name)] = display
        self.summaries: dict[str, Expression] = {
            name: formulas.summary(text, self.formulas, f'summary "{name}"')
            for name, text in _texts(content.get("summaries"), "summaries").items()
        }
        views = _list(content.get("views") or [{}], "views")
        self._views = [_mapping(view, f"view {place}") for place, view in enumerate(views, 1)]
        self.heads: tuple[ViewHead, ...] = tuple(_head(view, place) for place, view in enumerate(self._views))
        """What each view is called, in order."""

    def view(self, name: str | None) -> View:
        """Returns the view called `name` in any casing; the first view for None.

        Raises:
            InvalidBase: no view has that name, or a part of the view is wrong.
        """
        place = 0
        if name is not None:
            same = [at for at, known in enumerate(self.heads) if known.name == name] or [
                at for at, known in enumerate(self.heads) if is_same(known.name, name)
            ]
            if not same:
                raise InvalidBase(
                    f'Unknown view "{name}"', f"a base with the views: {', '.join(each.name for each in self.heads)}"
                )
            place = same[0]
        content = self._views[place]
        shown, type_, limit = self.heads[place]
        in_view = f'view "{shown}"'
        summaries = _texts(_mapping(content.get("summaries"), f"summaries of {in_view}"), in_view)
        return View(
            shown,
            type_,
            self.filter_of(content.get("filters"), f"the filter of {in_view}"),
            self.columns(_list(content.get("order"), f"order of {in_view}"), f"the columns of {in_view}", plain=True),
            self.sorting(content.get("sort"), f"the sort of {in_view}", plain=True),
            next(iter(self.sorting(content.get("groupBy"), f"the groupBy of {in_view}", plain=True)), None),
            limit,
            {_id(column): summary for column, summary in summaries.items()},
        )

    def filter_of(self, content: Any, place: str) -> Filter | None:
        """Read a tree of filters: a text, or `and`, `or`, `not` with lists of trees.

        Raises:
            InvalidBase: it is neither, or a statement in it is wrong.
        """
        if content is None or content in ("", [], {}):
            return None
        return self._filter(content, place, 0, [])

    def _filter(self, content: Any, place: str, depth: int, texts: list[str]) -> Filter:
        """Read a part of a tree; `texts` collects the statements read so far."""
        if depth > _MAX_DEPTH:
            raise InvalidBase(f"Filters are nested deeper than {_MAX_DEPTH} levels", place)
        if isinstance(content, str | bool | int | float):
            texts.append(_text(content))
            if len(texts) > MAX_FILTERS:
                raise InvalidBase(f"There are more than {MAX_FILTERS} statements", place)
            made = formulas.within(texts[-1], self.formulas, place)
            if made.conditions:
                return FilterGroup("and", tuple(Statement(each, place) for each in made.conditions))
            return Statement(made, place)
        if isinstance(content, Sequence):
            return self._group("and", content, place, depth, texts)
        if isinstance(content, Mapping):
            unknown = next((key for key in content if key not in ("and", "or", "not")), None)
            if unknown is not None:
                raise InvalidBase(f'Unknown key "{unknown}"; a filter is a text, or has "and", "or" or "not"', place)
            groups = [self._group(kind, _as_list(parts), place, depth, texts) for kind, parts in content.items()]
            return groups[0] if len(groups) == 1 else FilterGroup("and", tuple(groups))
        raise InvalidBase('A filter is a text, or has "and", "or" or "not"', place)

    def _group(self, kind: str, parts: Sequence[Any], place: str, depth: int, texts: list[str]) -> FilterGroup:
        held = (self._filter(part, place, depth + 1, texts) for part in parts if part is not None)
        return FilterGroup(kind, tuple(held))

    def columns(self, ids: Sequence[Any], place: str, *, plain: bool = False) -> tuple[Column, ...]:
        """Read columns. With `plain`, an id without a prefix is the name of a property; otherwise it may also be an
        expression.

        Raises:
            InvalidBase: a formula or a field is unknown, or an expression is wrong.
        """
        return tuple(self.column(str(each), place, plain=plain) for each in ids if each is not None)

    def column(self, given: str, place: str, *, plain: bool = False) -> Column:
        """Read one column, by the rules of `columns`."""
        kind, dot, name = given.partition(".")
        text = known_as = given
        if dot and kind == "formula" and name in self.formulas.expressions:
            text = f"formula[{_quoted(name)}]"
        elif dot and kind == "formula" and plain:
            raise InvalidBase(f'Unknown formula "{name}"', place, given, 9)
        elif dot and kind == "note" and (plain or _PLAIN.fullmatch(name)):
            text = f"note[{_quoted(name)}]"
        elif given == "file":
            known_as = "file.file"
        elif dot and kind == "file" and (plain or name.lower() in FILE_FIELDS):
            pass  # a field needs no translation
        elif plain or (_PLAIN.fullmatch(given) and not given.isdigit() and given not in _VALUES):
            text, known_as = f"note[{_quoted(given)}]", f"note.{given}"
        made = formulas.within(text, self.formulas, place)
        match made.node:  # an expression may also be a single property
            case (
                Item(object=Name(name="note"), key=Literal(value=str(key)))
                | MemberAccess(object=Name(name="note"), name=key)
            ):
                known_as = f"note.{key}"
        return Column(known_as, made.compute, self._displays.get(known_as, _heading(known_as)))

    def sorting(self, content: Any, place: str, *, plain: bool = False) -> tuple[Sorting, ...]:
        """Read sort keys: a text (a leading `-` reverses it), or `{property, direction}`.

        Raises:
            InvalidBase: as `columns`; or an entry is neither.
        """
        found = []
        for each in _as_list(content):
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


def read(text: str, place: str, stop: Callable[[], None] = lambda: None) -> Base:
    """Read a base from its YAML; `stop` is called before each expression, and may raise.

    Raises:
        InvalidBase: the text is not a base; `place` names its source in the message.
    """
    import yaml

    from vaulttools.notes.properties.safe_yaml import Loader

    if len(text.encode(errors="replace")) > MAX_BYTES:
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
    return Base(loaded.value or {}, stop)


def _head(view: Mapping[str, Any], place: int) -> ViewHead:
    type_ = view.get("type")
    name = view.get("name")
    shown = str(type_) if isinstance(type_, str) and type_ else "table"
    if name is None or name == "":
        name = shown.capitalize() if place == 0 else f"{shown.capitalize()} {place + 1}"
    return ViewHead(str(name), shown, _whole(view.get("limit")))


def _id(name: str) -> str:
    """Returns the id of a column; a name without a prefix is a property of the note."""
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


def _as_list(content: Any) -> Sequence[Any]:
    """Returns the elements of a list; a single value makes a list of one."""
    return content if isinstance(content, Sequence) and not isinstance(content, str) else [content]


def _text(value: Any) -> str:
    """Returns an expression as the user wrote it: YAML turns `true` into a boolean."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _whole(limit: Any) -> int | None:
    """Returns the limit of a view; None if it is no whole number above zero."""
    limit = numbers.simplest(limit) if isinstance(limit, float) else limit
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None


def _texts(content: Any, place: str) -> dict[str, str]:
    texts = {}
    for name, text in _mapping(content, place).items():
        if isinstance(text, Mapping | list):
            raise InvalidBase(f'A text is expected for "{name}"', place)
        if text is not None and text != "":
            texts[name] = _text(text)
    return texts


class BaseBlock(NamedTuple):
    """A `base` block of a note."""

    line: int
    """Line of its opening fence, from 1."""
    text: str
    """Text between the fences."""


def is_base(path: str) -> bool:
    """Whether the name of a file says that it is a base."""
    return path.lower().endswith(".base")


def blocks(lines: Sequence[str], code: Iterable[Span]) -> list[BaseBlock]:
    """Find the `base` blocks of a note from its lines and the first and last lines (from 1) of its code blocks."""
    found = []
    for first, last in code:
        opening = _OPENING.fullmatch(lines[first - 1]) if first <= len(lines) else None
        if opening is None:
            continue
        depth = _prefix_length(lines[first - 1])
        body = [line.removesuffix("\r") for line in lines[first:last]]
        if body and body[-1].strip(" \t>").startswith(opening[1]):
            body.pop()
        # In a quote or a list, each line of a block repeats the marks or has as many blanks.
        found.append(BaseBlock(first, "\n".join(line[min(depth, _prefix_length(line)) :] for line in body)))
    return found


def _prefix_length(line: str) -> int:
    prefix = _PREFIX.match(line)
    return 0 if prefix is None else len(prefix[0])
