"""Articles in a page's JSON-LD: where they are found, in what form, and what hostile data comes to."""

import json
from typing import Any

import pytest

from curation.extract.article_body import MAX_SCRIPTS, article_body
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.articles import NAVIGATION, STORY
from tests.curation.extract.raw_pages import never, raw_pages

OPENING = '<script type="application/ld+json">'


def page(*scripts: Any) -> str:
    written = (script if isinstance(script, str) else json.dumps(script) for script in scripts)
    return (
        f"<html><body>{NAVIGATION}{''.join(f'{OPENING}{script}</script>' for script in written)}<p>x</p></body></html>"
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        pytest.param(page({"@type": "Article", "articleBody": "One. Two."}), "One. Two.", id="plain"),
        pytest.param(page({"@graph": [{"a": 1}, {"b": {"articleBody": "One."}}]}), "One.", id="within others"),
        pytest.param(page([{"articleBody": "One."}, {"articleBody": "Two, three."}]), "Two, three.", id="longest"),
        pytest.param(page("{", {"articleBody": "One."}), "One.", id="after a script that is no JSON"),
        pytest.param(page({"articleBody": "a \n b\r\n\r\nc"}), "a\nb\n\nc", id="breaks"),
        pytest.param(page('{"articleBody": "a\n\nb\t"}'), "a\n\nb", id="breaks as they are"),
        pytest.param(page({"articleBody": "a &amp; b&nbsp;c"}), "a & b\u00a0c", id="character references"),
        pytest.param(page({"articleBody": "<p>a</p><p>b<br>c</p>"}), "a\n\nb\nc", id="HTML"),
        pytest.param(page({"articleBody": "&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b"}), "a\n\nb", id="HTML in references"),
        pytest.param(page({"articleBody": "1 < 2 and 3 > 2"}), "1 < 2 and 3 > 2", id="signs that are no tags"),
        pytest.param(page({"articleBody": ["a"]}, {"articleBody": None}), "", id="no string"),
        pytest.param(page({"name": "articleBody"}), "", id="only the word"),
        pytest.param("<script>articleBody = 'a'</script>", "", id="another script"),
        pytest.param(f'{OPENING}{{"articleBody": "a"}}', "", id="never closed"),
        pytest.param(f"{OPENING.upper()}{{\"articleBody\": \"a\"}}</SCRIPT>", "a", id="upper case"),
        pytest.param(page("[" * 1_000_000 + '"articleBody"'), "", id="nested too deeply"),
        pytest.param(page(*['{"articleBody": 1}'] * MAX_SCRIPTS, {"articleBody": "a"}), "", id="too many"),
        pytest.param(page('{"a": ' + "9" * 1_000_000 + ', "articleBody": "a"}'), "a", id="a long number"),
    ],
)  # fmt: skip
def test_article_body(markup: str, text: str) -> None:
    assert article_body(markup) == text


@pytest.mark.parametrize(
    ("body", "parser"),
    [
        pytest.param(" ".join(STORY), "resiliparse+article_body", id="an article"),
        pytest.param(STORY[0], "resiliparse", id="next to nothing"),
    ],
)
def test_it_takes_the_place_of_next_to_nothing(body: str, parser: str) -> None:
    found = Resiliparse().extract(raw_pages(page({"articleBody": body}).encode()), {}, never)
    assert found.column("extract")[0].as_py()["parser"] == parser
    assert (found.column("text")[0].as_py() == body) is (parser != "resiliparse")


def test_it_is_not_read_where_the_parser_finds_a_text() -> None:
    markup = page({"articleBody": "Another. " * 100}).replace("<p>x</p>", "".join(f"<p>{one}</p>" for one in STORY))
    found = Resiliparse().extract(raw_pages(markup.encode()), {}, never)
    assert found.column("extract")[0].as_py()["parser"] == "resiliparse"
    assert "Another" not in found.column("text")[0].as_py()
