"""Draws vaults of at most 300 kB that multiply what they hold, and calls every tool on one, as a child process."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

BYTES: Final = 300_000
"""Of all files of one vault together."""
LIMIT: Final = 4.0
"""Seconds that a call may take."""

Draw = Callable[[Random, int], str]
"""Makes a text of about so many characters."""


def _repeated(*pieces: str) -> Draw:
    """A text of one piece again and again; `{n}` in it is a number that rises."""

    def made(random: Random, size: int) -> str:
        piece = random.choice(pieces)
        count = max(1, size // (len(piece) + 3 * piece.count("{n}")))
        return "".join(piece.replace("{n}", str(number)) for number in range(count))

    return made


def _nested(*pairs: tuple[str, str]) -> Draw:
    """Openings, a word, and as many closings."""

    def made(random: Random, size: int) -> str:
        opening, closing = random.choice(pairs)
        depth = size // (len(opening) + len(closing))
        return opening * depth + "apple" + closing * depth

    return made


def _lists(random: Random, size: int) -> str:
    return "".join(f"{'  ' * level}- [ ] apple\n" for level in range(int(size**0.5)))


MARKDOWN: Final[dict[str, Draw]] = {
    "lines": _repeated("apple ", "a", "\n", "é", "|", "$", "`", "[", "<!--", "%%", "\\", "&", "*a", "_a_", "==a=="),
    "tags": _repeated("#a/b ", "/a", "#a{n} ", "#a/b{n} "),
    "headings": _repeated("# apple {n}\n", "###### a\n", "a\n===\n", "# a\n## b\n### c\n#### d\n##### e\n###### f\n"),
    "lists": _repeated("- a\n", "1. a\n", "- [ ] apple {n}\n", "- - - - - - ", "- [ ] a 📅 2026-01-01\n"),
    "deep lists": _lists,
    "quotes": _repeated("> a\n", "> ", ">> [!note] a\n"),
    "tables": _repeated("|a|b{n}|\n|-|-|\n", "|a", "|-"),
    "links": _repeated(
        "[[n{n}]] ", "[[n1#a^b|c]]", "![[n1]]", "[a](n{n}.md) ", "[[", "]]", "![](", "[a]: b\n", "[^{n}] "
    ),
    "fences": _repeated("```\n", "~~~a\n```\n", "```base\nviews: []\n```\n", "$$\n", "    a\n", "<div>\n"),
    "ids": _repeated("a ^a{n}\n", "^a\n\n", "a:: b{n}\n", "(a:: b) "),
    "nested": _nested(
        ("[", "]"), ("(", ")"), ("[[", "]]"), ("![[", "]]"), ("**", "**"), ("<a>", "</a>"), ("`", "`"), ("{", "}")
    ),
}
"""Bodies of notes."""

PROPERTIES: Final[dict[str, Draw]] = {
    "aliases": lambda random, size: (
        "aliases:\n" + _repeated("  - apple {n}\n", "  - a\n", "  - a a a a a\n")(random, size)
    ),
    "an alias": lambda random, size: f"aliases: {_repeated('a', 'apple ', 'é')(random, size).strip()}\n",
    "tags": lambda random, size: "tags:\n" + _repeated("  - a/b{n}\n", "  - a\n")(random, size),
    "a tag": lambda random, size: f"tags: a{_repeated('/a', '/b{n}')(random, size)}\n",
    "names": _repeated("p{n}: 1\n", "p{n}: [[n1]]\n", 'p{n}: "[[n{n}]]"\n', "p{n}: 2026-01-01\n"),
    "a list": lambda random, size: f"a: [{_repeated('1, ', '2026-01-01, ', 'b{n}, ')(random, size)}]\n",
    "deep": lambda random, size: f"a: {_nested(('[', ']'), ('{a: ', '}'))(random, size)}\n",
    "anchors": lambda random, size: (
        "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, size // 22 + 1))
    ),
}

MANY: Final = '"a".repeat(1000000).split("", 100000)'
EXPRESSIONS: Final = [
    "/[\\s\\S]{0,1000}[\\s\\S]{0,1000}x/.matches('a'.repeat(200000))",
    "/(a|b)*c/g.matches(file.name.repeat(100000))",
    "'a'.repeat(900000).replace(/a/g, \"$`$'\")",
    "'a'.repeat(900000).replace('', 'b'.repeat(900000))",
    "'ab'.repeat(100000).replace(/a(.*c)?/g, '$1$&')",
    "'a'.repeat(900000).split(/(a)(a)/)",
    f"{MANY}.map({MANY})",
    f"{MANY}.map(value.repeat(1000) + index).unique().sort().join(',')",
    f"{MANY}.reduce([acc, acc], [])",
    f"{MANY}.reduce(acc + acc + 'a', '')",
    f"{MANY}.reduce(acc + [value], [])",
    f"{MANY}.filter({MANY}.contains(value + 'b'))",
    f"{MANY}.map(file.links).flat().map(value.asFile()).unique()",
    f"{MANY}.map(link(value.repeat(1000) + index).asFile())",
    f"{MANY}.map(file.properties)",
    f"{MANY}.map(note[value + index])",
    f"{MANY}.map(file.hasTag('a' + index)).length",
    f"{MANY}.map(date('2026-01-01') + duration(index + 'd')).map(value.format('YYYY').repeat(100))",
    "file.backlinks.map(value.asFile().backlinks.map(value.asFile().backlinks)).flat().length",
    "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]" + ".map([value, value])" * 40 + ".flat().length",
    "date('a'.repeat(900000))",
    "(1e308 * 10 + 2 / 3).toFixed(100).repeat(9000)",
    "'1'.repeat(900000).isType('number') || number('1'.repeat(900000)) > 1",
    "duration('P' + '1'.repeat(900000)) + now()",
    "aliases.map(aliases.map(aliases)).flat().length",
    "file.tags.map(file.tags.map(value.contains('a')))",
]


def _base(random: Random, size: int) -> str:
    """A base with formulas that use each other, columns, groups and summaries."""
    chosen = random.choices(EXPRESSIONS, k=random.randint(1, 4))
    formulas = {f"f{number}": expression for number, expression in enumerate(chosen)}
    filler = random.choice(
        [
            "formula.f0 + formula.f0",
            "formula.g{m} + formula.g{m}",
            "/a{n}(?:.|[^b]){0,900}/.matches(file.name)",
            "file.name + {n}",
        ]
    )
    for number in range(random.choice([0, 0, size // (len(filler) + 16)])):
        formulas[f"g{number}"] = (
            filler.replace("{n}", str(number)).replace("{m}", str(max(0, number - 1))) if number else "1"
        )
    names = [f"formula.{name}" for name in formulas]
    view: dict[str, Any] = {"type": "table", "name": "t", "order": ["file.name", *names[: random.choice([3, 10_000])]]}
    if random.random() < 0.5:
        view["groupBy"] = {"property": random.choice(names), "direction": "ASC"}
    if random.random() < 0.5:
        view["summaries"] = dict.fromkeys(view["order"], "Unique")
    if random.random() < 0.5:
        view["filters"] = {"and": random.choices([*EXPRESSIONS, *names], k=3)}
    if random.random() < 0.5:
        view["sort"] = [{"property": name, "direction": "DESC"} for name in names[:5]]
    return json.dumps({"formulas": formulas, "views": [view]})


def _canvas(random: Random, size: int) -> str:
    node = random.choice(
        [{"type": "text", "text": "apple [[n1]] #a"}, {"type": "file", "file": "n1.md"}, {"type": "group"}]
    )
    nodes = [node | {"id": str(number), "x": 0, "y": 0, "width": 9, "height": 9} for number in range(size // 90)]
    edges = [{"id": f"e{number}", "fromNode": "0", "toNode": str(number)} for number in range(size // 200)]
    return random.choice([json.dumps({"nodes": nodes, "edges": edges}), "[" * size, '{"nodes":' * (size // 9)])


def _filters(random: Random, size: int) -> str:
    entry = random.choice(
        ["/(a{n}|b)+c$/", "/\\p{L}{0,50}{n}/", "/(?=a){n}/", "/({n}/", "b{n}", "/(b?){900}{n}/", "/[\\s\\S]{0,900}{n}/"]
    )
    return json.dumps(
        {"userIgnoreFilters": [entry.replace("{n}", str(number)) for number in range(size // (len(entry) + 6))]}
    )


def files(seed: int) -> tuple[dict[str, str], list[str]]:
    """The files of a vault, and the kinds that were drawn."""
    random = Random(seed)
    few = {f"f{number % 7}/n{number}.md": f"# apple {number}\n[[n{number + 1}]] #a/b\n" for number in range(30)}
    made = {**few, "n1.md": "# apple\n"}
    kinds = random.sample(
        [*MARKDOWN, *(f"property {name}" for name in PROPERTIES), "base", "canvas", "filters", "rules"],
        k=random.randint(1, 3),
    )
    room = (BYTES - 5_000) // len(kinds)
    for kind in kinds:
        if kind == "base":
            made["q.base"] = _base(random, room - 5_000)
        elif kind == "canvas":
            made["c.canvas"] = _canvas(random, room)
        elif kind == "filters":
            made[".obsidian/app.json"] = _filters(random, room)
        elif kind == "rules":
            made[".gitignore"] = _repeated("a{n}/**/b\n", "**/*a*{n}*\n", "!{n}\n", "[a-z]*{n}\n")(random, room)
        else:
            size = room // random.choice([1, 1, 10, 100])
            for number in range(room // size):
                if kind in MARKDOWN:
                    made[f"h/{kind} {number}.md"] = MARKDOWN[kind](random, size)
                else:
                    made[f"h/{kind} {number}.md"] = (
                        f"---\n{PROPERTIES[kind.removeprefix('property ')](random, size)}---\napple\n"
                    )
    made.setdefault("q.base", "views: []\n")
    return made, kinds


CALLS: Final[dict[str, dict[str, Any]]] = {
    "search_files": {"pattern": "apple"},
    "search": {"pattern": "apple|a+b"},
    "grep": {"pattern": "a.*e"},
    "query": {"query": "apple"},
    "context": {"question": "which apple is it"},
    "find": {"paths": ["**/*.{md,base}"]},
    "base": {"base": "q.base"},
    "outline": {"note": "h/*"},
    "read": {"note": "h/*"},
}
"""Arguments for tools; other tools get `h/*`, a drawn note, where they need a note, and `apple` for all else."""


def main(folder: str) -> None:
    """Call every tool on a vault twice; print a line of JSON for each call."""
    import resource  # POSIX alone: tests are collected on Windows, too

    from vaulttools import Vault, VaultConfig, tools

    logging.disable(logging.CRITICAL)
    drawn = sorted(str(path.relative_to(folder)) for path in Path(folder, "h").glob("*.md"))[:1] or ["n1.md"]
    with Vault.open(folder, config=VaultConfig(time_limit=LIMIT)) as vault:
        for name in (*tools.NAMES, "query", "base"):
            needed = [each for each, field in tools.named(name).request.model_fields.items() if field.is_required()]
            arguments = CALLS.get(name) or {
                each: drawn
                if each in ("notes", "paths")
                else drawn[0]
                if each in ("note", "file", "path")
                else ["apple"]
                if each == "terms"
                else "apple"
                for each in needed
            }
            arguments = json.loads(json.dumps(arguments).replace("h/*", drawn[0]))
            started, before = time.monotonic(), time.process_time()
            found = vault.call(name, arguments)
            cost = {"cpu": time.process_time() - before, "seconds": time.monotonic() - started}
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(json.dumps({"tool": name, **cost, "memory": memory, "text": found.text[:100]}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
