"""Rows and the summary by source and stratum, from a sample and outcomes by hand."""

from collections import Counter

import pyarrow as pa

from curation.account.annotate.annotations import COLUMNS, Annotations, Annotator, Cell, rows_of, summary
from curation.account.annotate.budget import Prices, Spend
from curation.account.annotate.documents import SAMPLE
from curation.account.annotate.teacher import TeacherOutcome, TeacherProgress

ASKED = Annotator("short 1", "prompt", "m")
HASHES = ["x", "y", "x", "z", "w"]
TABLE = pa.table(
    {
        "doc_id": ["1", "2", "3", "4", "5"],
        "url": ["u1", None, "u3", "u4", "u5"],
        "source": ["web", "web", "books", "books", "books"],
        "stratum": ["low", "high", "low", "low", "low"],
        "text": ["same", "other", "same", "bad", "dear"],
    },
    SAMPLE,
)
OUTCOME = TeacherOutcome({"x": (3, "good"), "y": (0, "")}, {"z": "empty answer"}, stopped=True)


def test_rows() -> None:
    rows = rows_of(TABLE, HASHES, OUTCOME, ASKED)
    assert rows.schema == COLUMNS
    assert rows["doc_id"].to_pylist() == ["1", "2", "3", "4"]
    assert rows["score"].to_pylist() == [3, 0, 3, None]
    assert rows["reason"].to_pylist() == ["good", "", "good", None]
    assert rows["unscored"].to_pylist() == [None, None, None, "empty answer"]
    assert rows["model"].to_pylist() == ["m"] * 4


def summed(prices: Prices) -> Annotations:
    spend = Spend(prices, 10, cached=0.5, paid=1.5, prompt_tokens=7, completion_tokens=8)
    progress = TeacherProgress(
        4, spend, done=3, cached=1, requests=5, malformed=2, retries=Counter({"HTTP 500": 1, "HTTP 429": 2})
    )
    available = {("web", "low"): 10, ("web", "high"): 20, ("books", "low"): 30, ("books", "high"): 40}
    rows = rows_of(TABLE, HASHES, OUTCOME, ASKED)
    return summary(TABLE, rows, available, progress, output="o", cache="c", asked=ASKED, torn_lines=0, seconds=2.5)


def test_summary() -> None:
    result = summed(Prices(price_in=1, price_out=1, max_cost=2))
    assert result.cells == [
        Cell("web", "low", 10, 1, 0, {3: 1}),
        Cell("web", "high", 20, 1, 0, {0: 1}),
        Cell("books", "low", 30, 3, 1, {3: 1}),
        Cell("books", "high", 40, 0, 0, {}),
    ]
    assert (result.sampled, result.scored, result.not_asked, result.unscored) == (5, 3, 1, {"empty answer": 1})
    assert list(result.retries.items()) == [("HTTP 429", 2), ("HTTP 500", 1)]
    assert (result.paid, result.uncertain, result.paid_before, result.max_cost) == (1.5, 0, 0.5, 2)


def test_without_prices_there_are_no_costs() -> None:
    result = summed(Prices())
    assert (result.paid, result.uncertain, result.paid_before, result.max_cost) == (None, None, None, None)
