"""A run in a line and in a table, and its documents: those that it kept, and those that it dropped with the reasons."""

from pathlib import Path

import pyarrow as pa
import pytest

import winnow

GOOD = "The dog that you have is kind to all of us."
TEXTS = [GOOD, GOOD, "Buy <now>!"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> winnow.Run:
    quality = winnow.filters.GopherQuality(min_words=10, min_stop_words=1)
    steps = [quality, winnow.dedup.Exact()]
    folder: Path = tmp_path_factory.mktemp("summary") / "a & b"
    return winnow.curate(steps, TEXTS, folder, executor=winnow.Inline())


def test_kept_and_dropped_are_all_documents(run: winnow.Run) -> None:
    assert list(run.texts()) == [GOOD]
    dropped = pa.Table.from_batches(run.dropped())
    assert dropped.to_pylist() == [
        {"text": "Buy <now>!", "stage": "gopher_quality", "drop_reason": "gopher_quality.words:low"},
        {"text": GOOD, "stage": "dedup", "drop_reason": "dedup.exact:duplicate"},
    ]
    (first, *_) = run.dropped(["drop_reason", "source"])
    assert first.to_pylist() == [
        {"source": "texts", "stage": "gopher_quality", "drop_reason": "gopher_quality.words:low"}
    ]
    with pytest.raises(winnow.UserError, match="no column 'words'"):
        list(run.dropped(["words"]))


def test_what_a_notebook_shows(run: winnow.Run) -> None:
    html = run._repr_html_()
    assert html.startswith("<p>Run ")
    assert "a &amp; b: 3 stages, 3 documents read, 1 kept</p>" in html
    assert "<tr><th>gopher_quality</th><td>3</td><td>1</td><td>2</td></tr>" in html
    assert html.endswith("<tr><th>dedup</th><td>2</td><td>1</td><td>1</td></tr></table>")
