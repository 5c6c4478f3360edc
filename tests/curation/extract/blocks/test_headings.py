"""The text of each <h1>, in one line."""

from curation.extract.blocks.headings import headings
from curation.extract.blocks.scanner import scan
from curation.extract.headline import MAX_HEADINGS, MAX_TITLE
from tests.support import table


@table(
    "html, lines",
    {
        "in order": ("<h1>Fog</h1><p>x</p><h1>Sun</h1>y", ["Fog", "Sun"]),
        "none": ("<h2>Fog</h2><title>Sun</title>", []),
        "over several blocks": ("x<h1><a>Fog <b>over</b></a><br><div>the  bay</div></h1>y", ["Fog over the bay"]),
        "references": ("<h1>T&eacute;a &amp; b</h1>", ["Téa & b"]),
        "without text": ("<h1> <img></h1><h1>Fog</h1>", ["Fog"]),
        "never closed": ("<div><h1>Fog</div>x", ["Fog"]),
        "too long": (f"<h1>{'a' * MAX_TITLE}b</h1><h1>{'a' * MAX_TITLE}</h1>", ["a" * MAX_TITLE]),
        "too many": ("<h1></h1>" * MAX_HEADINGS + "<h1>Fog</h1>", []),
    },
)
def test_headings(html: str, lines: list[str]) -> None:
    page = scan(html.encode(), max_nodes=10_000, max_depth=200, max_attributes=200)
    assert list(headings(page)) == lines
