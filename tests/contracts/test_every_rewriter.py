"""What every rewriter signs by existing: a new file in `curation/rewrite/` is tested here unasked."""

import importlib
import pkgutil
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curation.rewrite
from curation.core.document import DOCUMENT
from curation.core.protocols import Rewriter
from curation.text.edits.redaction import SPANS as FOUND
from curation.text.edits.redaction import placed
from tests.support import documents

KEYS = sorted(module.name for module in pkgutil.iter_modules(curation.rewrite.__path__))
PROSE = "The people of the town have to read and be kind."
PIECES = [
    PROSE,
    "the",
    "\n",
    "\n\n",
    "[1]",
    "MENU",
    "3 likes",
    "read more...",
    "<s>",
    "cafe\u0301",
    "Ã©",
    "中文",
    "\r\n",
    "\0",
    "AKIAZ7QX2M4WTB6PKD3H",
    "api_key = 'q8Zr2Lw0Vn5Tx7Jb'",
    "https://ann:Qx7!rz@db.test/",
]
HOSTILE = {
    "empty": b"",
    "one word": b"word",
    "blank": b" \n\t\n",
    "invalid UTF-8": b"\xff\xfe so it ends. \xc3\n\xe2\x80",
    "emoji": "👩‍👩‍👧🇩🇪😀\n".encode() * 20,
    "right to left": "זה הסוף של השורה.\nانتهى السطر هنا؟\n".encode(),
    "CJK": "没有空格的一行文字。\n日本語の文。\n".encode(),
    "NUL bytes": b"so \0 it ends.\0\n\0\0\n",
}

# Options that a rewriter cannot do without, by key.
OPTIONS: dict[str, dict[str, Any]] = {"cut_spans": {"of": ("line",)}}


def spans_of(text: bytes) -> dict[str, Any]:
    """What a dedup stage says of a text of which the middle third is repeated."""
    places = [at for at, byte in enumerate(text) if byte & 0xC0 != 0x80]
    start, stop = (places[len(places) * third // 3] for third in (1, 2)) if len(places) > 2 else (0, 0)
    spans = [{"start": start, "stop": stop}] if start < stop else []
    return {"spans": spans, "units": 3, "repeated": len(spans), "text_bytes": len(text)}


SPANS = pa.list_(pa.struct([("start", pa.int64()), ("stop", pa.int64())]))
# Columns that earlier stages of a recipe add: their type, and their value for a text.
ADDED: dict[str, tuple[pa.DataType, Callable[[bytes], Any]]] = {
    "line": (
        pa.struct([("spans", SPANS), ("units", pa.int64()), ("repeated", pa.int64()), ("text_bytes", pa.int64())]),
        spans_of,
    ),
    "language": (pa.struct([("label", pa.string())]), lambda text: {"label": "de" if len(text) % 2 else "en"}),
}

texts = st.one_of(st.none(), st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
batches = st.lists(texts, min_size=1, max_size=5).map(lambda made: documents(*made))


def kind(key: str) -> type:
    """The class is named after the file."""
    module = importlib.import_module(f"curation.rewrite.{key}")
    found: type = getattr(module, "".join(part.capitalize() for part in key.split("_")))
    return found


def variants(key: str) -> tuple[str | None, ...]:
    return typing.get_args(typing.get_type_hints(kind(key)).get("variant")) or (None,)


EACH = [pytest.param(key, v, id=f"{key}-{v}" if v else key) for key in KEYS for v in variants(key)]


def make(key: str, variant: str | None = None) -> Rewriter:
    """The rewriter with its default settings."""
    made: Rewriter = kind(key)(**OPTIONS.get(key, {}), **({"variant": variant} if variant else {}))
    return made


def given_to(made: Rewriter, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with the columns that the rewriter reads beside the text."""
    contents = batch.column("text").cast(pa.large_binary()).to_pylist()
    for name in made.reads[1:]:
        if name in batch.schema.names:
            continue
        if name in DOCUMENT.names:
            batch = batch.append_column(name, pa.nulls(batch.num_rows, DOCUMENT.field(name).type))
            continue
        kind, value = ADDED[name]
        batch = batch.append_column(name, pa.array([value(content or b"") for content in contents], kind))
    return batch


def rewritten(made: Rewriter, batch: pa.RecordBatch) -> list[tuple[str, dict[str, Any]]]:
    text, counts = made.rewrite(given_to(made, batch))
    assert text.type == pa.large_string()
    assert text.null_count == 0
    text.validate(full=True)
    assert all(len(values) == len(text) == batch.num_rows for values in counts.values())
    assert all(values.type in (pa.int64(), FOUND) for values in counts.values())
    assert all(values.null_count == 0 for values in counts.values())
    if "spans" in counts and pa.types.is_list(counts["spans"].type):
        placed(batch.column("text"), counts.pop("spans"))
    rows = [dict(zip(counts, row, strict=True)) for row in zip(*(c.to_pylist() for c in counts.values()), strict=True)]
    return list(zip(text.to_pylist(), rows, strict=True))


@pytest.mark.parametrize("key", KEYS)
def test_its_column_is_none_of_a_document(key: str) -> None:
    assert key not in DOCUMENT.names


def test_there_are_rewriters() -> None:
    assert {"c4_lines", "refinedweb_lines", "unicode"} <= set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_it_has_the_shape_of_a_rewriter(key: str) -> None:
    made = make(key)
    assert isinstance(made, Rewriter)
    assert isinstance(made.version, int)
    assert made.reads[0] == "text"
    assert set(made.reads[1:]) <= {*ADDED, *DOCUMENT.names}, f"teach this test what {made.reads} hold"


@pytest.mark.parametrize(("key", "variant"), EACH)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_a_document_is_rewritten_alike_alone_and_among_others(
    key: str, variant: str | None, batch: pa.RecordBatch
) -> None:
    made = make(key, variant)
    together = rewritten(made, batch)
    for row, expected in enumerate(together):
        for alone in (batch.slice(row, 1), pa.RecordBatch.from_pylist(batch.slice(row, 1).to_pylist(), batch.schema)):
            assert rewritten(made, alone) == [expected]


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_counts_are_never_negative_and_a_text_that_changed_has_one(key: str, batch: pa.RecordBatch) -> None:
    for text, (after, counts) in zip(batch.column("text").to_pylist(), rewritten(make(key), batch), strict=True):
        assert min(counts.values()) >= 0
        words = "".join((text or "").split())
        assert "".join(after.split()) == words or any(counts.values())


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_a_second_run_changes_nothing_where_that_is_promised(key: str, batch: pa.RecordBatch) -> None:
    made = make(key)
    if getattr(made, "idempotent", False):
        once, _ = made.rewrite(batch)
        assert made.rewrite(documents(*once.to_pylist()))[0] == once


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_it_counts_what_it_declares(key: str, variant: str | None) -> None:
    made = make(key, variant)
    batch = given_to(made, documents(PROSE, None, " ".join(PIECES)))
    for rows in (batch, batch.slice(0, 0)):
        counts = made.rewrite(rows)[1]
        assert {name: values.type for name, values in counts.items()} == made.signal_types()
        assert list(counts) == list(made.signal_types())


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_no_rows_and_empty_texts(key: str, variant: str | None) -> None:
    made = make(key, variant)
    assert rewritten(made, documents("a").slice(0, 0)) == []
    assert [(text, set(counts.values())) for text, counts in rewritten(made, documents("", None))] == [("", {0})] * 2


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("key", "variant"), EACH)
def test_hostile_texts(key: str, variant: str | None, content: bytes) -> None:
    text = pa.array([content, content], pa.large_binary()).view(pa.large_string())
    made = make(key, variant)
    kept, counts = made.rewrite(given_to(made, pa.record_batch({"text": text})))
    assert len(kept) == 2
    assert kept[0] == kept[1]
    assert all(values[0] == values[1] for values in counts.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "megabytes"),
    [("word ", 50), *((unit, 5) for unit in ("w", "é", "[1]", "\0", "<s>", "Ã©", "e\u0301", "3 likes "))],
)
@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_single_line_of_megabytes(key: str, variant: str | None, unit: str, megabytes: int) -> None:
    text = unit * (megabytes * 1_000_000 // len(unit.encode()))
    assert len(rewritten(make(key, variant), documents(text))) == 1


@pytest.mark.parametrize("key", KEYS)
def test_the_file_cites_its_source(key: str) -> None:
    docstring = importlib.import_module(f"curation.rewrite.{key}").__doc__ or ""
    assert "\nSource: " in docstring


@pytest.mark.parametrize("key", KEYS)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "rewrite" / f"test_{key}.py").is_file()
