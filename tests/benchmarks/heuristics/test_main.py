"""The texts that both sides of the benchmark judge, and the figures that compare them."""

import pyarrow as pa
import pytest

from benchmarks.heuristics.__main__ import measure, ratios, rule_sets, show
from benchmarks.heuristics.texts import seeded_texts, spread_over


def test_the_same_seed_gives_the_same_texts() -> None:
    assert list(seeded_texts(3, 1)) == list(seeded_texts(3, 1))
    assert list(seeded_texts(3, 1)) != list(seeded_texts(3, 2))


def test_documents_are_spread_evenly() -> None:
    texts = pa.array([str(n).zfill(1000) for n in range(100)], pa.large_string())
    drawn = [int(text) for text in spread_over(texts, 0.01).to_pylist()]
    assert drawn == list(range(5, 100, 10))
    assert len(spread_over(texts, 1000)) == 100


def test_together_is_compared_with_what_also_cuts_lines() -> None:
    ours = {f"datatrove/{name}": 10.0 for name in rule_sets("datatrove")} | {"datatrove/with_c4_lines": 8.0}
    found = ratios(ours, {"spacy": {"together": 0.1, "c4_quality": 0.5}})
    assert found == {"spacy": {"together": pytest.approx(80), "c4_quality": pytest.approx(20)}}


def test_a_small_run_has_the_figures_that_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    figures = measure(pa.array(list(seeded_texts(5, 0)), pa.large_string()), 1)
    assert figures["documents"] == 5
    assert {"paper/together", "datatrove/with_c4_lines", "language"} <= set(figures["parts"])
    assert all(
        speed > 0 for kind in ("memory", "parts", "passes", "share_of_memory") for speed in figures[kind].values()
    )
    show(figures | {"datatrove": {"spacy": {"together": 0.1}}, "ratios": {"spacy": {"together": 300.0}}})
    assert "300" in capsys.readouterr().out
