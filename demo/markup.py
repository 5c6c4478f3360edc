"""Turn the plain-text markup of documentation (reStructuredText, NumPy and Google style, pydoc topics) into HTML.

Covers what docstrings use: headings, paragraphs, lists, definitions, literal blocks, doctests, fences and directives.
Unknown markup stays as readable text. No input raises.
"""

import html
import re
import textwrap

_UNDERLINE = re.compile(r"([=\-~^*#\"'`+.])\1{2,}\s*$")
_BULLET = re.compile(r"(?:[-*•+]|\d{1,3}[.)]|\(?[a-z]\))\s+")
_DIRECTIVE = re.compile(r"\.\.\s+([\w:-]+)::\s*(.*)$")
_ARGUMENT = re.compile(r"(\*{0,2}[A-Za-z_][\w.]*(?:\s+\([^)]*\))?):\s+(\S.*)$")
_FIELD = re.compile(r":(\w+)(?:\s+([^:]+))?:\s*(.*)$")
_SECTIONS = {"see also", "keyword args"} | set(
    "args arguments parameters returns return yields raises example examples note notes attributes warning warnings "
    "references usage shape inputs outputs".split()
)
_LITERAL = set("code code-block sourcecode math testcode doctest plot testoutput ipython productionlist".split())
_SILENT = set("image figure toctree automodule autoclass autosummary currentmodule module index include".split())
_INLINE = (
    (re.compile(r"``(.+?)``"), r"<code>\1</code>"),
    (re.compile(r":[\w:+-]+:`~?!?([^`&]+?)(?:\s*&lt;[^`]*&gt;)?`"), r"<code>\1</code>"),
    (re.compile(r"`([^`]+?)\s*&lt;(https?://[^`\s]+?)&gt;`__?"), r'<a href="\2">\1</a>'),
    (re.compile(r"`([^`\n]+?)`_?"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*\s](?:[^*]*[^*\s])?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r'(?<![">])(https?://[^\s<>"]+[\w/])'), r'<a href="\1">\1</a>'),
)
_MAX_DEPTH = 12  # nested blocks; anything deeper becomes one literal block


def to_html(text: str) -> str:
    """The HTML of one documentation text, without a frame; "" for an empty text."""
    return "\n".join(_blocks(text.expandtabs(4).splitlines(), 0))


def inline(text: str) -> str:
    """A paragraph with its emphasis, code and links marked up and everything else escaped."""
    marked = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        marked = pattern.sub(replacement, marked)
    return marked


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _literal(lines: list[str]) -> str:
    return f"<pre><code>{html.escape(textwrap.dedent(chr(10).join(lines)).strip(chr(10)), quote=False)}</code></pre>"


def _body(lines: list[str], start: int, indent: int) -> int:
    """Index after the lines from `start` that are blank or indented deeper than `indent`, without trailing blanks."""
    end = start
    for at in range(start, len(lines)):
        if lines[at].strip():
            if _indent(lines[at]) <= indent:
                break
            end = at + 1
    return end


def _nested(lines: list[str], depth: int) -> str:
    return "\n".join(_blocks(textwrap.dedent("\n".join(lines)).splitlines(), depth + 1))


def _blocks(lines: list[str], depth: int) -> list[str]:
    if depth > _MAX_DEPTH:
        return [_literal(lines)]
    out: list[str] = []
    at = 0
    literal_next = False
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            at += 1
        elif literal_next and _indent(lines[at]):
            end = _body(lines, at, 0)
            is_list = _BULLET.match(line)
            out.append(_nested(lines[at:end], depth) if is_list else _literal(lines[at:end]))
            at = end
            literal_next = False
        else:
            at, block, literal_next = _block(lines, at, depth)
            out.append(block)
    return [block for block in out if block]


def _block(lines: list[str], at: int, depth: int) -> tuple[int, str, bool]:
    """The block that begins at a line with text: index after it, its HTML, whether an indented literal may follow."""
    line = lines[at].strip()
    indent = _indent(lines[at])
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if _UNDERLINE.match(line) and len(line) > 3:  # an overline, or a rule
        return at + 1, "", False
    if _UNDERLINE.match(following) and len(following) >= min(len(line), 4):
        level = 2 if following[0] in "=*#" else 3
        return at + 2, f"<h{level}>{inline(line)}</h{level}>", False
    if line.startswith(("```", "~~~")):
        end = next((i for i in range(at + 1, len(lines)) if lines[i].strip().startswith(line[:3])), len(lines))
        return end + 1, _literal(lines[at + 1 : end]), False
    if line.startswith(">>>"):
        end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
        return end, _literal(lines[at:end]), False
    if line.startswith(".."):
        return _directive(lines, at, depth)
    if line.rstrip(":").lower() in _SECTIONS and line.endswith(":"):
        end = _body(lines, at + 1, indent)
        return end, f"<h3>{inline(line.rstrip(':'))}</h3>\n{_nested(lines[at + 1 : end], depth)}", False
    if _BULLET.match(line):
        return _list(lines, at, depth)
    if _ARGUMENT.match(line) or (following and _indent(lines[at + 1]) > indent) or _FIELD.match(line):
        return _definition(lines, at, depth)
    return _paragraph(lines, at)


def _paragraph(lines: list[str], at: int) -> tuple[int, str, bool]:
    end = at + 1
    indent = _indent(lines[at])
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) == indent:
        if _BULLET.match(lines[end].strip()) or lines[end].strip().startswith((">>>", "```")):
            break
        end += 1
    text = " ".join(line.strip() for line in lines[at:end])
    literal = text.endswith(":")
    text = text[:-1] if text.endswith("::") else text
    return end, f"<p>{inline(text)}</p>" if text.strip(": ") else "", literal


def _list(lines: list[str], at: int, depth: int) -> tuple[int, str, bool]:
    indent = _indent(lines[at])
    items = []
    while at < len(lines) and _indent(lines[at]) == indent and (mark := _BULLET.match(lines[at].strip())):
        end = _body(lines, at + 1, indent)
        first = lines[at].strip()[mark.end() :]
        items.append(f"<li>{_item(first, lines[at + 1 : end], depth)}</li>")
        at = end
        while at < len(lines) and not lines[at].strip():
            at += 1
    return at, "<ul>\n" + "\n".join(items) + "\n</ul>", False


def _item(first: str, rest: list[str], depth: int) -> str:
    """A list item: its first paragraph inline, the rest as blocks."""
    end = next((i for i, line in enumerate(rest) if not line.strip() or _BULLET.match(line.strip())), len(rest))
    text = inline(" ".join([first, *(line.strip() for line in rest[:end])]))
    return f"{text}\n{_nested(rest[end:], depth)}" if any(line.strip() for line in rest[end:]) else text


def _definition(lines: list[str], at: int, depth: int) -> tuple[int, str, bool]:
    line = lines[at].strip()
    end = _body(lines, at + 1, _indent(lines[at]))
    rest = lines[at + 1 : end]
    if field := _FIELD.match(line):
        term = field[2] or field[1]
        first = field[3]
    elif argument := _ARGUMENT.match(line):
        term = argument[1]
        first = argument[2]
    else:
        return end, f"<dl><dt>{inline(line)}</dt>\n<dd>{_nested(rest, depth)}</dd></dl>", False
    return end, f"<dl><dt>{inline(term)}</dt>\n<dd>{_item(first, rest, depth)}</dd></dl>", False


def _directive(lines: list[str], at: int, depth: int) -> tuple[int, str, bool]:
    end = _body(lines, at + 1, _indent(lines[at]))
    match = _DIRECTIVE.match(lines[at].strip())
    body = lines[at + 1 : end]
    if match is None or match[1].lower() in _SILENT:  # a comment, a link target, a picture
        return end, "", False
    name = match[1].lower()
    argument = match[2]
    body = [line for line in body if not re.match(r"\s+:[\w-]+:", line)]
    if name in _LITERAL:
        return end, _literal(body or [argument]), False
    label = name.replace("version", "version ").replace("-", " ").capitalize()
    text = _nested(body, depth)
    return end, f'<div class="admonition"><p><strong>{label}:</strong> {inline(argument)}</p>\n{text}</div>', False
