"""Large pages of one shape each, which an extractor must read in linear time."""

from collections.abc import Callable

BYTES = 100_000  # about, of a page of size 1
_SENTENCE = "The river rose in the night, and by the morning the fields below the old mill were under water."
_HEAD = "<!DOCTYPE html><html><head><title>Large pages</title></head><body><main><h1>Large pages</h1>"
_FOOT = "</main></body></html>"


def _rows_with_breaks(number: int) -> str:
    return (
        f'<tr><td><a href="/r/{number}">Registry {number}</a></td><td>RFC {number}<br>RFC {number + 1}</td>'
        f"<td>Expert</td></tr>"
    )


def _rows_of_blocks(number: int) -> str:
    return f"<tr><td><p>Name {number}</p><p>born</p></td><td><div>in <b>{number}</b></div></td></tr>"


def _rows_of_code(number: int) -> str:
    return (
        f'<tr><td id="L{number}" class="blob-num" data-line-number="{number}"></td><td class="blob-code">'
        f'<span class="pl-k">def</span> <span class="pl-en">f{number}</span>(x): <span class="pl-k">return</span> x'
        f" + {number}</td></tr>\n"
    )


def _many_pre(number: int) -> str:
    return f"<p>Line {number} prints:</p><pre>for x in range({number}):\n    print(x)\n</pre>"


def _short_runs(number: int) -> str:
    return f"<p>{_SENTENCE} <b>梅</b> <i>≠</i> <b>的</b> {number} <em>—</em> {_SENTENCE}</p>"


def _raised(number: int) -> str:
    return (
        f"<p>Area {number} has 10<sup>{number % 10}</sup> m<sup>2</sup> of H<sub>2</sub>O<sup>+</sup>. {_SENTENCE}</p>"
    )


def _ruby(number: int) -> str:
    return (
        f"<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>に{number}<ruby>人<rt>にん</rt></ruby>がいます。"
        f"{_SENTENCE}</p>"
    )


def _numbered(number: int) -> str:
    items = "".join(f'<li value="{number + item}">Item {item} of list {number}' for item in range(5))
    return f'<ol start="{number}">{items}</ol>'


def _figures(number: int) -> str:
    return (
        f'<figure><img src="{number}.png"><blockquote>Quote {number}: {_SENTENCE}</blockquote><figcaption>Figure '
        f"{number}</figcaption></figure><p>{_SENTENCE}</p>"
    )


def _formulas(number: int) -> str:
    return (
        f"<p>For x the value is <math><mrow><msup><mi>x</mi><mn>{number}</mn></msup><mo>+</mo><mi>y</mi></mrow></math>,"
        f" and {_SENTENCE}</p>"
    )


def _open_paragraphs(number: int) -> str:
    return f"<p>{number}. {_SENTENCE}<br>{_SENTENCE}\n"


def _definitions(number: int) -> str:
    return f"<dt>Word {number}<dd>{_SENTENCE}"


def _links(number: int) -> str:
    return f'<p>{_SENTENCE} <a href="/{number}">See page {number}</a>, or <time>{1900 + number % 100}</time>.</p>'


def _repeated(part: Callable[[int], str], around: tuple[str, str] = ("", "")) -> Callable[[int], str]:
    def page(size: int) -> str:
        parts: list[str] = []
        left = size * BYTES
        while left > 0:
            parts.append(part(len(parts)))
            left -= len(parts[-1].encode())
        return f"{_HEAD}{around[0]}{''.join(parts)}{around[1]}{_FOOT}"

    return page


def _tables_within(size: int) -> str:
    """Tables of three levels, side by side."""
    inner = "<table><tr><td>a<br>b<td>c</table>"
    middle = f"<table><tr><td>{inner}<td><p>{_SENTENCE}</p></table>"
    return _repeated(lambda number: f"<table><tr><td>{number}<td>{middle}</table>")(size)


def _deep_lists(size: int) -> str:
    """Lists of 40 levels, side by side."""
    deep = "".join(f"<ul><li>Level {level} of the list" for level in range(40)) + "</ul>" * 40
    return _repeated(lambda number: f"<p>List {number}</p>{deep}")(size)


def _one_cell(size: int) -> str:
    """A page in one cell of a table, as layouts were once made."""
    return _repeated(lambda number: f"<p>{number}. {_SENTENCE}</p><br>", ("<table><tr><td>", "</table>"))(size)


SHAPES: dict[str, Callable[[int], str]] = {
    "table rows with <br>": _repeated(_rows_with_breaks, ("<table>", "</table>")),
    "table rows of blocks": _repeated(_rows_of_blocks, ("<table>", "</table>")),
    "lines of code in a table": _repeated(_rows_of_code, ("<table>", "</table>")),
    "tables within tables": _tables_within,
    "all in one cell": _one_cell,
    "many <pre>": _repeated(_many_pre),
    "one <pre>": _repeated(lambda number: f"x{number} = f(<b>{number}</b>)\n    # a comment\n", ("<pre>", "</pre>")),
    "deep lists": _deep_lists,
    "numbered lists": _repeated(_numbered),
    "runs of three bytes": _repeated(_short_runs, ("<table><tr><td>A<br>B</table>", "")),
    "raised and lowered": _repeated(_raised),
    "ruby": _repeated(_ruby),
    "figures": _repeated(_figures),
    "formulas": _repeated(_formulas),
    "open paragraphs": _repeated(_open_paragraphs),
    "one paragraph": _repeated(lambda number: f"{number} {_SENTENCE} ", ("<p>", "</p>")),
    "definitions": _repeated(_definitions, ("<dl>", "</dl>")),
    "links": _repeated(_links),
}
"""Shape -> a function from a size to a page of about size * BYTES bytes, in UTF-8."""
