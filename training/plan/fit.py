"""Fits the law L(N, D) = E + A / N^alpha + B / D^beta to finished trainings, and says when they do not determine it.

Source: Hoffmann et al. 2022 (arXiv:2203.15556), appendix D.3: the Huber loss of differences of log losses, whose
prediction is a log-sum-exp, from a grid of starts. Intervals are those of Besiroglu et al. 2024 (arXiv:2404.10102), of
laws fitted to points drawn with replacement. In 40 simulated ladders of 15 runs they held the truth of each exponent in
97 %, of 9 in 92 %, but of 6 in 60 %, and with two sizes of models in 12 %: those are refused (noise of 0.1 %, November
2026).
Choices: SciPy's trust region instead of L-BFGS, which comes to the same law from every start of the grid; logs of N and
D are centred, so that A and B do not depend on the exponents while searching; exponents lie between 0 and 2, the range
of the paper's starts; resamples start at the fit of all points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from curation.core.errors import InputError
from curation.core.wording import counted
from training.plan.laws import TRAINING, PowerLaw

Floats: TypeAlias = npt.NDArray[np.float64]

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
    logs = np.log(np.array(runs, dtype=np.float64))
    centre = logs[:, :2].mean(axis=0)
    logs[:, :2] -= centre
    best, _ = min((_search(logs, start) for start in _starts(logs[:, 2])), key=lambda found: found[1])
    law = _law(best, centre)
    _check_shape(law, runs)
    shares = np.full(len(runs), 1 / len(runs))
    drawn = np.random.default_rng(seed).multinomial(len(runs), shares, size=resamples)
    resampled = (_law(_search(np.repeat(logs, counts, axis=0), best)[0], centre) for counts in drawn)
    found = LawFit(law, tuple(resampled), runs)
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


def _check_shape(law: PowerLaw, runs: Sequence[Observation]) -> None:
    steepest = max(law.model_exponent, law.data_exponent)
    if law.irreducible < SMALLEST * min(run.loss for run in runs) or steepest > STEEPEST:
        raise InputError(
            f"the law that fits best has an irreducible loss of {law.irreducible:.2g} and an exponent of "
            f"{steepest:.2f}, which no text has: the runs are too few, alike or noisy; add larger and smaller ones"
        )


def _check_exponents(fit: LawFit) -> None:
    for of, name in {"parameters": "model_exponent", "tokens": "data_exponent"}.items():
        value = getattr(fit.law, name)
        interval = fit.interval(lambda law, name=name: float(getattr(law, name)))  # type: ignore[misc]
        if interval.high - interval.low > value:
            raise InputError(
                f"the runs leave the exponent of {of} between {interval.low:.2f} and {interval.high:.2f}, wider than "
                f"itself ({value:.2f}): add runs, with more and fewer {of}"
            )


def _starts(losses: Floats) -> list[Floats]:
    """Points as `_search` takes them: how much of the lowest loss is irreducible, and both exponents, in all
    combinations; what is left of the median loss is halved between parameters and tokens."""
    found = []
    for share, alpha, beta in product((0.3, 0.9), (0.2, 0.8), (0.2, 0.8)):
        irreducible = losses.min() + log(share)
        part = log((exp(np.median(losses)) - exp(irreducible)) / 2)
        found.append(np.array([irreducible, part, alpha, part, beta]))
    return found


def _search(sizes: Floats, start: Floats) -> tuple[Floats, float]:
    """The point at which the search comes to rest, and the Huber loss there. A point is float64[5]: log E, the log of
    the parameters' part at the centre and their exponent, and those of tokens. `sizes` float64[N, 3]: logs of
    parameters and tokens, centred, and of losses."""
    parameters, tokens, losses = sizes.T

    def parts(point: Floats) -> Floats:
        irreducible, model, alpha, data, beta = point
        return np.stack([np.full_like(losses, irreducible), model - alpha * parameters, data - beta * tokens])

    def slopes(point: Floats) -> Floats:
        logs = parts(point)
        of_irreducible, of_model, of_data = np.exp(logs - np.logaddexp.reduce(logs))
        return np.stack([of_irreducible, of_model, -of_model * parameters, of_data, -of_data * tokens], axis=1)

    found = least_squares(
        lambda point: np.logaddexp.reduce(parts(point)) - losses,
        start,
        slopes,
        bounds=([-inf, log(LEAST), 0, log(LEAST), 0], [inf, inf, MOST, inf, MOST]),
        loss="huber",
        f_scale=HUBER,
        ftol=1e-10,
        gtol=1e-12,
    )
    return found.x, float(found.cost)


def _law(point: Floats, centre: Floats) -> PowerLaw:
    irreducible, model, alpha, data, beta = map(float, point)
    return PowerLaw(
        irreducible=exp(irreducible),
        model_scale=exp(model + alpha * centre[0]),
        model_exponent=alpha,
        data_scale=exp(data + beta * centre[1]),
        data_exponent=beta,
    )
