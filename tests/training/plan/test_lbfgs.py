"""Many problems at once end where each one does alone."""

import numpy as np

from training.plan.lbfgs import Floats, minimise


def valley(points: Floats) -> tuple[Floats, Floats]:
    """Rosenbrock's, whose minimum is 0 at (1, 1)."""
    x, y = points.T
    values = (1 - x) ** 2 + 100 * (y - x * x) ** 2
    return values, np.stack([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)], axis=1)


def test_a_bent_valley() -> None:
    starts = np.array([[-1.2, 1.0], [3.0, -2.0], [1.0, 1.0]])
    ends, values = minimise(valley, starts)
    assert np.allclose(ends, 1, atol=1e-5)
    assert (values < 1e-9).all()


def test_together_as_alone() -> None:
    starts = np.array([[-1.2, 1.0], [0.3, 4.0]])
    together, _ = minimise(valley, starts)
    alone = [minimise(valley, starts[[row]])[0][0] for row in (0, 1)]
    assert np.allclose(together, alone, atol=1e-6)


def test_where_no_step_helps_it_stays() -> None:
    ends, values = minimise(lambda points: (np.zeros(len(points)), np.zeros_like(points)), np.array([[2.0, 5.0]]))
    assert ends.tolist() == [[2.0, 5.0]]
    assert values.tolist() == [0.0]
