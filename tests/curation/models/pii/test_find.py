"""The spans of plain Presidio, on made texts and on all real ones; and what our own rules change."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core.errors import RecipeError
from curation.models.pii.find import SPANS, Sought, as_spans, find_personal_data
from curation.models.pii.kinds import OWN, all_kinds, kind_of, usual_kinds
from curation.models.pii.overlaps import Span
from curation.models.pii.recognizers import plain_presidio
from curation.models.pii.regions import PRESIDIO_REGIONS

pytest.importorskip("presidio_analyzer")
DATA = Path(__file__).parents[5] / "shared" / "data" / "pii"
LANGUAGES = ("en", "es", "de", "it", "pl", "fi", "zh", "ko")
PLAIN = dict.fromkeys(
    ("hidden_addresses", "more_phones", "more_cards", "small_ibans", "other_numbers", "versions"), False
)
KINDS = tuple(kind for kind in all_kinds() if kind not in OWN)
PIECES = [
    *("212-555-0123", "+44 20 7946 0958", "078-05-1120", "078051120", "4111111111111111", "4111-1111-1111-1111"),
    *("jo@example.org", "a.b@c", "@", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "DE89 3704 0044 0532 0130 00", "::1"),
    *("10.0.0.1", "2001:db8::1", "::ffff:1.2.3.4/96", "00:1a:2b:3c:4d:5e", "12345678Z", "X1234567L", "AB123456C"),
    *("RSSMRA85T10A562S", "44051401359", "131052-308T", "A1234567", "B12", "943 476 5919", "DE136695976", "HRB  1234"),
    *("123e4567-e89b-12d3-a456-426614174000", "SW1A 1AA", "K1A 0B1", "B-AB 123", "1", "12", "123", "1234567"),
    *("card", "Phone:", "license", "number", "the", "of", "a:the", "claim no. ", "passport", "DNI", "bank", "ssn"),
    *(" ", "  ", "\n", "-", ".", ",", ":", "/", "(", ")", "_", "é", "文", "٣", "ſ", "K", "%", "\0", "x", "A"),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=25).map("".join)
engines: dict[tuple[str, tuple[str, ...]], object] = {}


def expected(text: str, language: str, kinds: tuple[str, ...], min_score: float) -> list[tuple[str, int, int, float]]:
    """What plain Presidio finds, in bytes."""
    key = (language, kinds)
    if key not in engines:
        engines[key] = plain_presidio(language, kinds)
    found = engines[key].analyze(text, language, score_threshold=min_score)  # type: ignore[attr-defined]
    return sorted(
        (kind_of(one.entity_type), len(text[: one.start].encode()), len(text[: one.end].encode()), round(one.score, 5))
        for one in found
    )


def found(
    batch: list[tuple[str, str]], kinds: tuple[str, ...], min_score: float
) -> list[list[tuple[str, int, int, float]]]:
    sought = Sought(kinds=kinds, min_score=min_score, regions=PRESIDIO_REGIONS, **PLAIN)
    contents = pa.array([text for text, _ in batch], pa.large_string())
    spans = find_personal_data(contents, pa.array([language for _, language in batch]), sought)
    return [sorted((s["kind"], s["start"], s["end"], round(s["score"], 5)) for s in row) for row in spans.to_pylist()]


@settings(max_examples=150, deadline=None)
@given(batch=st.lists(st.tuples(texts, st.sampled_from(LANGUAGES)), min_size=1, max_size=4))
def test_made_texts_have_the_spans_of_plain_presidio(batch: list[tuple[str, str]]) -> None:
    assert found(batch, KINDS, 0.0) == [expected(text, language, KINDS, 0.0) for text, language in batch]


@pytest.mark.parametrize("name", ["ambientmeta", "presidio_synth_v2", "echr_fr_es", "tab_en_court_cases"])
def test_real_texts_have_the_spans_of_plain_presidio(name: str) -> None:
    if not DATA.exists():
        pytest.skip(f"no {DATA}")
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file][:100]
    kinds = tuple(kind for kind in usual_kinds() if kind not in OWN)
    batch = [(row["text"], row["lang"]) for row in rows]
    for min_score in (0.0, 0.4):
        spans = [expected(text, language, kinds, min_score) for text, language in batch]
        assert found(batch, kinds, min_score) == spans


def test_no_texts_null_texts_and_unknown_languages() -> None:
    assert find_personal_data(pa.array([], pa.large_string()), None, Sought()).to_pylist() == []
    texts = pa.array([None, "a@example.org", ""], pa.large_string())
    spans = find_personal_data(texts, pa.array([None, None, "de"], pa.string()), Sought())
    assert spans.type == SPANS
    assert [[span["kind"] for span in row] for row in spans.to_pylist()] == [[], ["email"], []]


def test_bytes_that_are_no_utf8() -> None:
    text = pa.array([b"\xff call 212-555-0123 \xe2\x80 a@example.org"], pa.large_binary()).view(pa.large_string())
    (row,) = find_personal_data(text, None, Sought()).to_pylist()
    assert [(span["kind"], span["start"], span["end"]) for span in row] == [("phone", 7, 19), ("email", 23, 36)]


def test_our_own_rules() -> None:
    text = pa.array(["jo (at) example dot org on 09-12-2021, v10.4.3.1"])
    on, off = (find_personal_data(text, None, sought).to_pylist()[0] for sought in (Sought(), Sought(**PLAIN)))
    assert [span["kind"] for span in on] == ["email"]
    assert [span["kind"] for span in off] == ["phone"]


@pytest.mark.parametrize("options", [{"kinds": ("emial",)}, {"regions": ("UK",)}])
def test_what_is_not_known_is_refused(options: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(RecipeError):
        Sought(**options).check()


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["7", "1 ", "a@", "1.", "1.1.", "1-", "::", "+1 ", "(555) ", "GB82 ", "ab12 "])
def test_megabytes_without_a_line_break(unit: str) -> None:
    text = pa.array([unit * ((1 << 20) // len(unit))], pa.large_string())
    assert len(find_personal_data(text, None, Sought())) == 1


def test_spans_of_rows() -> None:
    spans = as_spans([[], [Span("ip", 1, 2, 0.5)]])
    assert spans.to_pylist() == [[], [{"kind": "ip", "start": 1, "end": 2, "score": 0.5}]]
