"""What holds of every kernel that reads text: any bytes will do, and time is linear in them."""

import time
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from hypothesis import given, settings

from tests.curation.text.texts import as_text, garbage
from tests.fuzz.kernels import Kernel, of_any_text, of_lists, of_spans
from tests.fuzz.texts import assert_same, plain

KERNELS = (of_any_text, of_spans, of_lists)
UNITS = (
    *("word ", "w", "same ", "a b a c ", "x" * 1000 + " ", "\u2003", "\n", "\r\n", " \n", "w\n\n", "é", "中", "x中"),
    *(".", ". ", "।", "。", '."', "[", "]", "[1]", "1", "[1", "the ", "- ", "read more", "more…", "\U0001f600", "\0"),
)


@pytest.mark.parametrize("kernels", KERNELS)
@settings(max_examples=25, deadline=None)
@given(contents=garbage)
def test_bytes_that_are_no_text_do_no_harm(
    kernels: Callable[[], Iterator[tuple[str, Kernel]]], contents: list[bytes]
) -> None:
    for name, kernel in kernels():
        found = kernel(as_text(contents))
        assert found is not None, name
        assert_same(kernel(as_text(contents)), plain(found))


@pytest.mark.soak
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("name", "kernel"), [pair for kernels in KERNELS for pair in kernels()])
def test_a_text_of_5_mb_takes_seconds_of_this_process(name: str, kernel: Kernel, unit: str) -> None:
    kernel(pa.array(["compiled"], pa.large_string()))
    began = time.process_time()
    kernel(pa.array([unit * (5_000_000 // len(unit.encode()))], pa.large_string()))
    assert time.process_time() - began < 10, name
