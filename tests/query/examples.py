"""The example queries of the Search page of Obsidian's help, and a vault with known answers to them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.conftest import Files

PAGE: Final = "en/Plugins/Search.md"
"""The place of the page in the help vault."""

VAULT: Final[Files] = {
    "a.md": "A meeting about work.\n",
    "ab.md": "A meeting and a meetup at work.\n",
    "b.md": "The meetup was personal.\n",
    "c.md": "Only a meeting.\n",
    "d.md": "A personal meeting at work.\n",
    "e.md": "A personal meeting, then a meetup.\n",
    "f.md": "---\nduration: 3\n---\nA short meeting.\n",
    "g.md": "---\nduration: 8\n---\nA long meeting.\n",
    "h.md": "---\nduration: 3\n---\nNobody came.\n",
    "i.md": "Tonight: Star Wars.\n",
    "j.md": "The wars of a star.\n",
    "k.md": 'And they said "hello" to each other.\n',
    "l.md": "And they said hello to each other.\n",
    "photo.jpg": b"",
    "photo.png": b"",
    "202209 trip.md": "",
    "Daily notes/2022-07-13.md": "",
    "Daily notes/2022-08-01.md": "",
    "m.md": "A happy cat, the happycat.\n",
    "happy cat.md": "A dog.\n",
    "n.md": "HappyCat\n",
    "o.md": "IKEA\n",
    "p.md": "#work\n",
    "q.md": "#myjob/work\n",
    "r.md": "```\n#work\n```\n",
    "s.md": "Mix the flour.\n",
    "t.md": "Mix it.\nAdd flour.\n",
    "u.md": "A dog,\na cat.\n",
    "v.md": "A dog.\n\nA cat.\n",
    "w.md": "# One\nA dog.\n# Two\nA cat.\n",
    "x.md": "- [ ] call Ann\n- [x] email Bob\n",
    "y.md": "- [x] call Bob\n",
    "z.md": "- call me\n",
    "aa.md": "---\naliases: [Name, Other]\n---\n",
    "bb.md": "---\naliases:\n---\n",
    "cc.md": '---\naliases: ""\n---\n',
    "dd.md": "---\naliases: []\n---\n",
    "ee.md": "---\nstatus: Draft\n---\n",
    "ff.md": "---\nstatus: Published\n---\n",
    "gg.md": "---\nstatus: Done\nproperty: value\n---\n",
    "hh.md": "On 2022-01-01 it snowed.\n",
    "ii.md": "Embed this.\n",
    "jj.md": "A search.\n",
}


class Example(NamedTuple):
    """One query of the page, exactly as written there."""

    query: str
    files: str
    """The answering notes of the vault above, in path order, without `.md`, joined by `, `."""
    explanation: str


EXAMPLES: Final = [
    Example('"star wars"', "i", 'Contains exact text: "star wars"'),
    Example(r'"they said \"hello\" to each other"', "k", 'Contains exact text: "they said "hello" to each other"'),
    Example("meeting work", "a, ab, d", 'Match all of:\n  Matches text: "meeting"\n  Matches text: "work"'),
    Example(
        "meeting OR work",
        "a, ab, c, d, e, f, g, p, q, r",
        'Match any of:\n  Matches text: "meeting"\n  Matches text: "work"',
    ),
    Example(
        "meeting work OR meetup personal",
        "a, ab, b, d, e",
        'Match any of:\n  Match all of:\n    Matches text: "meeting"\n    Matches text: "work"\n'
        '  Match all of:\n    Matches text: "meetup"\n    Matches text: "personal"',
    ),
    Example(
        "meeting (work OR meetup) personal",
        "d, e",
        'Match all of:\n  Matches text: "meeting"\n  Match any of:\n    Matches text: "work"\n'
        '    Matches text: "meetup"\n  Matches text: "personal"',
    ),
    Example(
        "meeting -work", "c, e, f, g", 'Match all of:\n  Matches text: "meeting"\n  Excluding: matches text: "work"'
    ),
    Example(
        "meeting -work -meetup",
        "c, f, g",
        'Match all of:\n  Matches text: "meeting"\n  Excluding: matches text: "work"\n'
        '  Excluding: matches text: "meetup"',
    ),
    Example(
        "meeting -(work meetup)",
        "a, c, d, e, f, g",
        'Match all of:\n  Matches text: "meeting"\n  Excluding: match all of:\n    Matches text: "work"\n'
        '    Matches text: "meetup"',
    ),
    Example(
        "meeting [duration:<5]",
        "f",
        'Match all of:\n  Matches text: "meeting"\n  Contains property: "duration"\n    Its value: less than: 5',
    ),
    Example(
        "meeting [duration:>5]",
        "g",
        'Match all of:\n  Matches text: "meeting"\n  Contains property: "duration"\n    Its value: greater than: 5',
    ),
    Example(
        "task:(call OR email)", "x, y", 'Match task: match any of:\n  Matches text: "call"\n  Matches text: "email"'
    ),
    Example("file:.jpg", "photo.jpg", 'Match file name: matches text: ".jpg"'),
    Example("file:202209", "202209 trip", 'Match file name: matches text: "202209"'),
    Example(
        'path:"Daily notes/2022-07"',
        "Daily notes/2022-07-13",
        'Match file path: contains exact text: "Daily notes/2022-07"',
    ),
    Example('content:"happy cat"', "m", 'Match file content: contains exact text: "happy cat"'),
    Example("match-case:HappyCat", "n", 'Case sensitive: matches text: "HappyCat"'),
    Example("ignore-case:ikea", "o", 'Case insensitive: matches text: "ikea"'),
    Example("tag:#work", "p", "Match tag: #work"),
    Example("#work", "p, r", 'Matches text: "#work"'),
    Example("line:(mix flour)", "s", 'Match line: match all of:\n  Matches text: "mix"\n  Matches text: "flour"'),
    Example("block:(dog cat)", "u", 'Match block: match all of:\n  Matches text: "dog"\n  Matches text: "cat"'),
    Example("section:(dog cat)", "u, v", 'Match section: match all of:\n  Matches text: "dog"\n  Matches text: "cat"'),
    Example("task:call", "x, y", 'Match task: matches text: "call"'),
    Example("task-todo:call", "x", 'Match task (todo): matches text: "call"'),
    Example("task-done:call", "y", 'Match task (done): matches text: "call"'),
    Example("[property]", "gg", 'Contains property: "property"'),
    Example("[property:value]", "gg", 'Contains property: "property"\n  Its value: matches text: "value"'),
    Example("[aliases]", "aa, bb, cc, dd", 'Contains property: "aliases"'),
    Example("[aliases:Name]", "aa", 'Contains property: "aliases"\n  Its value: matches text: "Name"'),
    Example("[aliases:null]", "bb", 'Contains property: "aliases"\n  Its value: has no value'),
    Example(
        "[status:Draft OR Published]",
        "ee, ff",
        'Contains property: "status"\n  Its value: match any of:\n    Matches text: "Draft"\n'
        '    Matches text: "Published"',
    ),
    Example(
        r"/\d{4}-\d{2}-\d{2}/",
        "Daily notes/2022-07-13, Daily notes/2022-08-01, hh",
        r"Matches regex: /\d{4}-\d{2}-\d{2}/",
    ),
    Example(
        r"path:/\d{4}-\d{2}-\d{2}/",
        "Daily notes/2022-07-13, Daily notes/2022-08-01",
        r"Match file path: matches regex: /\d{4}-\d{2}-\d{2}/",
    ),
    Example("embed OR search", "ii, jj", 'Match any of:\n  Matches text: "embed"\n  Matches text: "search"'),
]
