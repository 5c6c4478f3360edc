"""The decoder as a judge: every token of a document is priced once, windows do not matter, and text teaches."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch

from curation.core.errors import InputError
from curation.tokens.token_files import Vocabulary
from pipelines.decoder_judge import DecoderJudge, _windows
from training.config.run import TrainConfig
from training.models.decoder import Decoder
from training.objectives.masked import Masked
from training.optim.adamw import Adamw

END = 0
VOCABULARY = Vocabulary(size=8, end_of_text=END, padding=1, tokenizer="")
CONFIG = TrainConfig(
    model=Decoder(layers=1, width=16, heads=2, initial_deviation=0.06),
    optimizer=Adamw(learning_rate=1e-2),
    sequence_length=4,
    batch_rows=2,
)
DOCUMENTS = pa.array([[2, 3, 4, 5, 6, END], [7, END], [2, 3, 2, 3, END]], pa.large_list(pa.uint16()))
TEXT = np.array([2, 3, 2, 3, 2, 3, END] * 60, np.uint16)


def test_windows_hold_each_token_once_after_the_one_before() -> None:
    windows, of = _windows(np.asarray(DOCUMENTS.flatten()), np.asarray(DOCUMENTS.offsets), 4, END)
    assert of.tolist() == [0, 0, 1, 2, 2]
    counted = [label for one in windows for label in one.labels[one.weights > 0].tolist()]
    assert counted == DOCUMENTS.flatten().to_pylist()
    assert [one.inputs.tolist() for one in windows[:2]] == [[END, 2, 3, 4], [5, 6, END, END]]
    assert [one.weights.tolist() for one in windows[:2]] == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert windows[2].inputs.tolist()[:2] == [END, 7]


def test_an_even_model_takes_3_bits_of_each_of_8_tokens() -> None:
    still = replace(
        CONFIG,
        model=replace(CONFIG.model, initial_deviation=1e-12),
        optimizer=Adamw(learning_rate=1e-12),
    )
    assert DecoderJudge(DOCUMENTS, VOCABULARY, still).bits(TEXT, 0) == pytest.approx([18, 6, 15])


def test_text_teaches_and_is_read_alike_each_time() -> None:
    judge = DecoderJudge(DOCUMENTS, VOCABULARY, CONFIG)
    first = judge.bits(TEXT, 0)
    again = judge.bits(TEXT, 0)
    other = judge.bits(TEXT, 1)
    assert first.tolist() == again.tolist() != other.tolist()
    assert first[2] < 3 * 5  # bits of the document in the style of the text, which an even model takes
    assert first[0] > first[2] * 6 / 5
    assert np.isfinite(first).all()


def test_each_row_begins_with_the_last_token_of_the_row_before() -> None:
    judge = DecoderJudge(DOCUMENTS, VOCABULARY, replace(CONFIG, batch_rows=2))
    text = np.arange(2, 18, dtype=np.uint16) % 6 + 2
    batches = [batch for step in (0, 1) for batch in judge._batches(text, step)]
    labels = torch.cat([batch.labels.flatten() for batch in batches])
    inputs = torch.cat([batch.inputs.flatten() for batch in batches])
    assert labels.tolist() == text.tolist()
    assert inputs.tolist() == [END, *text[:-1].tolist()]


def test_documents_are_numbered_in_a_row() -> None:
    judge = DecoderJudge(DOCUMENTS, VOCABULARY, replace(CONFIG, documents_apart=True))
    (batch,) = judge._batches(np.array([2, END, 3, END, 4, 5, 6, 7], np.uint16), 0)
    assert batch.segments is not None
    assert batch.segments.tolist() == [[1, 2, 2, 3], [1, 2, 2, 2]]
    assert batch.weights.tolist() == [[0, 1, 0, 1], [0, 1, 1, 1]]


def test_a_model_that_sees_what_it_predicts_cannot_judge() -> None:
    with pytest.raises(ValueError, match="the objective masked gives prefixed rows"):
        DecoderJudge(DOCUMENTS, VOCABULARY, replace(CONFIG, objective=Masked()))


def test_too_little_text_for_a_step_is_refused() -> None:
    with pytest.raises(InputError, match="7 tokens do not fill 2 rows of 4; give more --tokens"):
        DecoderJudge(DOCUMENTS, VOCABULARY, CONFIG).bits(TEXT[:7], 0)
    assert math.isfinite(DecoderJudge(DOCUMENTS, VOCABULARY, CONFIG).bits(TEXT[:8], 0).sum())
