"""What every filter signs by existing: a file in `curation/filters/` is tested here unasked, in all its variants."""

import dataclasses
import importlib
import json
import math
import pkgutil
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curation.filters
from curation.core import catalog
from curation.core.by_language import languages_of
from curation.core.document import DOCUMENT, SPANS
from curation.core.errors import UserError
from curation.core.filter import Filter
from curation.core.reasons import rule_reason
from curation.core.rules import first_failure
from curation.core.verbs import FILTER, FIT
from curation.filters.contamination import ITEM
from curation.fit.classifier import Classifier
from curation.fit.evalsets import Evalsets
from curation.fit.quantiles import Quantiles
from curation.fit.unigrams import Unigrams
from curation.models.dsir.importance import NgramCounts
from curation.models.evalsets.sets import EvalSet
from curation.models.ngram.counts import count
from curation.models.ngram.estimate import FALLBACK, estimate
from curation.models.ngram.model_file import file_of
from curation.models.ngram.reading import Reading
from curation.models.quantiles import QuantileTable, SignalSpreads, Spread
from curation.rewrite.c4_lines import C4Lines
from tests.curation.models.classifier import examples
from tests.curation.models.sequence_classifier.tiny import tiny_classifier
from tests.drop_reasons import parse
from tests.support import documents, learned

KEYS = sorted(module.name for module in pkgutil.iter_modules(curation.filters.__path__))
PROSE = "The people of the town have to read and be kind. " * 3
HOSTILE = {
    "empty": b"",
    "one word": b"word",
    "blank": b" \n\t\n\n",
    "invalid UTF-8": b"\xff\xfe so it ends. \xc3\n\xe2\x80 \xf0\x9f\x98\n\n\x80",
    "emoji": "👩‍👩‍👧🇩🇪😀\n".encode() * 20,
    "right to left": "זה הסוף של השורה.\nانتهى السطر هنا؟\n".encode() * 5,
    "CJK without spaces": "没有空格的一行文字。\n日本語の文。\n".encode() * 5,
    "NUL bytes": b"so \0 it ends.\0\n\0\0\n",
    "marks alone": "…#{}-•.\u0301\u200f\ufeff".encode() * 20,
}
# At 100,000 units anything quadratic outlives every patience.
UNITS = ["x", "x ", "\n", "x\n", "é", "中", "😀 ", ". ", "…", "{", "the ", "a b c a ", "\0"]
PATIENCE = 90  # seconds, for all units; what is linear takes a few

# Signals that count blanks as well.
SIZES = ("characters", "newlines_per_word", "text_bytes")

# Options that a filter cannot do without, by key; those with files are filled in by `assets`.
OPTIONS: dict[str, dict[str, Any]] = {
    "containment": {"of": "substring"},
    "opt_outs": {"honour": ("noai", "tdm_reservation")},
    "toxicity": {"language": "en"},
}
# Columns that earlier stages of a recipe add.
ADDED: dict[str, pa.DataType] = {
    "c4_lines": pa.struct([(name, pa.int64()) for name in C4Lines().signal_types()]),
    "cut_spans": pa.struct([("spans", pa.int64()), ("bytes", pa.int64()), ("bytes_removed", pa.int64())]),
    "extract": pa.struct([("fields", pa.int64()), ("preferences", pa.string())]),
    "language": pa.struct([("label", pa.string()), ("score", pa.float64())]),
    "refinedweb_lines": pa.struct([("words", pa.int64()), ("words_removed", pa.int64())]),
    "substring": pa.struct([("spans", SPANS), ("text_bytes", pa.int64())]),
}

# Options that add signals and are no choice; those with files are filled in by `make_assets`.
MORE: dict[str, list[dict[str, Any]]] = {}

texts = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.lists(
        st.sampled_from([PROSE, "the", "\n", "\n\n", "- …", "中文。", "\u2028", "#", "Lorem  ipsum", "{", "\0"]),
        max_size=12,
    ).map(" ".join),
)
LABELS = ("en", "de", "zh", "xx")


@pytest.fixture(scope="module", autouse=True)
def assets(tmp_path_factory: pytest.TempPathFactory) -> None:
    make_assets(tmp_path_factory.mktemp("assets"))


def make_assets(folder: Path) -> None:
    """Small files for the filters that cannot do without, named in `OPTIONS`."""
    reference = folder / Unigrams.asset
    reference.write_bytes(learned(Unigrams(), [pa.array([PROSE], pa.large_string())]))
    OPTIONS["unigram_divergence"] = {"reference": str(reference)}
    counts = reference.with_name("dsir.bin")
    counts.write_bytes(NgramCounts(2, *np.arange(1, 201, dtype=np.uint64).reshape(2, 100)).to_bytes())
    OPTIONS["dsir"] = {"model": str(counts)}
    items = reference.with_name("items.jsonl")
    items.write_text(json.dumps({"question": PROSE, "answer": "It is what the people of every town have to do."}))
    sets = Evalsets(sets={"prose": EvalSet(files=str(items), answer="answer")}, sizes=(5, 8, 13))
    for name, content in sets.index({"prose": [str(items)]}).items():
        reference.with_name(name).write_bytes(content)
    OPTIONS["contamination"] = {"evalsets": str(reference.with_name(Evalsets.asset))}
    OPTIONS["transformer_classifier"] = {"model": tiny_classifier(reference.parent / "tiny"), "min_score": 0.5}
    model = reference.with_name("model.bin")
    model.write_bytes(Classifier(positives="a", negatives="b", buckets=4096).fit(iter([examples.rows()]))["model.bin"])
    terms = reference.with_name("terms.txt")
    terms.write_text("bad\n")
    MORE["c4_quality"] = [{"bad_words": str(terms)}, {"from_lines": True}]
    MORE["toxicity"] = [{"classifier": str(model), "label": "positive"}]
    several = tiny_classifier(reference.parent / "several", labels=("a", "b", "c"))
    MORE["transformer_classifier"] = [{"model": several}]
    OPTIONS["quality_classifier"] = {"model": str(model), "min_score": 0.5}
    spreads = SignalSpreads(Spread.of(np.arange(10.0)), {"de": Spread.of(np.arange(200.0) / 9)})
    quantiles = reference.parent / Quantiles.asset
    quantiles.write_bytes(QuantileTable("language.label", {"refinedweb_lines.words": spreads}).to_bytes())
    words = {"signal": "refinedweb_lines.words", "by": "language.label", "max_percent": 90}
    OPTIONS["quantile_rank"] = {"quantiles": str(quantiles), **words}
    model = reference.with_name("en.arpa")
    reading = Reading(normalization="ccnet")
    counts = count(reading.tokens(pa.array([PROSE], pa.large_string())), 3)
    model.write_bytes(b"".join(file_of(estimate([counts], fallback=FALLBACK), reading)))
    OPTIONS["perplexity"] = {"models": {"en": str(model)}, "max_perplexity": 100.0}


@pytest.mark.parametrize("key", KEYS)
def test_its_column_is_none_of_a_document(key: str) -> None:
    assert key not in DOCUMENT.names


def kind(key: str) -> type:
    """The class is named after the file."""
    module = importlib.import_module(f"curation.filters.{key}")
    found: type = getattr(module, "".join(part.capitalize() for part in key.split("_")))
    return found


def variants(key: str) -> tuple[str | None, ...]:
    return typing.get_args(typing.get_type_hints(kind(key)).get("variant")) or (None,)


EACH = [pytest.param(key, v, id=f"{key}-{v}" if v else key) for key in KEYS for v in variants(key)]


def make(key: str, variant: str | None = None) -> Filter:
    """The filter with its default settings."""
    made: Filter = kind(key)(**OPTIONS.get(key, {}), **({"variant": variant} if variant else {}))
    return made


def batch_of(reads: tuple[str, ...], rows: list[dict[str, Any]]) -> pa.RecordBatch:
    """Documents with these values in the columns that a filter reads."""
    batch = documents(*(row.get("text") for row in rows))
    for name in reads:
        column = pa.array([row[name] for row in rows], type_of(name))
        place = batch.schema.get_field_index(name)
        batch = batch.append_column(name, column) if place < 0 else batch.set_column(place, name, column)
    return batch


def type_of(column: str) -> pa.DataType:
    return ADDED.get(column) or DOCUMENT.field(column).type


def values_of(kind: pa.DataType) -> st.SearchStrategy[Any]:
    """Values that fit a type, null among them; times are always null."""
    if pa.types.is_struct(kind):
        values = {field.name: values_of(field.type) for field in kind}
        if "label" in values:
            values["label"] = st.sampled_from([None, *LABELS])
        return st.one_of(st.none(), st.fixed_dictionaries(values))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return texts
    if pa.types.is_floating(kind):
        return st.one_of(st.none(), st.floats(0, 1))
    return st.one_of(st.none(), st.integers(0, 9)) if pa.types.is_integer(kind) else st.none()


def batches(reads: tuple[str, ...]) -> st.SearchStrategy[pa.RecordBatch]:
    """Documents whose columns in the filter's `reads` hold Unicode text, or whatever else fits the column."""
    rows = st.lists(st.fixed_dictionaries({name: values_of(type_of(name)) for name in reads}), min_size=1, max_size=5)
    return rows.map(lambda made: batch_of(reads, made))


def as_text(content: bytes, column: pa.DataType) -> pa.Array:
    """One text of these bytes; only the column `text` may hold some that are no UTF-8."""
    if column == pa.large_string():
        return pa.array([content], pa.large_binary()).view(column)
    return pa.array([content.decode(errors="replace")], column)


def with_bytes(reads: tuple[str, ...], content: bytes) -> pa.RecordBatch:
    """One document with `content` wherever the filter reads a text."""
    columns: dict[str, pa.Array] = {}
    for name in reads:
        column = type_of(name)
        is_text = pa.types.is_string(column) or pa.types.is_large_string(column)
        known = [{"label": LABELS[0], "score": 1.0}] if name == "language" else [None]
        columns[name] = as_text(content, column) if is_text else pa.array(known, column)
    return pa.RecordBatch.from_pydict(columns)


def same(one: object, other: object) -> bool:
    return one == other or (
        isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    )


def assert_a_verdict(key: str, made: Filter, batch: pa.RecordBatch) -> dict[str, Any]:
    """The signals of the one document, which is kept or dropped for a reason of the grammar."""
    measured = made.measure(batch)
    own = pa.StructArray.from_arrays(list(measured.values()), names=list(measured))
    columns = {**dict(zip(batch.schema.names, batch.columns, strict=True)), key: own}
    failure = first_failure(measured, made.rules(), 1, languages_of(columns, made.rules()))[0].as_py()
    assert failure is None or parse(rule_reason(key, failure)).key == key
    return {name: values[0].as_py() for name, values in measured.items()}


def test_there_are_filters() -> None:
    assert {"gopher_quality", "gopher_repetition", "c4_quality", "fineweb_quality", "language"} <= set(KEYS)


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_it_has_the_shape_of_a_filter(key: str, variant: str | None) -> None:
    made = make(key, variant)
    assert isinstance(made, Filter)
    assert isinstance(made.version, int)
    assert set(made.reads) <= {*DOCUMENT.names, *ADDED}, f"teach this test what {made.reads} hold"


@pytest.mark.parametrize(("key", "variant"), EACH)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_document_measures_the_same_alone_and_among_others(
    key: str, variant: str | None, data: st.DataObject
) -> None:
    made = make(key, variant)
    batch = data.draw(batches(made.reads))
    together = made.measure(batch)
    for row in range(len(batch)):
        for alone in (batch.slice(row, 1), pa.RecordBatch.from_pylist(batch.slice(row, 1).to_pylist(), batch.schema)):
            measured = made.measure(alone)
            assert list(measured) == list(together)
            assert all(same(measured[name][0].as_py(), together[name][row].as_py()) for name in together)


@pytest.mark.parametrize(("key", "variant"), EACH)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_signals_are_one_number_or_string_per_document_or_a_list_of_spans_or_items(
    key: str, variant: str | None, data: st.DataObject
) -> None:
    made = make(key, variant)
    batch = data.draw(batches(made.reads))
    for signals, rows in ((made.measure(batch), len(batch)), (made.measure(batch.slice(0, 0)), 0)):
        for name, values in signals.items():
            kind = values.type
            assert len(values) == rows, name
            checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string)
            assert kind in (SPANS, pa.list_(ITEM)) or any(check(kind) for check in checks), kind
            assert not pa.types.is_list(kind) or name not in {rule.signal for rule in made.rules()}


def others(key: str, variant: str | None) -> list[Filter]:
    """The filter with each other value of every option that is a choice, and with what else adds signals."""
    made = make(key, variant)
    hints = typing.get_type_hints(type(made))
    choices = {name: typing.get_args(kind) for name, kind in hints.items() if typing.get_origin(kind) is typing.Literal}
    single = [{name: value} for name, values in choices.items() for value in values]
    changed: list[Filter] = []
    for options in [*single, *MORE.get(key, ())]:
        try:
            other = dataclasses.replace(made, **options)
            other.assets()
        except UserError:  # the value needs others, or other files
            continue
        changed.append(other)
    return [made, *changed]


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_it_measures_the_signals_that_it_declares(key: str, variant: str | None) -> None:
    for made in others(key, variant):
        batch = with_bytes(made.reads, PROSE.encode())
        for rows in (batch, batch.slice(0, 0)):
            signals = made.measure(rows)
            assert {name: values.type for name, values in signals.items()} == made.signal_types()
            assert list(signals) == list(made.signal_types())


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_document_without_anything_gets_a_verdict(key: str, variant: str | None) -> None:
    made = make(key, variant)
    assert_a_verdict(key, made, batch_of(made.reads, [dict.fromkeys(made.reads)]))


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_text_without_a_word_measures_nothing(key: str, variant: str | None) -> None:
    made = make(key, variant)
    for content in (b"", b" \n\t"):
        measured = made.measure(with_bytes(made.reads, content))
        values = {name: array[0].as_py() for name, array in measured.items() if name not in SIZES}
        assert made.reads != ("text",) or not any(values.values()), values


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_hostile_document_gets_a_verdict_also_beside_others(key: str, variant: str | None, content: bytes) -> None:
    made = make(key, variant)
    batch = with_bytes(made.reads, content)
    alone = assert_a_verdict(key, made, batch)
    others = [with_bytes(made.reads, other) for other in (b"\xe2\x80", b"word", b"\x80\n")]
    among = made.measure(pa.Table.from_batches([others[0], batch, *others[1:]]).combine_chunks().to_batches()[0])
    assert all(same(alone[name], among[name][1].as_py()) for name in alone)


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("times", [100_000, pytest.param(500_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_document_of_many_units_gets_a_verdict(key: str, variant: str | None, times: int) -> None:
    made = make(key, variant)
    for unit in UNITS:
        assert_a_verdict(key, made, with_bytes(made.reads, unit.encode() * times))


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("word ", marks=pytest.mark.slow),
        pytest.param("w", marks=pytest.mark.soak),
        pytest.param("中", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize(("key", "variant"), EACH)
def test_a_single_line_of_50_mb_gets_a_verdict(key: str, variant: str | None, unit: str) -> None:
    made = make(key, variant)
    assert_a_verdict(key, made, with_bytes(made.reads, unit.encode() * (50_000_000 // len(unit.encode()))))


@pytest.mark.parametrize(("key", "variant"), EACH)
def test_every_rule_bounds_a_measured_signal_and_can_fire(key: str, variant: str | None) -> None:
    made = make(key, variant)
    measured = made.measure(with_bytes(made.reads, PROSE.encode()))
    assert made.rules()
    for rule in made.rules():
        assert rule.signal in measured
        assert rule.can_fire(), rule
        assert rule.can_keep(), rule
        assert (measured[rule.signal].type == pa.string()) == (rule.one_of is not None)
    assert all(parse(rule_reason(key, f"{name}:low")).kind == "rule" for name in measured)


@pytest.mark.parametrize("key", KEYS)
def test_every_limit_names_options_that_there_are(key: str) -> None:
    part: Any = catalog.find(FILTER, key)
    options = {option.name for option in dataclasses.fields(part)}
    assert part.limits
    for limit in part.limits:
        assert {*limit.options()} - {limit.one_of} <= options
        assert not limit.one_of or hasattr(part, limit.one_of) or limit.one_of in options
        assert {*limit.when} <= options
    assert {*part.deciding, *getattr(part, "beside", ())} <= options
    assert {*part.fitted_by, *getattr(part, "counts_with", ())} <= options
    assert {*part.fitted_by.values()} <= {*catalog.known(FIT)}


@pytest.mark.parametrize("key", KEYS)
def test_the_file_cites_its_source(key: str) -> None:
    docstring = importlib.import_module(f"curation.filters.{key}").__doc__ or ""
    assert "\nSource: " in docstring


@pytest.mark.parametrize("key", KEYS)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "filters" / f"test_{key}.py").is_file()
