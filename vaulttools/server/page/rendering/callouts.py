"""Makes callouts of the quotes that begin with `[!type]`."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vaulttools.notes.markdown import callouts
from vaulttools.notes.markdown.callouts import Callout


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser callouts."""
    parser.core.ruler.before("inline", "callouts", _rule)


def _rule(state: StateCore) -> None:
    made: list[Token] = []
    closers: list[str] = []
    tokens = iter(enumerate(state.tokens))
    for index, token in tokens:
        if token.type == "blockquote_open":
            found = _begins(state.tokens, index)
            closers.append("blockquote" if found is None else "details" if found.fold else "div")
            if found is not None:
                text = state.tokens[index + 2]
                made += _opening(token, found)
                _, _, rest = text.content.partition("\n")
                if rest:
                    text.content = rest
                else:  # the paragraph was the title alone
                    for _ in range(3):
                        next(tokens)
                continue
        elif token.type == "blockquote_close":
            token.tag = closers.pop()
        made.append(token)
    state.tokens = made


def _begins(tokens: list[Token], index: int) -> Callout | None:
    """The callout that a quote is."""
    if index + 2 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    return callouts.read(f"> {tokens[index + 2].content.partition(chr(10))[0]}", 1, 0, 0)


def _opening(token: Token, found: Callout) -> list[Token]:
    token.tag = "details" if found.fold else "div"
    token.attrs = {"class": f"n-callout n-{found.style}", **({"open": ""} if found.fold == "+" else {})}
    tag = "summary" if found.fold else "p"
    opening, closing = Token("callout_title_open", tag, 1), Token("callout_title_close", tag, -1)
    opening.attrs = {"class": "n-callout-title"}
    opening.block = closing.block = True
    title = Token("inline", "", 0)
    title.content = found.title or found.type.capitalize()
    title.children = []
    title.level = token.level + 2
    title.map = token.map and [token.map[0], token.map[0] + 1]
    return [token, opening, title, closing]
