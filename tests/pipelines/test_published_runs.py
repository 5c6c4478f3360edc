"""The published cases: how far the arithmetic of a plan is from what was printed."""

import pytest

from pipelines.published_runs import NOTES, figures, implied, zero_2

ERRORS = {("Chinchilla", "FLOPs"): 0.0208, ("Llama 3 70B", "t CO2e"): 0.0115, ("Llama 3.1 405B", "t CO2e"): 0.0371}


def test_errors() -> None:
    for one in figures():
        expected = ERRORS.get((one.case, one.figure), 0.0)
        assert one.error == pytest.approx(expected, abs=0.003), one
        assert one.record()["error"] == one.error


def test_mfu_that_device_hours_imply() -> None:
    shares = {one.case: round(one.mfu, 3) for one in implied()}
    assert shares["GPT-3, V100"] == 0.197
    assert shares["Llama 3 8B, H100"] == 0.156
    assert shares["Llama 3.1 405B, H100"] == 0.346


def test_what_is_printed_wrong_elsewhere_is_named() -> None:
    assert any("1.3 M" in note and "Wrong" in note for note in NOTES)
    assert f"{zero_2(7e9, 8) / 1e9:.2f}" == "26.25"
    assert any("26.25 GB" in note for note in NOTES)
