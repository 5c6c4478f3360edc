"""What counts as a disagreement: a verdict that is not the same, whatever the reason; a signal by its distance."""

import pyarrow as pa

from benchmarks.parity.causes import UNEXPLAINED
from benchmarks.parity.compare import Agreement, causes_of
from benchmarks.parity.compare import compare as compare_pair
from benchmarks.parity.ours import Judged
from benchmarks.parity.pairs import PAIRS
from curation.core.rules import Rule, first_failure

NAME = "fineweb_quality"
TEXTS = pa.table({"doc_id": ["a", "b", "c"], "url": [None, None, None], "text": ["x", "y", "z"]})


def compare(theirs: pa.Table, ours: Judged) -> list[Agreement]:
    return compare_pair(NAME, PAIRS[NAME], TEXTS, theirs, ours)


def test_a_limit_that_only_we_break() -> None:
    whole, _, short = compare(theirs(short=[0.5, 0.6, 0.9]), ours(short=[0.5, 0.7, 0.9]))[:3]
    assert (whole.name, whole.dropped_by_datatrove, whole.dropped_by_us, whole.dropped_by_either) == (NAME, 1, 2, 2)
    assert (whole.disagreements, whole.share_of_dropped) == (1, 0.5)
    assert short.disagreements == 1
    assert short.largest_difference is not None
    assert round(short.largest_difference, 9) == 0.1
    assert [(one.name, one.doc_id, one.datatrove, one.ours) for line in (whole, short) for one in line.differences] == [
        (NAME, "b", "None", "short_lines:high"),
        (f"{NAME}.short_lines:high", "b", "0.6", "0.7"),
    ]
    assert causes_of(whole) == [(UNEXPLAINED, 1, 1)]


def test_two_reasons_for_the_same_verdict_agree() -> None:
    theirs_short = theirs(short=[0.9, 0.9, 0.9])
    ours_punctuated = ours(short=[0.9, 0.9, 0.9], punctuated=[0.0, 0.0, 0.0])
    whole, punctuated = compare(theirs_short, ours_punctuated)[:2]
    assert whole.disagreements == 0
    assert punctuated.disagreements == 3


def test_what_datatrove_did_not_measure_is_not_compared() -> None:
    lines = compare(theirs(short=[0.5, None, 0.5]), ours(short=[0.5, 0.6, 0.5]))
    assert lines[2].documents == 2
    assert not any(line.differences for line in lines)


def test_within_the_tolerance() -> None:
    lines = compare(theirs(short=[0.5, 0.5, 0.5]), ours(short=[0.5, 0.5 + 1e-7, 0.5]))
    assert lines[2].largest_difference is not None
    assert 0 < lines[2].largest_difference < 1e-6
    assert not any(line.differences for line in lines)


def theirs(short: list[float | None]) -> pa.Table:
    reasons = ["short_line_ratio" if value is not None and value > 0.67 else None for value in short]
    signals = {"short_lines": short, "punctuated_lines": [1.0] * 3}
    return pa.table({f"{NAME}/reason": pa.array(reasons, pa.string()), **columns(signals)})


def ours(short: list[float], punctuated: tuple[float, ...] | list[float] = (1.0, 1.0, 1.0)) -> Judged:
    zeros = [0.0] * 3
    signals = {"short_lines": short, "punctuated_lines": list(punctuated)}
    signals |= {"duplicate_line_characters": zeros, "newlines_per_word": zeros}
    arrays = {name: pa.array(values) for name, values in signals.items()}
    rules = (Rule("punctuated_lines", at_least=0.12), Rule("short_lines", at_most=0.67))
    return Judged(arrays, rules, first_failure(arrays, rules, 3))


def columns(signals: dict[str, list[float | None]] | dict[str, list[float]]) -> dict[str, pa.Array]:
    return {f"{NAME}/{name}": pa.array(values, pa.float64()) for name, values in signals.items()}
