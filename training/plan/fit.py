"""Fits the law L(N, D) = E + A / N^alpha + B / D^beta to finished trainings, and says when they do not determine it.

Source: Hoffmann et al. 2022 (arXiv:2203.15556), appendix D.3: the Huber loss of differences of log losses, whose
prediction is a log-sum-exp, by L-BFGS from a grid of starts. As Besiroglu et al. 2024 (arXiv:2404.10102) found, losses
are added up: their mean is so small that the search ends too early. Intervals are those of theirs too, of laws fitted
to points drawn with replacement. In 40 simulated ladders of 15 runs they held the truth of each exponent in 97 %, of 9
in 92 %, but of 6 in 60 %, and with two sizes of models in 12 %: those are refused (noise of 0.1 %, November 2026).
Choices: logs of N and D are centred, so that A and B do not depend on the exponents while searching, which takes 40
steps; exponents lie between 0 and 2, the range of the paper's starts; resamples start at the fit of all points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from curation.core.errors import InputError
from curation.core.wording import counted
from training.plan.laws import TRAINING, PowerLaw
from training.plan.lbfgs import Floats, Objective, minimise

HUBER = 1e-3  # of a log loss: larger differences count by their size, not its square
MOST = 2.0  # of an exponent
STEEPEST = 1.9  # exponent that is believed
UNKNOWNS = 5
FEWEST = 9  # runs: see above
DISTINCT = 3  # sizes of models, and of data: two of them are joined by a power of any exponent
APART = log(1.1)  # sizes that are nearer are one
CORRELATION = 0.98  # of log N and log D, at most
COVERED = (2.5, 97.5)  # percentiles
LEAST = 1e-9  # nats per token: of what more parameters, or more data, take away
EXTRAPOLATION = 1000.0  # times the operations of the largest run; no published law was tested further
SMALLEST = 0.01  # irreducible loss, as a share of the lowest one: every text has some
WIDEST = 0.1  # interval of a predicted loss, as a share of it


class Observation(NamedTuple):
    """A finished training."""

    parameters: float
    tokens: float
    loss: float  # of validation, nats per token


class Interval(NamedTuple):
    """Where 95 % of the laws that were fitted to resampled runs lie."""

    low: float
    high: float


class Prediction(NamedTuple):
    """Of the loss of a training."""

    loss: float
    interval: Interval


@dataclass(frozen=True)
class LawFit:
    """A law, and those fitted to resampled runs."""

    law: PowerLaw
    resampled: tuple[PowerLaw, ...]
    runs: tuple[Observation, ...]

    def interval(self, of: Callable[[PowerLaw], float]) -> Interval:
        """Of what is computed from a law."""
        low, high = np.percentile([of(law) for law in self.resampled], COVERED)
        return Interval(float(low), float(high))

    @property
    def largest(self) -> float:
        """Floating-point operations of the largest run."""
        return max(TRAINING * run.parameters * run.tokens for run in self.runs)

    def predict(self, parameters: float, tokens: float) -> Prediction:
        """Of a training of this size. Raises InputError if it is too far from the runs, or the interval too wide."""
        flops = TRAINING * parameters * tokens
        if flops > EXTRAPOLATION * self.largest:
            raise InputError(
                f"that training is {flops:.2g} floating-point operations and the largest run {self.largest:.2g}; a law "
                f"is not carried further than {EXTRAPOLATION:,.0f} times: add a run of {flops / EXTRAPOLATION:.2g}"
            )
        loss = self.law.loss(parameters, tokens)
        interval = self.interval(lambda law: law.loss(parameters, tokens))
        if interval.high - interval.low > WIDEST * loss:
            raise InputError(
                f"the runs leave the loss between {interval.low:.3f} and {interval.high:.3f}, wider than "
                f"{WIDEST:.0%} of it: add runs, larger ones first"
            )
        return Prediction(loss, interval)


def fit_law(runs: Sequence[Observation], *, resamples: int, seed: int = 0) -> LawFit:
    """The order of the runs does not matter. Raises InputError, with what to add, if they do not determine a law."""
    runs = tuple(sorted(runs))
    _check_runs(runs)
    sizes = np.log(np.array(runs, dtype=np.float64))
    centre = sizes[:, :2].mean(axis=0)
    once = np.ones((1, len(runs)))
    ends, values = minimise(_objective(sizes, centre, once), _starts(sizes[:, 2]))
    best = ends[[int(np.argmin(values))]]
    shares = np.full(len(runs), 1 / len(runs))
    drawn = np.random.default_rng(seed).multinomial(len(runs), shares, size=resamples).astype(np.float64)
    again, _ = minimise(_objective(sizes, centre, drawn), np.repeat(best, resamples, axis=0))
    (law,) = _laws(best, centre)
    found = LawFit(law, tuple(_laws(again, centre)), runs)
    _check_exponents(found)
    return found


def _check_runs(runs: Sequence[Observation]) -> None:
    if len(runs) < FEWEST:
        raise InputError(
            f"{counted(len(runs), 'run')} do not determine the {UNKNOWNS} unknowns of a law and how sure they are: "
            f"give {FEWEST} or more, as `winnow scaling ladder` plans them"
        )
    for name in ("parameters", "tokens"):
        distinct: list[float] = []
        for size in sorted(log(getattr(run, name)) for run in runs):
            if not distinct or size > distinct[-1] + APART:
                distinct.append(size)
        if len(distinct) < DISTINCT:
            raise InputError(
                f"the runs have {len(distinct)} different numbers of {name}, and a law needs {DISTINCT}: add runs with "
                f"other {'models' if name == 'parameters' else 'steps'}"
            )
    together = float(np.corrcoef(np.log([run[:2] for run in runs]).T)[0, 1])
    if abs(together) > CORRELATION:
        raise InputError(
            f"tokens go with parameters in these runs (correlation of logs {together:.3f}), so nothing tells their "
            "parts apart: train models of one size on different numbers of tokens too"
        )


def _check_exponents(fit: LawFit) -> None:
    exponents = {"parameters": "model_exponent", "tokens": "data_exponent"}
    steepest = max(fit.law.model_exponent, fit.law.data_exponent)
    if fit.law.irreducible < SMALLEST * min(run.loss for run in fit.runs) or steepest > STEEPEST:
        raise InputError(
            f"the law that fits best has an irreducible loss of {fit.law.irreducible:.2g} and an exponent of "
            f"{steepest:.2f}, which no text has: the runs are too few, alike or noisy; add larger and smaller ones"
        )
    for of, name in exponents.items():
        value = getattr(fit.law, name)
        interval = fit.interval(lambda law, name=name: float(getattr(law, name)))  # type: ignore[misc]
        if interval.high - interval.low > value:
            raise InputError(
                f"the runs leave the exponent of {of} between {interval.low:.2f} and {interval.high:.2f}, wider than "
                f"itself ({value:.2f}): add runs, with more and fewer {of}"
            )


def _starts(losses: Floats) -> Floats:
    """float64[S, 5]: how much of the lowest loss is irreducible, and both exponents, in all combinations; what is left
    of the median loss is halved between parameters and tokens."""
    rows = []
    for share in (0.3, 0.6, 0.9):
        irreducible = losses.min() + log(share)
        part = log((np.exp(np.median(losses)) - np.exp(irreducible)) / 2)
        for alpha in (0.1, 0.3, 0.6, 1.2):
            rows += [(irreducible, part, _bounded(alpha), part, _bounded(beta)) for beta in (0.1, 0.3, 0.6, 1.2)]
    return np.array(rows)


def _bounded(exponent: float) -> float:
    """As it is searched: any number stands for one between 0 and MOST."""
    return log(exponent / (MOST - exponent))


def _exponent(searched: Floats) -> Floats:
    return MOST / (1 + np.exp(-np.clip(searched, -50, 50)))


def _objective(sizes: Floats, centre: Floats, counts: Floats) -> Objective:
    """Sums of Huber losses over HUBER, and their gradients in log E, log of both parts at the centre, and searched
    exponents. `sizes` float64[N, 3]: logs of parameters, tokens and loss; `counts` float64[1 or S, N]."""
    parameters, tokens = (sizes[:, :2] - centre).T
    losses = sizes[:, 2]

    def objective(points: Floats) -> tuple[Floats, Floats]:
        irreducible, model, alpha, data, beta = (points[:, [place]] for place in range(UNKNOWNS))
        alpha, beta = _exponent(alpha), _exponent(beta)
        parts = np.stack(np.broadcast_arrays(irreducible, model - alpha * parameters, data - beta * tokens))
        highest = parts.max(axis=0)
        shares = np.exp(parts - highest)
        total = shares.sum(axis=0)
        off = highest + np.log(total) - losses
        cut = np.clip(off, -HUBER, HUBER)
        values = (counts * cut * (off - cut / 2)).sum(axis=1) / HUBER
        by_part = shares * (counts * cut / total / HUBER)
        slopes = [
            by_part[0].sum(axis=1),
            by_part[1].sum(axis=1),
            -(by_part[1] * parameters).sum(axis=1) * (alpha * (1 - alpha / MOST))[:, 0],
            by_part[2].sum(axis=1),
            -(by_part[2] * tokens).sum(axis=1) * (beta * (1 - beta / MOST))[:, 0],
        ]
        return values, np.stack(slopes, axis=1)

    return objective


def _laws(points: Floats, centre: Floats) -> list[PowerLaw]:
    exponents = _exponent(points[:, [2, 4]])
    scales = np.exp(np.maximum(points[:, [1, 3]], log(LEAST)) + exponents * centre)
    return [
        PowerLaw(
            irreducible=float(irreducible),
            model_scale=float(model),
            model_exponent=float(alpha),
            data_scale=float(data),
            data_exponent=float(beta),
        )
        for irreducible, (model, data), (alpha, beta) in zip(np.exp(points[:, 0]), scales, exponents, strict=True)
    ]
