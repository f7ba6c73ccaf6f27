"""Links and embeds in a note: their targets and their places (rule-L01 to rule-L16, rule-N01)."""

from __future__ import annotations

import json
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vaulttools.notes.links.references import Reference, decode_uri
from vaulttools.notes.markdown import inline
from vaulttools.notes.markdown.inline import MarkdownLink
from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.parts import Structure


def references(body: str) -> list[Reference]:
    return list(parse(body).references)


def targets(body: str) -> list[str]:
    return [reference.target for reference in references(body)]


def wiki(
    written: str, target: str, *headings: str, block: str | None = None, display: str | None = None, line: int = 1
) -> Reference:
    return Reference(line, written, "wikilink", written.startswith("!"), target, headings, block, display)


def markdown(
    written: str, target: str, *headings: str, block: str | None = None, display: str = "t", line: int = 1
) -> Reference:
    return Reference(line, written, "markdown", written.startswith("!"), target, headings, block, display)


def external(written: str, target: str, display: str = "t") -> Reference:
    return Reference(1, written, "external", written.startswith("!"), target, (), None, display)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # rule-L01: the forms of a link
        ("see [[Note]].", [wiki("[[Note]]", "Note")]),
        ("[t][r] [r][] [r]\n\n[r]: Note.md", []),
        ("[t][r] [[Note]]\n\n[r]: Note.md", [wiki("[[Note]]", "Note")]),
        ("[[Note.md]]", [wiki("[[Note.md]]", "Note.md")]),
        ("[t](Note) [t](Note.md)", [markdown("[t](Note)", "Note"), markdown("[t](Note.md)", "Note.md")]),
        ("[t](My%20note.md)", [markdown("[t](My%20note.md)", "My note.md")]),
        ("[t](<My note.md>)", [markdown("[t](<My note.md>)", "My note.md")]),
        ("[t](J%C3%B6rg.md)", [markdown("[t](J%C3%B6rg.md)", "Jörg.md")]),
        ("[t](100%.md) [t](a%FFb)", [markdown("[t](100%.md)", "100%.md"), markdown("[t](a%FFb)", "a%FFb")]),
        ("[t](C%23.md#H)", [markdown("[t](C%23.md#H)", "C%23.md", "H")]),
        ("[t](a%20b%26c.md)", [markdown("[t](a%20b%26c.md)", "a b%26c.md")]),
        ('[t](a.md "Title")', [markdown('[t](a.md "Title")', "a.md")]),
        ("[t](a(b).md)", [markdown("[t](a(b).md)", "a(b).md")]),
        (r"[t](a\)b) [t](a&amp;b)", [markdown(r"[t](a\)b)", "a)b"), markdown("[t](a&amp;b)", "a&b")]),
        ("[t](My note.md)", []),
        ("[t]( )", []),
        ("[t]()", []),
        ("[t] (a)", []),
        ("[t][a]\n\n[a]: b.md", []),
        # rule-L05: to headings
        ("[[N#H]]", [wiki("[[N#H]]", "N", "H")]),
        ("[[#H]]", [wiki("[[#H]]", "", "H")]),
        ("[[N#H1#H2]]", [wiki("[[N#H1#H2]]", "N", "H1", "H2")]),
        ("[t](N.md#My%20heading)", [markdown("[t](N.md#My%20heading)", "N.md", "My heading")]),
        ("[t](#H1#H2)", [markdown("[t](#H1#H2)", "", "H1", "H2")]),
        ("[t](N.md#)", [markdown("[t](N.md#)", "N.md")]),
        ("[t](#) [[#]]", []),
        # rule-L06: to blocks
        ("[[N#^id-1]]", [wiki("[[N#^id-1]]", "N", block="id-1")]),
        ("[[#^id]]", [wiki("[[#^id]]", "", block="id")]),
        ("[[N#^two words]]", [wiki("[[N#^two words]]", "N", "^two words")]),
        ("[t](N.md#^id)", [markdown("[t](N.md#^id)", "N.md", block="id")]),
        ("[t](N.md#%5Eid)", [markdown("[t](N.md#%5Eid)", "N.md", block="id")]),
        # a link that leads out of the vault is external
        ("[t](https://x.y/z?a=%20b#c)", [external("[t](https://x.y/z?a=%20b#c)", "https://x.y/z?a=%20b#c")]),
        ("![t](http://x.y/a.png)", [external("![t](http://x.y/a.png)", "http://x.y/a.png")]),
        ("[t](mailto:a@b.c)", [external("[t](mailto:a@b.c)", "mailto:a@b.c")]),
        ("[t](obsidian://open?file=a)", [external("[t](obsidian://open?file=a)", "obsidian://open?file=a")]),
        ("[t](//x.y/z)", [external("[t](//x.y/z)", "//x.y/z")]),
        ("![t](data:image/png;base64,AAAA)", []),
        ("https://x.y <https://x.y>", []),
        # rule-L09: the text after the bar is shown
        ("[[N|a b]] [[N|]]", [wiki("[[N|a b]]", "N", display="a b"), wiki("[[N|]]", "N", display="")]),
        ("|x|\n|-|\n|[[N\\|c]]|\n", [wiki("[[N\\|c]]", "N", display="c", line=3)]),
        # rule-L10: embeds
        ("![[N#H]] ![[m.pdf#page=3]]", [wiki("![[N#H]]", "N", "H"), wiki("![[m.pdf#page=3]]", "m.pdf", "page=3")]),
        ("![t](a.png) !x[[N]]", [markdown("![t](a.png)", "a.png"), wiki("[[N]]", "N")]),
        ("\\![[N]]", [wiki("[[N]]", "N")]),
    ],
)
def test_rules_L01_L05_L06_L09_L10_a_text_has_its_links(body: str, found: list[Reference]) -> None:
    assert references(body) == found


@pytest.mark.parametrize(
    ("body", "size"),
    [
        ("![[a.png|640x480]]", (640, 480)),
        ("![[a.png|100]]", (100, None)),
        ("![[a.png|a caption|100]]", (100, None)),
        ("![[a.png\\|100]]", (100, None)),
        ("![a caption|640x480](a.png)", (640, 480)),
        ("![100](a.png)", (100, None)),
        ("![[a.png]]", None),
        ("![[a.png|a caption]]", None),
        ("![[a.png|100px]]", None),
        ("[[a.png|100]]", None),
    ],
)
def test_rule_L10_an_embed_has_its_size(body: str, size: tuple[int, int | None] | None) -> None:
    (reference,) = references(body)
    assert (reference.size, reference.target) == (size, "a.png")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # rule-L11: relative paths stay as they are
        ("[t](../Note.md) [t](./Note.md)", ["../Note.md", "./Note.md"]),
        ("[t](/Folder/Note.md) [[../Note]]", ["/Folder/Note.md", "../Note"]),
        # rule-L16: odd brackets
        ("[[a]b]]", ["a]b"]),
        ("[[a[b]]", ["a[b"]),
        ("[[a [[Inner]] c]]", ["Inner"]),
        ("[[[a]]]", ["a"]),
        ("[[ a ]]", ["a"]),
        ("[[https://example.com]]", ["https://example.com"]),
        ("[[]] [[ ]] [[|a]]", []),
        ("[[a\nb]]", []),
        ("[[a]", []),
        ("[a]]", []),
        ("\\[[a]]", []),
        ("[\\[a]]", []),
        ("[[a]](b)", ["a"]),
        ("[x [[a]] y](b)", ["a"]),
        ("[x ![[a]] y](b)", ["b", "a"]),
        ("[![t](a)](b)", ["b", "a"]),
        ("[[a](b)", ["b"]),
        ("[x [y](a) z](b)", ["a"]),
        ("[x] [y](a) ](b)", ["a"]),
        # rule-N01: a footnote is no link, and its text may hold links
        ("text[^1] and[^Note]", []),
        ("a ^[inline, see [[N]]]", ["N"]),
        ("[^1]: see [[N]]\n  and [t](M)", ["N", "M"]),
        ("[^a]: one\n\ntwo[^A]", []),
    ],
)
def test_rules_L11_L16_N01_links_of_any_form_are_read(body: str, found: list[str]) -> None:
    assert sorted(targets(body)) == sorted(found)


@pytest.mark.parametrize("link", ["[[a]]", "![[a]]", "[t](a)", "![t](a)"])
@pytest.mark.parametrize(
    "around",
    [
        "`{}`",
        "`` {} ` ``",
        "```\n{}\n```",
        "> ```\n> {}\n> ```",
        "    {}",
        "$x {} y$",
        "$$\n{}\n$$",
        "<!-- {} -->",
        "text <!-- {} --> text",
        "<div>\n{}\n</div>",
        "<span title='{}'>text</span>",
    ],
)
def test_there_is_no_link_in_code_math_and_html(around: str, link: str) -> None:
    assert references(around.format(link)) == []


@pytest.mark.parametrize(
    ("around", "line"),
    [
        ("{}", 1),
        ("# H {}", 1),
        ("a\n{} b", 2),
        ("- a\n  - {}", 2),
        ("- [ ] {}", 1),
        ("> a\n> {}", 2),
        ("> [!note] {}", 1),
        ("|a|\n|-|\n|{}|", 3),
        ("*{}* **a** ~~b~~", 1),
        ("%% {} %%", 1),
        ("%%\n\n{}\n%%", 3),
        ("[^1]: {}", 1),
        ("a ^[b {}]", 1),
        ("`code` {} `code`", 1),
        ("costs $5 {} and $6", 1),
        ("<b>{}</b>", 1),
        ("a\n===\n{}", 3),
        ("> " * 60 + "{}", 1),
    ],
)
@pytest.mark.parametrize("link", ["[[a]]", "![[a]]", "[t](a)", "![t](a)"])
def test_there_is_a_link_anywhere_else(around: str, line: int, link: str) -> None:
    assert [(found.target, found.line, found.written) for found in references(around.format(link))] == [
        ("a", line, link)
    ]


def test_links_count_lines_from_the_top_and_begin_where_they_open() -> None:
    body = "---\nx: 1\n---\r\n> [a ![[i]]\r\n> b](c)\r\n\r\n[[d]]"
    assert parse(body, 4).references == (
        markdown("[a ![[i]]\n> b](c)", "c", display="a ![[i]] b", line=4),
        wiki("![[i]]", "i", line=4),
        wiki("[[d]]", "d", line=7),
    )


def _markdown_links(text: str) -> list[tuple[bool, str]]:
    """The destinations of links and images by markdown-it's inline parser; True for an image."""
    parser = MarkdownIt("commonmark", {"maxNesting": 1_000})
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]

    def found(tokens: list[Token]) -> list[tuple[bool, str]]:
        links = []
        for token in tokens:
            if token.type == "image":
                links.append((True, str(token.attrs["src"])))
            elif token.type == "link_open" and token.markup != "autolink":
                links.append((False, str(token.attrs["href"])))
            links += found(token.children or [])
        return links

    return found(parser.parseInline(text))


FRAGMENTS = st.lists(
    st.sampled_from(
        ["[", "]", "(", ")", "](", "![", "!", "[a](b)", "](c)", "](<d e>)", "<", ">", "`", "``", "\\", " ", "\n", "x",
         "&amp;", "](y 'z')", "](y \"z\")", "\"", "'", "<b>", "<http://x.y>", "%20", "#", "é", "*"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(FRAGMENTS.filter(lambda text: "[[" not in text))
def test_markdown_links_agree_with_markdown_it(text: str) -> None:
    text = text.strip()
    found = [hit for hit in inline.scan(text, 0, len(text), table=False) if isinstance(hit, MarkdownLink)]
    assert sorted((text[hit.start] == "!", hit.destination) for hit in found) == sorted(_markdown_links(text))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.text("[]()!<>|#^\\`$% \nax&;\"'", max_size=60))
def test_any_text_can_be_read_and_each_link_is_on_its_line(text: str) -> None:
    lines = text.replace("\r\n", "\n").split("\n")
    for reference in references(text):
        assert reference.written.split("\n")[0] in lines[reference.line - 1]
        assert reference.target or reference.headings or reference.block


@pytest.mark.parametrize(
    "text",
    [
        "[[a]] " * 20_000,
        "[a](b) " * 20_000,
        "![a](b) " * 20_000,
        "[[a]]\n" * 20_000,
        "[" * 20_000,
        "[" * 10_000 + "]" * 10_000,
        "[" * 10_000 + "](b)" * 10_000,
        "![" * 10_000 + "[a](b)" * 10_000,
        "[[a " * 20_000,
        "[[a]" * 20_000,
        "[a](" * 20_000,
        "[a](<" * 20_000,
        '[a](b "' * 20_000,
        "[a](b (" * 20_000,
        "[`" * 20_000,
        "[$" * 20_000,
        "[a]: " * 20_000,
        "[a](b\\" * 20_000,
        "^a " * 20_000,
        "x ^a\n" * 20_000,
        "^a\n\n" * 10_000,
        "> [!a]\n\n" * 10_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_time_is_linear_in_the_text(text: str) -> None:
    parse("")
    start = time.process_time()
    assert isinstance(parse(text), Structure)
    assert time.process_time() - start < 5


DECODED = [
    ("My%20note.md", "My note.md"),
    ("J%C3%B6rg%20%E6%97%A5.md", "Jörg 日.md"),
    ("%F0%9F%8C%B1", "🌱"),
    ("%5Eid%7C%5B%25", "^id|[%"),
    # Reserved signs stay as written, in either case.
    ("a%26b%2Cc%2c%2Fd", "a%26b%2Cc%2c%2Fd"),
    ("%3B%2F%3F%3A%40%26%3D%2B%24%2C%23", "%3B%2F%3F%3A%40%26%3D%2B%24%2C%23"),
    ("%C3%A9%2C%20%C3%A9", "é%2C é"),
    # A text that decodeURI refuses stays wholly as written.
    ("100%", "100%"),
    ("My%20note%2.md", "My%20note%2.md"),
    ("a%20b%zz", "a%20b%zz"),
    ("a%20%FFb", "a%20%FFb"),
    ("a%20%C3x", "a%20%C3x"),
    ("%ED%A0%80", "%ED%A0%80"),
    ("%C0%AF", "%C0%AF"),
    ("%2520", "%20"),
]


@pytest.mark.parametrize(("text", "decoded"), DECODED)
def test_rule_L01_reserved_signs_and_malformed_texts_stay_encoded(text: str, decoded: str) -> None:
    assert decode_uri(text) == decoded


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, whose decodeURI is compared")
def test_javascript_gives_the_same_table() -> None:
    script = (
        "const decoded = text => { try { return decodeURI(text) } catch { return text } };"
        "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(decoded)))"
    )
    written = json.dumps([text for text, _ in DECODED])
    ran = subprocess.run(["node", "-e", script, written], capture_output=True, check=True, encoding="utf-8")
    assert json.loads(ran.stdout) == [decoded for _, decoded in DECODED]


@given(st.text() | st.lists(st.sampled_from(["%", "%2", "%20", "%C3%A9", "%A9", "%26", "é", "a"])).map("".join))
def test_any_text_can_be_decoded_and_without_percent_signs_stays_the_same(text: str) -> None:
    assert "%" in text or decode_uri(text) == text
    decode_uri(text)
