"""Curves that go wrong slowly are told, those that go well are not."""

import numpy as np
import pytest

from training.watch.signs import SPAN, Logits, LossTrend, UpdateSizes


def curve(*levels: float) -> list[float]:
    """Of SPAN steps each."""
    noise = np.random.default_rng(0).normal(0, 0.05, SPAN)
    return [level + float(one) for level in levels for one in noise]


@pytest.mark.parametrize(
    ("losses", "rate_share", "names"),
    [
        pytest.param(curve(5, 4, 3.5, 3.3), 1.0, [], id="falls"),
        pytest.param(curve(5, 4, 4, 4, 4, 4, 4), 1.0, ["plateau"], id="stays"),
        pytest.param(curve(5, 4, 4, 4, 4, 4), 1.0, [], id="not long enough"),
        pytest.param(curve(5, 4, 4, 4, 4, 4, 4), 0.1, [], id="stays at the end"),
        pytest.param(curve(5, 4, 4.2, 4.6), 0.1, ["divergence"], id="rises"),
        pytest.param(curve(5, 4)[:-1], 1.0, [], id="no two spans"),
    ],
)
def test_the_loss(losses: list[float], rate_share: float, names: list[str]) -> None:
    trend = LossTrend()
    found = [sign for at in range(0, len(losses), 7) for sign in trend.see(losses[at : at + 7], rate_share)]
    assert [sign.name for sign in found] == names


def test_a_line_says_what_helps() -> None:
    (sign,) = LossTrend().see(curve(4, 4.5), 1.0)
    assert sign.line.startswith("the loss rises: 4.5")
    assert "lower the learning rate" in sign.line


def norms(update: float) -> dict[str, dict[str, float]]:
    return {"hidden": {"update": update}, "embedding": {"update": 1e-3}}


def test_updates_three_times_in_a_row() -> None:
    sizes = UpdateSizes()
    assert [len(sizes.see(norms(update), 1.0)) for update in (0.0, 0.0, 1e-3, 0.0, 0.0, 0.0, 0.0)] == [0] * 5 + [1, 0]
    assert [len(sizes.see(norms(0.0), 0.1)) for _ in range(4)] == [0] * 4
    found = [sign for _ in range(4) for sign in sizes.see(norms(0.5), 0.1)]
    assert [sign.name for sign in found] == ["wild updates"]
    assert found[0].line.startswith("updates move the hidden weights by 5.0e-01 of their norm; lower the learning rate")


def test_logits_are_told_where_they_cross_a_line_and_at_each_doubling() -> None:
    logits = Logits()
    fine = {"attention_logit": 99.0, "attention_entropy": 0.11, "output_logit": 99.0}
    assert logits.see(fine) == []
    (told,) = logits.see({**fine, "attention_logit": 120.0})
    assert told.name == "attention logit"
    assert told.line.startswith("attention's logits grow to 120: normalise queries and keys")
    assert logits.see({**fine, "attention_logit": 230.0}) == []
    assert [sign.name for sign in logits.see({"attention_logit": 240.0, "output_logit": 100.0})] == [
        "attention logit",
        "output logit",
    ]
    (told,) = logits.see({"attention_entropy": 0.1})
    assert "(entropy 0.100 nats)" in told.line
    assert logits.see({"attention_entropy": 0.06}) == []
    assert len(logits.see({"attention_entropy": 0.04})) == 1
