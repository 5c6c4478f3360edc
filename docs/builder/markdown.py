"""Markdown as HTML. HTML within Markdown is shown as text."""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

LANGUAGES = {"jsonl": "json", "": "text"}  # as Pygments calls them
ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")


def render(text: str) -> Markup:
    """A page, or the text of a docstring."""
    return Markup(_MARKDOWN.render(text))


def inline(text: str) -> Markup:
    """A sentence, without a paragraph around it."""
    return Markup(_MARKDOWN.renderInline(text))


def coloured(code: str, language: str = "python", file: str = "") -> Markup:
    """Code as a block, with the name of its file above it."""
    lexer = get_lexer_by_name(LANGUAGES.get(language, language), stripnl=False)
    lines = Markup(highlight(code, lexer, HtmlFormatter(nowrap=True)))
    named = Markup(' data-file="{}"').format(file) if file else ""
    # What scrolls sideways can be reached by the keyboard.
    return Markup('<pre tabindex="0"{}><code>{}</code></pre>').format(named, lines)


def colours() -> str:
    """The style sheet of code, for light and for dark."""
    light = HtmlFormatter(style="default").get_style_defs("pre")
    dark = HtmlFormatter(style="github-dark").get_style_defs("pre")
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _fence(code: str, language: str, attributes: str) -> str:
    return str(coloured(code, language, "".join(re.findall(r"file=(\S+)", attributes))))


def _text(renderer: object, tokens: Sequence[Token], place: int, options: Any, environment: Any) -> str:
    """Text with links to the papers that it cites."""
    return ARXIV.sub(r'<a href="https://arxiv.org/abs/\1">\g<0></a>', str(escape(tokens[place].content)))


def _indented(renderer: object, tokens: Sequence[Token], place: int, options: Any, environment: Any) -> str:
    return str(coloured(tokens[place].content, ""))


_MARKDOWN = MarkdownIt("commonmark", {"html": False, "highlight": _fence}).enable("table")
_MARKDOWN.add_render_rule("text", _text)
_MARKDOWN.add_render_rule("code_block", _indented)
