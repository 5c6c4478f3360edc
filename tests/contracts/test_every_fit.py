"""What every fit signs by existing: a file in `curation/fit/` with a fit is tested here unasked."""

import importlib
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core import catalog
from curation.core.fits import LABEL, Counts, Examples, Fit, Indexes, Learns, LearnsPages
from curation.core.verbs import FIT
from curation.extract.resiliparse import Resiliparse
from curation.models.evalsets.sets import EvalSet
from tests.support import documents

KEYS = catalog.known(FIT)
TEXTS = ["the people of the town read a book", "a stone lies by the sea, where 12 waves roll", ""]
# Options that a fit cannot do without, by key.
OPTIONS: dict[str, dict[str, Any]] = {
    "classifier": {"positives": "good.jsonl", "negatives": Examples(chain="web")},
    "dsir": {"target": "books.jsonl"},
    "evalsets": {"sets": {"facts": EvalSet(files="facts.jsonl", question="question")}},
    "extractor": {"teacher": {"resiliparse": Resiliparse()}},
    "kmeans": {"model": "words.vec"},
    "site_preferences": {"files": "robotstxt/*.warc.gz"},
    "quantiles": {"signals": ("gopher_quality.words",)},
}


def make(key: str) -> Fit:
    """The fit with its default settings."""
    made = catalog.find(FIT, key)(**OPTIONS.get(key, {}))
    assert isinstance(made, Fit)
    return made


def rows(made: Fit, *texts: str) -> Iterator[pa.RecordBatch]:
    """Documents as the engine shows them."""
    batch = documents(*texts)
    if made.examples() is not None:
        labels = list(made.examples() or {})
        batch = batch.append_column(LABEL, pa.array([labels[n % len(labels)] for n in range(len(texts))], pa.string()))
    yield batch


@pytest.mark.parametrize("key", KEYS)
def test_it_is_of_one_kind_and_says_what_it_is_shown(key: str) -> None:
    made = make(key)
    assert [isinstance(made, kind) for kind in (Learns, Counts, Indexes, LearnsPages)].count(True) == 1
    assert re.fullmatch(r"\w+\.\w+", made.asset)
    samples = [made.sample_bytes, made.sample_documents]
    assert samples.count(None) == (2 if isinstance(made, Indexes | LearnsPages) else 1)
    assert made.verb is FIT
    assert isinstance(made.version, int)


@pytest.mark.parametrize("key", KEYS)
def test_examples_have_the_groups_of_their_labels_and_only_text(key: str) -> None:
    made = make(key)
    if not made.examples():
        assert made.held_out == 0
        return
    assert made.sample_by == LABEL
    assert made.reads == ("text",)
    assert made.balanced({"a": 1000, "b": 10}) is not None
    assert set(made.inputs()) == {label for label, one in (made.examples() or {}).items() if one.files}


@pytest.mark.parametrize("key", KEYS)
def test_a_fit_of_files_or_pages_reads_no_documents(key: str) -> None:
    made = make(key)
    if isinstance(made, Indexes):
        assert (made.reads, made.examples()) == ((), {})
        assert all(made.inputs().values())
    else:
        assert bool(made.reads) is not isinstance(made, LearnsPages)


@pytest.mark.parametrize("key", KEYS)
def test_counts_have_the_schema_that_is_stated(key: str) -> None:
    made = make(key)
    if not isinstance(made, Counts):
        return
    assert made.schema().field("key_hi").type == pa.uint64()
    for texts in ((), ("",), TEXTS):
        counted = made.count(rows(made, *texts))
        assert counted.schema == made.schema()
        assert made.merge(counted).schema == made.schema()
    assert made.count(iter(())).schema == made.schema()
    assert made.merge(made.schema().empty_table()).num_rows == 0


@pytest.mark.parametrize("key", KEYS)
def test_counts_are_the_same_however_documents_are_cut(key: str) -> None:
    made = make(key)
    if not isinstance(made, Counts):
        return
    (batch,) = rows(made, *TEXTS)
    whole = made.merge(made.count(iter([batch])))
    cut = made.merge(pa.concat_tables([made.count(iter([batch.slice(n, 1)])) for n in range(len(batch))]))
    order = [(name, "ascending") for name in made.schema().names]
    assert cut.sort_by(order) == whole.sort_by(order)
    assert cut.num_rows > 0


@pytest.mark.parametrize("key", KEYS)
def test_it_can_be_sent_to_a_worker(key: str) -> None:
    made = make(key)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize("key", KEYS)
def test_the_file_shows_how_it_is_used(key: str) -> None:
    docstring = importlib.import_module(catalog.find(FIT, key).__module__).__doc__ or ""
    assert f"- fit: {{{key}: " in docstring or f"{key}:\n" in docstring


@pytest.mark.parametrize("key", KEYS)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "fit" / f"test_{key}.py").is_file()
