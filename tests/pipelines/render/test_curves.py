"""Curves in text: bars over the same updates and range for every run, and what is not there."""

from dataclasses import replace

from pipelines.render.curves import curves
from tests.pipelines.render.printed import printed
from training.metrics.curves import CURVES, BranchPoint, Curve, TrainingCurves

NONE = Curve((), ())


def training(run: str, loss: Curve, resumed: tuple[int, ...] = (), **others: Curve) -> TrainingCurves:
    return TrainingCurves(run, {**dict.fromkeys(CURVES, NONE), "loss": loss, **others}, resumed)


def test_runs_have_the_same_range_and_updates() -> None:
    steps = tuple(range(1, 65))
    high = training("runs/high", Curve(steps, (9.0, 9.0, 9.0, 9.0, *[5.0] * 59, 1.0)), (3, 1200))
    short = training("runs/short", Curve(steps[:32], (5.0,) * 32))
    lines = printed(curves, [high, short])
    assert lines[:2] == ["high: 64 updates, resumed after 3, 1,200", "short: 32 updates"]
    # 24 eighths from 1 to 9: 1 has one, 9 all, and 5 one and half of the other 23, which is 12.
    assert lines[2:12] == [
        "loss (nats per label)",
        "  high: 9 → 1, from 1 to 9",
        "  ████",
        "  ████" + "▅" * 59,
        "  " + "█" * 63 + "▁",
        "  short: 5 → 5, from 5 to 5",
        "",
        "  " + "▅" * 32,
        "  " + "█" * 32,
        f"  0{' ' * 61}64",
    ]
    assert lines[12:] == [
        "validation loss (nats per label): not recorded",
        "learning rate: not recorded",
        "gradient norm before clipping: not recorded",
        "tokens per second: not recorded",
    ]


def test_columns_without_a_record_repeat_the_one_before() -> None:
    rate = Curve((32, 64), (2000.0, 1000.4))
    lines = printed(
        curves, [training("a", Curve((1,), (1.0,))), training("b", Curve((64,), (3.0,)), learning_rate=rate)]
    )
    start = lines.index("learning rate")
    assert lines[start + 1 : start + 5] == [
        "  b: 2,000 → 1,000, from 1,000 to 2,000",
        "  " + " " * 31 + "█" * 32,
        "  " + " " * 31 + "█" * 32,
        "  " + " " * 31 + "█" * 32 + "▁",
    ]


def test_a_branch_names_the_runs_before_it() -> None:
    points = (BranchPoint(10, "/runs/first", drawn=False), BranchPoint(1200, "/runs/second", drawn=True))
    lines = printed(curves, [replace(training("a", Curve((1,), (1.0,))), branched=points)])
    assert lines[1:3] == [
        "  a branch of /runs/first after update 10, whose records are not there",
        "  a branch of /runs/second after update 1,200",
    ]


def test_a_curve_that_is_level_and_one_of_many_records() -> None:
    steps = tuple(range(10, 64_010, 10))
    mean = Curve(steps, (1.0, 3.0) * 3200)
    lines = printed(curves, [training("a", Curve(steps, (4.0,) * 6400), gradient_norm=mean)], "own.png")
    assert lines[2:6] == ["  a: 4 → 4, from 4 to 4", "", "", "  " + "▁" * 64]
    start = lines.index("gradient norm before clipping")
    assert lines[start + 3] == "  " + "▅" * 64  # each column is of 100 records, whose mean is 2
    assert lines[start + 5] == f"  0{' ' * 57}64,000"
    assert lines[-1] == "plot: own.png"
