"""Filters and rewriters called with texts in memory: one text, a list, a column, a table; and what is no text."""

from typing import Any

import pandas
import pyarrow as pa
import pytest

from curation.core.answers import Judgement, Rewrite
from curation.core.errors import UserError
from curation.core.texts_in_memory import judged
from curation.filters.gopher_quality import GopherQuality
from curation.filters.url_blocklist import UrlBlocklist
from curation.rewrite.secrets import Secrets

WORDS = GopherQuality(min_words=2, min_stop_words=0)
LOW = "gopher_quality.words:low"
NO_TEXT = "extract:no_text"


def test_one_text() -> None:
    verdict = WORDS("two words")
    assert (verdict.kept, verdict.reason, verdict.signals["words"]) == (True, None, 2)
    assert WORDS({"text": "one", "url": "http://a.example"}).reason == LOW


def test_a_verdict_is_true_where_the_text_is_kept() -> None:
    assert [text for text in ("two words", "one") if WORDS(text)] == ["two words"]


def test_a_language_may_be_a_word() -> None:
    limits = GopherQuality(min_words=1, min_stop_words=0, by_language={"de": {"min_words": 2}})
    assert limits({"text": "eines", "language": "de"}).reason == LOW
    assert limits({"text": "eines", "language": {"label": "de"}}).reason == LOW
    assert limits([{"text": "eins", "language": "en"}, {"text": "eins", "language": None}, "eins"])[1].kept
    with pytest.raises(UserError, match=r"the column `language` of the documents holds list<.*>, not codes like de"):
        limits({"text": "one", "language": ["de"]})


def test_a_list_with_a_null() -> None:
    verdicts = WORDS(["two words", None, "one"])
    assert [(one.kept, one.reason) for one in verdicts] == [(True, None), (False, NO_TEXT), (False, LOW)]
    assert verdicts[1] == Judgement(kept=False, reason=NO_TEXT, signals={})
    assert WORDS([]) == []


def test_more_than_a_batch() -> None:
    verdicts = WORDS(["one", None, "two words"] * 700)
    assert [one.kept for one in verdicts] == [False, False, True] * 700


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array(["two words", None, "one"]), id="an array"),
        pytest.param(pa.chunked_array([["two words"], [None, "one"]]), id="chunks"),
        pytest.param(pa.array(["two words", None, "one"]).dictionary_encode(), id="a dictionary"),
        pytest.param(pa.table({"text": ["two words", None, "one"], "year": [1, 2, 3]}), id="a table"),
        pytest.param(pa.RecordBatch.from_pydict({"text": ["two words", None, "one"]}), id="a batch"),
    ],
)
def test_a_column_of_arrow_gives_a_table(column: Any) -> None:
    table = WORDS(column)
    assert table["kept"].to_pylist() == [True, False, False]
    assert table["reason"].to_pylist() == [None, NO_TEXT, LOW]
    assert table["gopher_quality.words"].to_pylist() == [2, None, 1]


def test_a_column_of_pandas_gives_a_frame_with_its_index() -> None:
    series = pandas.Series(["two words", None, "one"], index=[7, 8, 9])
    for given in (series, series.to_frame("text")):
        frame = WORDS(given)
        assert frame["kept"].to_dict() == {7: True, 8: False, 9: False}
    assert len(WORDS(pa.array([], pa.string()))) == 0


def test_a_rewriter_gives_texts_and_counts() -> None:
    rewriter = Secrets()
    token = "ghp_" + "wK3x" * 9
    changed, same, null = rewriter([f"my token is {token}", "nothing here", None])
    assert changed.text is not None
    assert token not in changed.text
    assert same.text == "nothing here"
    assert null == Rewrite(text=None, counts={})
    assert rewriter(pa.array(["nothing here"]))["text"].to_pylist() == ["nothing here"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(b"bytes", "bytes is not what documents can be read from; give texts", id="bytes"),
        pytest.param(3, "int is not what documents can be read from", id="a number"),
        pytest.param([3], "a document is of type int; give texts, or mappings with `text`", id="a list of numbers"),
        pytest.param([{"body": "x"}], "a document has no `text`, only body", id="a mapping without a text"),
        pytest.param(pa.array([1]), "the column `text` of the documents holds int64, not strings", id="a column"),
        pytest.param(pa.table({"body": ["x"]}), "no column `text`, only body; rename one", id="a table without texts"),
        pytest.param(["\ud800"], "the documents make no table", id="half a character"),
    ],
)
def test_what_holds_no_texts(given: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        judged(WORDS, given)


def test_a_column_that_a_text_alone_does_not_have() -> None:
    blocked = UrlBlocklist(domains=("a.example",))
    with pytest.raises(UserError, match="url_blocklist reads url; give documents as mappings, or a table, with text"):
        blocked("http://a.example")
