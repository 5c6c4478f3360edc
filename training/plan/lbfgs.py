"""Minimises many small problems at once by L-BFGS, all in the same NumPy calls: the starts of a fit and its resamples.

SciPy's takes one problem at a time, and OpenBLAS spreads its matrices of 20 numbers over all threads: 8 ms a fit of 200
points on one thread, and up to 600 ms on two that were busy (two cores, December 2026).

Source: Nocedal and Wright 2006, "Numerical Optimization", algorithms 7.4 and 3.1.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Objective: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]  # [S, P] -> values [S] and gradients [S, P]

MEMORY = 10  # pairs of steps and changes of the gradient that are kept
STEPS = 300
DECREASE = 1e-4  # of what the slope promises, that a step must bring
HALVINGS = 25
TOLERANCE = 1e-12  # of a value, or of 1: a problem rests from the step on that brings less


def minimise(objective: Objective, starts: Floats) -> tuple[Floats, Floats]:
    """Points float64[S, P] and values float64[S] at which S problems, each from its own start, come to rest."""
    points = starts
    values, slopes = objective(points)
    pairs: list[tuple[Floats, Floats, Floats]] = []
    scale = 1 / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300)
    resting = np.zeros(len(starts), dtype=bool)
    for _ in range(STEPS):
        way = np.where(resting[:, None], 0.0, -_curved(slopes, pairs, scale))
        reached, lower, changed = _searched(objective, points, values, slopes, way)
        moved = reached - points
        bent = changed - slopes
        resting |= values - lower <= TOLERANCE * (1 + np.abs(values))
        points = reached
        values = lower
        slopes = changed
        if resting.all():
            break
        product = (moved * bent).sum(axis=1, keepdims=True)
        useful = product > 1e-300
        inverse = np.where(useful, 1 / np.where(useful, product, 1), 0)  # 0: the pair has no part
        pairs = [*pairs, (moved, bent, inverse)][-MEMORY:]
        squares = (bent * bent).sum(axis=1, keepdims=True)
        scale = np.where(useful, product / np.where(useful, squares, 1), scale)
    return points, values


def _curved(slopes: Floats, pairs: list[tuple[Floats, Floats, Floats]], scale: Floats) -> Floats:
    """The slopes times the inverse curvature that the pairs tell of."""
    found = slopes
    shares = []
    for moved, bent, inverse in reversed(pairs):
        share = inverse * (moved * found).sum(axis=1, keepdims=True)
        shares.append(share)
        found = found - share * bent
    found = found * scale
    for (moved, bent, inverse), share in zip(pairs, reversed(shares), strict=True):
        found = found + moved * (share - inverse * (bent * found).sum(axis=1, keepdims=True))
    return found


def _searched(
    objective: Objective, points: Floats, values: Floats, slopes: Floats, way: Floats
) -> tuple[Floats, Floats, Floats]:
    """Where halving each step until it brings enough ends; a problem of which no step does stays where it is."""
    promised = (slopes * way).sum(axis=1)
    length = np.ones_like(values)
    for _ in range(HALVINGS):
        reached = points + length[:, None] * way
        lower, changed = objective(reached)
        enough = lower <= values + DECREASE * length * promised
        if enough.all():
            break
        length = np.where(enough, length, length / 2)
    kept = enough[:, None]
    return np.where(kept, reached, points), np.where(enough, lower, values), np.where(kept, changed, slopes)
