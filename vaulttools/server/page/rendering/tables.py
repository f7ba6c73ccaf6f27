"""Renders an answer of `base` as a table with its views, groups and summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import Any, Final

from vaulttools.core import paths, render
from vaulttools.core.render import counted
from vaulttools.notes.properties.numerals import in_json
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.asking import said
from vaulttools.server.page.rendering.parts import PagePart
from vaulttools.server.page.rendering.sanitizer import sanitized
from vaulttools.server.page.rendering.values import Addressed, elements, link
from vaulttools.tools.base import BaseAnswer, ColumnShown, GroupShown, RowShown, ViewShown

_COLUMNS: Final = 60
"""Columns that are shown: a hostile base has thousands."""

_VIEWS: Final = 60
"""Likewise, views with a link."""

_CHARACTERS: Final = 500
"""Characters shown of a cell's text."""

_LINE: Final = 40
"""Characters of a cell that stay on one line."""

_TAG: Final = re.compile("<[^>]*>")

_ELEMENTS: Final = 50
"""Elements shown of a list in a cell."""

_NAMES: Final = ("file.name", "file.basename", "file.fullname", "file.file", "file.path")
"""Columns that name the file of the row."""

_FIELDS: Final = {
    "file.name": "Name",
    "file.basename": "Name",
    "file.fullname": "Name",
    "file.file": "File",
    "file.path": "Path",
    "file.folder": "Folder",
    "file.ext": "Extension",
    "file.size": "Size",
    "file.ctime": "Created",
    "file.mtime": "Modified",
    "file.tags": "Tags",
    "file.links": "Links",
    "file.embeds": "Embeds",
    "file.backlinks": "Backlinks",
    "file.properties": "Properties",
}
"""Headings of the fields of files, where the base has none."""

_REDUNDANT: Final = ("Other views: ", "Cut at ", "The last page is ")
"""Notices of the tool about what the page shows in its own way: views and pages."""


def failed(views: Sequence[ViewShown], name: str, sentence: str, part: PagePart) -> str:
    """Returns the HTML of a view that cannot be shown, with links to the others."""
    said = f'<p class="n-error">{escape(render.visible(sentence))}</p>\n'
    return f'<div class="n-base" id="{part.id}">\n{"".join(_tabs(views, name, part))}{said}</div>\n'


class BaseTable:
    """The table of one answer on a page; `addressed` makes addresses of a row's links, given its path. A table within
    a note or a canvas is `is_inline`."""

    def __init__(
        self,
        answer: BaseAnswer,
        part: PagePart,
        addresses: Addresses,
        addressed: Callable[[str], Addressed],
        *,
        is_inline: bool,
    ) -> None:
        self._answer = answer
        self._part = part
        self._addresses = addresses
        self._addressed = addressed
        self._is_inline = is_inline
        self._columns = answer.columns[:_COLUMNS]
        self._names_files = any(column.name in _NAMES for column in self._columns)

    def html(self) -> str:
        """Returns the table as HTML that is still to be sanitised."""
        found = self._answer
        inside = [*_tabs(found.views, found.view or "", self._part), *self._table(), *self._more()]
        sentences = said(found, "rows", found=bool(found.total))
        notices = [each for each in sentences if not each.startswith(_REDUNDANT)]
        if len(found.columns) > _COLUMNS:
            notices.append(f"{_COLUMNS} of {len(found.columns):,} columns are shown.")
        inside += [f'<p class="n-notice">{escape(render.visible(each))}</p>\n' for each in notices]
        kind = "n-base n-inline" if self._is_inline else "n-base"
        return f'<div class="{kind}" id="{self._part.id}">\n{"".join(inside)}</div>\n'

    def _table(self) -> Iterator[str]:
        found = self._answer
        if not found.rows:
            sentence = "No rows on this page." if found.total else "No files fit this view."
            yield f'<p class="n-notice">{sentence}</p>\n'
            return
        name = f"{render.visible(found.view)}: " if found.view and len(found.views) < 2 else ""
        yield '<div class="n-table" tabindex="0"><table>\n'
        yield f"<caption>{escape(name)}{self._counted()}</caption>\n<thead><tr>"
        if not self._names_files:
            yield '<th scope="col" class="n-name">File</th>'
        for column in self._columns:
            side = ' class="n-name"' if column.name in _NAMES else _side(column)
            yield f'<th scope="col"{side}>{escape(render.visible(_heading(column)))}</th>'
        yield "</tr></thead>\n"
        for group, rows in self._grouped():
            yield "<tbody>\n"
            if group is not None:
                yield self._group_heading(group)
            for row in rows:
                yield self._row(row)
            if group is not None:
                yield self._summaries(group.summaries)
            yield "</tbody>\n"
        if summed := self._summaries(found.summaries, "All" if found.groups else ""):
            yield f"<tfoot>{summed}</tfoot>\n"
        yield "</table></div>\n"

    @property
    def _start(self) -> int:
        """Rows on the pages before this one."""
        found = self._answer
        if found.next_page is None and found.complete:
            return max(0, found.total - len(found.rows))
        return (self._part.page - 1) * len(found.rows)

    def _counted(self) -> str:
        shown, total = len(self._answer.rows), self._answer.total
        if shown == total:
            return counted(total, "row")
        return f"Rows {self._start + 1:,} to {self._start + shown:,} of {total:,}"

    def _more(self) -> Iterator[str]:
        view, page = self._part.view, self._part.page
        links = [("Before", page - 1)] if page > 1 else []
        links += [("More", self._answer.next_page)] if self._answer.next_page is not None else []
        if links:
            made = [link(text, self._part.address(view=view, page=to)) for text, to in links]
            yield f'<p class="n-more">{" · ".join(made)}</p>\n'

    def _grouped(self) -> Iterator[tuple[GroupShown | None, Sequence[RowShown]]]:
        """Yields the rows of the page, by groups if there are any."""
        rows, start = self._answer.rows, self._start
        if not self._answer.groups:
            yield None, rows
            return
        ends = accumulate(group.rows for group in self._answer.groups)
        for group, end in zip(self._answer.groups, ends, strict=True):
            held = rows[max(0, end - group.rows - start) : max(0, end - start)]
            if held:
                yield group, held

    def _group_heading(self, group: GroupShown) -> str:
        across = len(self._columns) + (not self._names_files)
        shown = self._shown("", group.value, "", self._addressed("")) or "Empty"
        return (
            f'<tr class="n-group"><th scope="rowgroup" colspan="{across}">{shown} '
            f'<span class="n-count">{group.rows:,}</span></th></tr>\n'
        )

    def _row(self, row: RowShown) -> str:
        addressed = self._addressed(row.path)
        to = self._addresses.note(row.path)
        cells = []
        if not self._names_files:
            cells.append(f'<th scope="row">{link(paths.title(row.path), to)}</th>')
        for column, value in zip(self._columns, row.values, strict=False):
            if column.name in _NAMES and isinstance(value, str):
                text = paths.title(value) if column.name == "file.file" else value
                cells.append(f'<th scope="row">{link(render.shortened(text, _CHARACTERS), to)}</th>')
            else:
                html = self._shown(column.name, value, column.type, addressed)
                is_long = len(_TAG.sub("", html)) > _LINE
                cells.append(f"<td{_side(column, is_long=is_long)}>{html}</td>")
        return f"<tr>{''.join(cells)}</tr>\n"

    def _summaries(self, summaries: dict[str, Any], label: str = "") -> str:
        """Returns a row with what is summed up in the columns, and with the label in the first one if that is not;
        empty if nothing is summed up."""
        if not summaries:
            return ""
        cells = [] if self._names_files else [f"<td>{label}</td>"]
        for column in self._columns:
            shown = "" if cells else label
            if column.name in summaries:
                value = self._shown("", summaries[column.name], column.type, self._addressed("")) or "none"
                shown = f'<span class="n-summary">{escape(render.visible(column.summary or ""))}</span> {value}'
            cells.append(f"<td{_side(column)}>{shown}</td>")
        return f'<tr class="n-summaries">{"".join(cells)}</tr>\n'

    def _shown(self, name: str, value: Any, kind: str, addressed: Addressed) -> str:
        """Returns a value as HTML; `kind` is the type of its column."""
        if isinstance(value, dict):
            error = value.get("error")
            if len(value) == 1 and isinstance(error, str):
                return f'<span class="n-error">{escape(render.visible(_cut(error)))}</span>'
            return escape(render.visible(_cut(in_json(value))))
        if isinstance(value, str) and kind == "html":
            return sanitized(_cut(value), self._addresses)
        if isinstance(value, str) and kind == "file" and value:
            return link(paths.title(value), self._addresses.note(value))
        values = value if isinstance(value, list) else [value]
        cut = [_cut(each) if isinstance(each, str) else each for each in values[:_ELEMENTS] if each is not None]
        plain = name.rpartition(".")[2]
        html = ", ".join(elements(plain, cut, self._addresses, addressed))
        return html + (f" and {len(values) - _ELEMENTS:,} more" if len(values) > _ELEMENTS else "")


def _tabs(views: Sequence[ViewShown], shown: str, part: PagePart) -> Iterator[str]:
    """Yields the links to the views, if there are several."""
    if len(views) < 2:
        return
    yield '<ul class="n-views">\n'
    for view in views[:_VIEWS]:
        current = ' aria-current="true"' if view.name == shown else ""
        address = escape(part.address(view=view.name))
        yield f'<li><a href="{address}"{current}>{escape(render.visible(view.name))}</a></li>\n'
    if len(views) > _VIEWS:
        yield f"<li>and {len(views) - _VIEWS:,} more</li>\n"
    yield "</ul>\n"


def _cut(text: str) -> str:
    return render.shortened(text, _CHARACTERS)


def _heading(column: ColumnShown) -> str:
    return _FIELDS.get(column.name, column.display) if column.display == column.name else column.display


def _side(column: ColumnShown, *, is_long: bool = False) -> str:
    """Returns the class of a cell as an attribute. Numbers are aligned on the right, and long texts are wrapped."""
    return ' class="n-long"' if is_long else ' class="n-right"' if column.type == "number" else ""
