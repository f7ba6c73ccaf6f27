"""Plans from the index which files may match, and which surely do.

Each node gets two sets of files: those that *may* match, and those that *surely* do. A node within a line, block,
section or task may match in a file if it may in any of these; it surely matches if it does in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_
from typing import Final, NamedTuple

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import identity, is_same
from vaulttools.core.paths import is_note
from vaulttools.patterns.requirements import Requirement
from vaulttools.query import tree, wording
from vaulttools.query.facts import Facts, Values, compares, has_fact
from vaulttools.query.regexes import Regexes
from vaulttools.query.tree import Node
from vaulttools.query.wording import Names

_NONE: Final[frozenset[str]] = frozenset()


class Bounds(NamedTuple):
    """The files that may match, and those of them that surely do."""

    may: AbstractSet[str]
    surely: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a query searches."""

    notes: frozenset[str]
    canvases: frozenset[str]
    """Their text is JSON, and the index does not know it."""
    textless: frozenset[str]
    """Files that are found by words in their name, but have no text: `.base` files (rule-S02), notes that cannot be
    read."""
    others: frozenset[str]
    """Attachments: only `file:` and `path:` search their names (rule-S03)."""
    names: Names
    """The names of all these files."""
    paths: Names
    """The paths of all these files."""
    orders: Orders

    @classmethod
    def of(cls, files: Sequence[str], *, any_file: bool) -> Files:
        """Sorts files by kind from paths in path order; leaves out attachments unless `any_file`."""
        kinds: dict[str, set[str]] = {".canvas": set(), ".base": set()}
        notes: set[str] = set()
        others: set[str] = set()
        for path in files:
            if is_note(path):
                notes.add(path)
            else:
                kinds.get(path[path.rfind(".") :].lower(), others).add(path)
        canvases, bases = map(frozenset, kinds.values())
        looked_at = files if any_file else [path for path in files if path not in others]
        return cls(
            frozenset(notes),
            canvases,
            bases,
            frozenset(others if any_file else ()),
            Names(looked_at, whole=False),
            Names(looked_at, whole=True),
            Orders(looked_at),
        )

    def read(self, notes: AbstractSet[str]) -> Files:
        """Returns a copy for when only some of the notes could be read."""
        if self.notes <= notes:
            return self
        return replace(self, notes=self.notes & notes, textless=self.textless | (self.notes - notes))


class Orders:
    """The orders in which files are shown."""

    def __init__(self, files: Sequence[str]) -> None:
        """Takes paths in path order."""
        self._files = files

    @cached_property
    def by_path(self) -> Mapping[str, int]:
        """The place of each file in path order."""
        return {path: place for place, path in enumerate(self._files)}

    @cached_property
    def by_title(self) -> Mapping[str, int]:
        """The place of each file among all titles, case ignored (rule-S40); files with the same title share a place."""
        titles = {path: identity(paths.stem(path)) for path in self._files}
        places = {title: place for place, title in enumerate(sorted(set(titles.values())))}
        return {path: places[title] for path, title in titles.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known about the files without their text."""

    files: Files
    facts: Facts
    nominated: Callable[[Requirement], AbstractSet[str] | None]
    """Returns the notes that may meet a requirement, as `Known.nominated`; None: any may."""
    regexes: Regexes
    _answering: dict[tuple[Node, bool], AbstractSet[str]] = field(default_factory=dict, init=False)

    def is_over(self) -> bool:
        """Whether there is no time for planning; then any file may match."""
        return self.regexes.work.remaining() <= 0

    def bounds(self, query: Node, *, sensitive: bool) -> Bounds:
        """Returns the files that may match a query.

        A file without text matches only if its name holds something that the query asks for. That it lacks an excluded
        word is not enough.
        """
        found = self._bounds(query, sensitive, whole=True)
        named = self._named(query, sensitive)
        nameless = (self.files.textless | self.files.others) - named
        return Bounds(found.may - nameless, found.surely - nameless)

    def _bounds(self, node: Node, sensitive: bool, *, whole: bool, named: bool = True) -> Bounds:
        """Bounds a node in the `whole` file, or in each of its parts; `named`: a word may also match the path."""
        files = self.files
        if self.is_over():
            return Bounds(self._all if whole else self._texts, _NONE)
        match node:
            case tree.And():
                found = [self._bounds(part, sensitive, whole=whole, named=named) for part in node.parts]
                return Bounds(
                    reduce(and_, sorted((each.may for each in found), key=len)),
                    reduce(and_, sorted((each.surely for each in found), key=len)),
                )
            case tree.Or():
                found = [self._bounds(part, sensitive, whole=whole, named=named) for part in node.parts]
                return Bounds(_NONE.union(*(each.may for each in found)), _NONE.union(*(each.surely for each in found)))
            case tree.Not(part):
                may, surely = self._bounds(part, sensitive, whole=whole, named=named)
                every = self._all if whole else self._texts
                return Bounds(every - surely, every - may)
            case tree.Case(sensitive, part):
                return self._bounds(part, sensitive, whole=whole, named=named)
            case tree.Within("content", part):
                return self._bounds(part, sensitive, whole=whole, named=False)
            case tree.Within("file" | "path") | tree.PropertyNode():
                return _exactly(self.answering(node, sensitive))
            case tree.Within(unit, part):
                may, surely = self._bounds(part, sensitive, whole=False, named=False)
                tasks = {"task": self.facts.todo | self.facts.done}
                tasks |= {"task-todo": self.facts.todo, "task-done": self.facts.done}
                if unit not in tasks:
                    return Bounds(may, _NONE)  # there may be no line, block or section at all
                return Bounds(may & (tasks[unit] | files.canvases), surely & tasks[unit])
            case tree.TagNode():
                tagged = self.answering(node, sensitive)
                return Bounds(tagged, tagged if whole else _NONE)
            case tree.Phrase(""):
                return _exactly(self._all if whole else self._texts)
            case tree.Term() | tree.Phrase() | tree.Regex():
                required = (
                    wording.required(node)
                    if not isinstance(node, tree.Regex)
                    else self.regexes.required(node, sensitive)
                )
                texts = self._nominated(required)
                names = self.answering(node, sensitive) if whole and named else _NONE
                return Bounds(texts | names, names)
            case _:
                raise AssertionError(f"a value outside of a property: {node}")

    @property
    def _texts(self) -> AbstractSet[str]:
        return self.files.notes | self.files.canvases

    @property
    def _all(self) -> AbstractSet[str]:
        return self._texts | self.files.textless | self.files.others

    def _nominated(self, required: Requirement | None) -> AbstractSet[str]:
        found = None if required is None else self.nominated(required)
        return (self.files.notes if found is None else self.files.notes & found) | self.files.canvases

    def answering(self, node: Node, sensitive: bool) -> AbstractSet[str]:
        """Returns the files that match a node without their text: by tag or property, by `file:` or `path:`; for a bare
        word, by their path (rule-S02)."""
        key = (node, sensitive)
        if key not in self._answering:
            match node:
                case tree.TagNode(name):
                    self._answering[key] = self.facts.tagged(name) & self.files.notes
                case tree.PropertyNode():
                    self._answering[key] = self._with_property(node, sensitive)
                case tree.Within("path", part):
                    self._answering[key] = self._with_name(part, sensitive, self.files.paths)
                case tree.Within(_, part):
                    self._answering[key] = self._with_name(part, sensitive, self.files.names)
                case _:
                    self._answering[key] = self._with_name(node, sensitive, self.files.paths) - self.files.others
        return self._answering[key]

    def _with_name(self, node: Node, sensitive: bool, names: Names) -> AbstractSet[str]:
        def holding(leaf: Node, sensitive: bool) -> AbstractSet[str]:
            if isinstance(leaf, tree.Regex):
                found = self.regexes.matching(leaf, sensitive, names.texts)
                return {path for path, text in zip(names.files, names.texts, strict=True) if text in found}
            assert isinstance(leaf, tree.Term | tree.Phrase)
            return names.holding(leaf, sensitive=sensitive)

        return tree.solved(node, self._all, holding, sensitive=sensitive)

    def _with_property(self, node: tree.PropertyNode, sensitive: bool) -> AbstractSet[str]:
        """A word or phrase must equal the whole name, case ignored (rule-S39); in a value it may be anywhere in any
        element."""
        properties = self.facts.properties

        def called(leaf: Node, sensitive: bool) -> AbstractSet[str]:
            if isinstance(leaf, tree.Regex):
                return self.regexes.matching(leaf, False, [*properties])
            assert isinstance(leaf, tree.Term | tree.Phrase)
            return {name for name in properties if is_same(name, leaf.text)}

        found: set[str] = set()
        for name in tree.solved(node.name, properties.keys(), called, sensitive=False):
            held = properties[name]
            places = self._answering_values(node.value, held, sensitive) if node.value else range(len(held.values))
            found.update(*(held.notes[place] for place in places))
        return found & self.files.notes

    def _answering_values(self, node: Node, held: Values, sensitive: bool) -> AbstractSet[int]:
        def holding(leaf: Node, sensitive: bool) -> AbstractSet[int]:
            match leaf:
                case tree.Is():
                    return {place for place, value in enumerate(held.values) if has_fact(value, leaf)}
                case tree.Compare():
                    return {place for place, value in enumerate(held.values) if compares(value, leaf)}
                case tree.Regex():
                    return held.among(self.regexes.matching(leaf, sensitive, held.texts))
                case tree.Term() | tree.Phrase():
                    return held.holding(leaf, sensitive=sensitive)
                case _:
                    raise AssertionError(f"no node of a value: {leaf}")  # `tree.PropertyNode` excludes them

        return tree.solved(node, frozenset(range(len(held.values))), holding, sensitive=sensitive)

    def _named(self, node: Node, sensitive: bool) -> AbstractSet[str]:
        """Returns the files whose name holds something that the query asks for."""
        if self.is_over():
            return _NONE
        match node:
            case tree.Not() | tree.TagNode() | tree.PropertyNode():
                return _NONE
            case tree.Case(sensitive, part):
                return self._named(part, sensitive)
            case tree.Within("file" | "path") | tree.Term() | tree.Phrase() | tree.Regex():
                return self.answering(node, sensitive)
            case tree.Within():
                return _NONE
            case _:
                return _NONE.union(*(self._named(part, sensitive) for part in tree.parts(node)))


def looks_at_any_file(node: Node) -> bool:
    """Whether `file:` or `path:` is used, other than to exclude: then attachments may match (rule-S03)."""
    if isinstance(node, tree.Within) and node.scope in ("file", "path"):
        return True
    return not isinstance(node, tree.Not) and any(map(looks_at_any_file, tree.parts(node)))


def _exactly(files: AbstractSet[str]) -> Bounds:
    return Bounds(files, files)
