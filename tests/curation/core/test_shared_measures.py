"""Measures are shared within a block, among one thread, and not beyond."""

import gc
import threading
import weakref
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest

from curation.core.shared_measures import shared, sharing
from curation.text.repeats import count_repeats
from curation.text.spans import line_spans, word_spans


@dataclass(eq=False)
class Found:
    values: np.ndarray = field(default_factory=lambda: np.zeros(3))


calls: list[tuple[int, int]] = []


@shared
def measured(text: pa.Array, *, more: int = 1) -> Found:
    calls.append((len(text), more))
    return Found()


@pytest.fixture(autouse=True)
def no_calls() -> None:
    calls.clear()


def test_within_a_block_a_text_is_measured_once() -> None:
    batch = pa.record_batch({"text": pa.array(["a", "b"])})
    with sharing():
        found = measured(batch.column("text"))
        assert measured(batch.column("text")) is found
        assert measured(batch.column("text"), more=1) is found
        assert measured(pa.chunked_array([batch.column("text")])) is found
    assert calls == [(2, 1)]


def test_outside_of_a_block_every_call_measures() -> None:
    text = pa.array(["a"])
    assert measured(text) is not measured(text)
    with sharing():
        measured(text)
    measured(text)
    assert len(calls) == 4


def test_other_texts_slices_and_options_are_measured_apart() -> None:
    text = pa.array(["a", "b", "c"])
    with sharing():
        found = [measured(text), measured(text, more=2), measured(text.slice(0, 2)), measured(text.slice(1, 2))]
        found += [measured(pa.array(["a", "b", "c"])), measured(text.cast(pa.large_string()))]
    assert len({id(one) for one in found}) == 6


def test_texts_without_a_byte_are_shared_too() -> None:
    text = pa.array(["", ""], pa.large_string())
    with sharing():
        assert measured(text) is measured(text)
        assert measured(text.slice(0, 1)) is not measured(text)


def test_a_new_block_begins_with_nothing_and_an_outer_one_goes_on() -> None:
    text = pa.array(["a"])
    with sharing():
        outer = measured(text)
        with sharing():
            assert measured(text) is not outer
        assert measured(text) is outer


def test_another_thread_shares_nothing() -> None:
    text = pa.array(["a"])
    found = []
    with sharing():
        first = measured(text)
        thread = threading.Thread(target=lambda: found.append(measured(text)))
        thread.start()
        thread.join()
    assert found[0] is not first


def test_nothing_is_kept_after_a_block_not_even_after_an_error() -> None:
    kept = []

    def fail() -> None:
        with sharing():
            kept.append(weakref.ref(measured(pa.array(["a"]))))
            assert kept[0]() is not None
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    gc.collect()
    assert kept[0]() is None


def test_what_is_shared_cannot_be_written_to() -> None:
    with sharing():
        found = measured(pa.array(["a"]))
        with pytest.raises(ValueError, match="read-only"):
            found.values[0] = 1


def test_measures_of_measures_are_shared() -> None:
    text = pa.array(["a\nb\na"])
    with sharing():
        assert line_spans(text) is line_spans(text)
        assert count_repeats(line_spans(text)) is count_repeats(line_spans(text))
        assert word_spans(text) is not line_spans(text)
