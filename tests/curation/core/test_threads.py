"""Work side by side gives what work one after the other gives, errors included."""

import pytest

from curation.core.threads import THREADS, at_once


def test_in_their_order() -> None:
    assert at_once(lambda number: number * 2, range(5 * THREADS)) == list(range(0, 10 * THREADS, 2))
    assert at_once(str, []) == []


def test_the_first_error_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        at_once(lambda number: 1 // number, [1, 0, 2])
