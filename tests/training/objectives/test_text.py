"""The text of a row, arrays of one length, runs, and the pair of an encoder's and a decoder's sequence, by hand."""

from dataclasses import replace

import numpy as np

from tests.training.objectives.rows import END, PADDING, row_of
from training.batch import ExampleShape
from training.objectives.causal import Causal
from training.objectives.text import (
    Text,
    begins_of_text,
    between_ends,
    filled,
    later,
    pair,
    runs,
    text_of,
    without_padding,
)

ROW = row_of(Causal(), [9, 10, END], [20], padding=2)


def test_each_token_stands_once() -> None:
    text = text_of(ROW)
    assert text.tokens.tolist() == [10, END, 20, PADDING, PADDING]
    assert text.documents.tolist() == [1, 1, 2, 0, 0]
    assert without_padding(text).tokens.tolist() == [10, END, 20]
    assert between_ends(text, ROW.ids).tolist() == [0, 2]


def test_what_begins_a_document_is_not_hidden() -> None:
    ids = replace(ROW.ids, begin_of_text=9)
    text = Text(np.array([9, 10, END, 9, 9]), np.array([1, 1, 1, 2, 0], np.int32))
    assert between_ends(text, ids).tolist() == [1]
    assert begins_of_text(text.tokens, ids).tolist() == [True, False, False, True, True]
    assert not begins_of_text(text.tokens, ROW.ids).any()


def test_documents_that_see_each_other_are_one() -> None:
    assert text_of(ROW._replace(apart=False)).documents.tolist() == [1, 1, 1, 0, 0]


def test_arrays_are_filled_and_cut() -> None:
    assert filled(np.array([5, 6]), 3, 9).tolist() == [5, 6, 9]
    assert filled(np.array([5, 6]), 1).tolist() == [5]
    assert later(np.array([5, 6, 7]), 1).tolist() == [1, 5, 6]
    assert later(np.array([], np.int64), 1).tolist() == []


def test_runs() -> None:
    assert runs(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist() == [7, 8, 3, 4, 5]


def test_a_decoder_reads_its_labels_one_place_later_and_not_across_documents() -> None:
    inputs = Text(np.array([10, 20]), np.array([1, 2], np.int32))
    labels = Text(np.array([30, 31, 40, 41]), np.array([1, 1, 2, 2], np.int32))
    example = pair(inputs, labels, ExampleShape(inputs=3, labels=5, targets=5), ROW.ids)
    assert example.inputs.tolist() == [10, 20, PADDING]
    assert example.segments.tolist() == [1, 2, 0]
    assert example.labels.tolist() == [30, 31, 40, 41, PADDING]
    assert example.weights.tolist() == [1, 1, 0, 1, 0]
    assert example.targets is not None
    assert example.targets.tolist() == [PADDING, 30, 31, 40, PADDING]
    assert example.target_segments is not None
    assert example.target_segments.tolist() == [1, 1, 1, 2, 0]
