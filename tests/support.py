"""What many tests need: tables of cases, batches of documents, a rule set's verdict on a text, the real test data."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.document import DOCUMENT, document_id
from curation.core.errors import WinnowError
from curation.core.filter import Filter
from curation.core.fits import Counts, Learns
from curation.core.rules import first_failure

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

needs_shared_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"real test data is not at {SHARED}; this test only runs beside it"
)


def table(names: str | tuple[str, ...], cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Runs a test once for each case: what it is, in words -> the values of `names`."""
    return pytest.mark.parametrize(names, list(cases.values()), ids=list(cases))


def documents(*texts: str | None, **columns: list[object]) -> pa.RecordBatch:
    """A DOCUMENT batch with one row per text, urls https://example.org/0, 1, … and any column overridden or added."""
    values: dict[str, list[object]] = {
        "doc_id": [document_id("test", "f", i, "") for i in range(len(texts))],
        "url": [f"https://example.org/{i}" for i in range(len(texts))],
        "source": ["test"] * len(texts),
        "text": list(texts),
    }
    arrays = {
        field.name: pa.array(columns.pop(field.name, values.get(field.name, [None] * len(texts))), field.type)
        for field in DOCUMENT
    }
    arrays.update({name: pa.array(column) for name, column in columns.items()})
    return pa.RecordBatch.from_pydict(arrays)


def verdict(rule_set: Filter, text: str, **columns: object) -> str | None:
    """Which limit the text breaks first, as "<signal>:<side>", or None when it is kept."""
    batch = documents(text, **{name: [value] for name, value in columns.items()})
    failure: str | None = first_failure(rule_set.measure(batch), rule_set.rules(), 1)[0].as_py()
    return failure


def refusal(call: Callable[..., object], *arguments: object, **options: object) -> str | None:
    """The message with which a call refuses what it is given; None where it accepts it."""
    try:
        call(*arguments, **options)
    except (WinnowError, ValueError) as error:
        return str(error)
    return None


def learned(fit: Learns | Counts, texts: Iterable[pa.Array]) -> bytes:
    """The main file that the fit learns from the texts; of a fit that counts, each array is a unit of its own."""
    batches = (pa.RecordBatch.from_arrays([text], names=["text"]) for text in texts)
    if isinstance(fit, Learns):
        return fit.fit(batches)[fit.asset]
    counted = [fit.count(iter([batch])) for batch in batches]
    return fit.finish([fit.merge(pa.concat_tables([fit.count(iter(())), *counted]))])[fit.asset]
