"""Work side by side gives what work one after the other gives, errors included."""

import pytest

from curation.core.threads import THREADS, map_threads


def test_in_their_order() -> None:
    assert map_threads(lambda number: number * 2, range(5 * THREADS)) == list(range(0, 10 * THREADS, 2))
    assert map_threads(str, []) == []


def test_the_first_error_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        map_threads(lambda number: 1 // number, [1, 0, 2])
