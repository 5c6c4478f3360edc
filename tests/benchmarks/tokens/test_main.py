"""What the token benchmark packs and reads, and that its parts run."""

from pathlib import Path

import pytest

from benchmarks.tokens.packing import document_lengths, filled, measure_packing, measure_text
from benchmarks.tokens.reading import measure_reading


def test_documents_have_about_the_tokens_asked_for() -> None:
    lengths = document_lengths(1_000_000, 0)
    assert 900_000 < lengths.sum() <= 1_000_000
    assert (document_lengths(1_000_000, 0) == lengths).all()
    assert lengths.min() >= 2


def test_filled_slots() -> None:
    assert filled([{"rows": 2, "padding": 2049}, {"rows": 2, "padding": 0}]) == pytest.approx(75)


def test_methods_are_measured(tmp_path: Path) -> None:
    figures = measure_packing(tmp_path, 1)
    assert figures["best_fit_filled_percent"] > 99
    assert figures["best_fit_cut_documents_percent"] < figures["concat_cut_documents_percent"]
    assert figures["pack_best_fit_mtokens_per_second"] > 0


def test_text_is_encoded_and_packed(tmp_path: Path) -> None:
    texts = {"a": ["some words of a text " * 50] * 3, "b": ["another one " * 400]}
    figures = measure_text(texts, tmp_path)
    assert 0 < figures["text_filled_percent_worst_file"] <= figures["text_filled_percent"]
    assert figures["text_filled_percent"] <= figures["text_filled_percent_one_shard"] <= 100


@pytest.mark.slow
def test_reading_is_measured(tmp_path: Path) -> None:
    figures = measure_reading(tmp_path, 2)
    assert figures["read_8x1025_uint32_segments_mtokens_per_second"] > 0
