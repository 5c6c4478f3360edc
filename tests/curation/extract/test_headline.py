"""The title that a page shows: which heading it is, and where it stands in the text."""

import pytest

from curation.extract.headline import MAX_HEADINGS, MAX_TITLE, headed, headline
from tests.support import table


def page(*headings: str, title: str = "Fog over the bay | Harbour news") -> str:
    return f"<html><head><title>{title}</title></head><body>{''.join(f'<h1>{one}</h1>' for one in headings)}</body>"


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        pytest.param(page("Fog over the bay"), "Fog over the bay", id="in the title"),
        pytest.param(page("Fog over the bay tonight"), "Fog over the bay tonight", id="more than in the title"),
        pytest.param(page("Fog, sun and rain"), "", id="less than half"),
        pytest.param(page("Fog and"), "Fog and", id="half"),
        pytest.param(page("Harbour news", "Fog over the bay"), "Fog over the bay", id="the one that shares most"),
        pytest.param(page("Harbour news"), "", id="the site's name"),
        pytest.param(page("Fog", title="Fog"), "Fog", id="no site's name"),
        pytest.param(page("Fog over the bay", title=""), "", id="no title"),
        pytest.param(page(), "", id="no heading"),
        pytest.param("<title>Fog</title>", "", id="only a title"),
        pytest.param(page("\n<a>Fog <!-- -->over</a>\n<br>the&#32;b&#97;y<svg>x</svg>"), "Fog over the bay", id="tags"),
        pytest.param(page("Fog over the bay").upper(), "FOG OVER THE BAY", id="tags in upper case"),
        pytest.param(page("\u6d77\u6e7e", title="\u6d77\u6e7e - \u6e2f\u53e3"), "\u6d77\u6e7e", id="Chinese"),
        pytest.param("<title>a</title><h1>a", "", id="never closed"),
        pytest.param("<title>a</title><h1", "", id="cut off"),
        pytest.param("<title>a</title><h12>a</h12>", "", id="another element"),
        pytest.param(page("a " * MAX_TITLE, title="a " * MAX_TITLE), "", id="too long"),
        pytest.param(page(*[" "] * MAX_HEADINGS, "Fog"), "", id="too many"),
    ],
)  # fmt: skip
def test_which_heading(markup: str, title: str) -> None:
    assert headline(markup) == title


@table(
    ("text", "wanted"),
    {
        "dropped": ("One.\n\nTwo.", "Fog over the bay\n\nOne.\n\nTwo."),
        "first": ("Fog over the bay\n\nOne.", "Fog over the bay\n\nOne."),
        "moved": ("1 May\nFOG OVER THE BAY\nOne.", "Fog over the bay\n\n1 May\nOne."),
        "last": ("One.\n\nFog over the bay", "Fog over the bay\n\nOne."),
        "in a longer line": ("Fog over the bay, by A. B.\nOne.", "Fog over the bay, by A. B.\nOne."),
        "below the top": ("a\nb\nc\nFog over the bay!", "Fog over the bay\n\na\nb\nc\nFog over the bay!"),
        "no text": ("", ""),
    },
)
def test_where_it_stands(text: str, wanted: str) -> None:
    assert headed(text, "Fog over the bay") == wanted


def test_a_hostile_page_is_read_in_no_time() -> None:
    assert headline("<title>a</title>" + "<h1" * 1_000_000) == ""
    assert headline("<title>a</title><h1>" + "<!--" * 1_000_000) == ""
