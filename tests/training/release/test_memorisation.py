"""Passages are of one document, from rows that the training read, and count if they are repeated exactly."""

from pathlib import Path
from typing import Any

import pytest

from curation.tokens.shards import TokenData
from curation.tokens.step_rows import StepRows
from tests.training.runs import write_run
from training.release import memorisation
from training.release.memorisation import Passage, held_out_passages, openings, repeated, trained_passages


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TokenData:
    """Documents of 5 and 11 tokens, some cut where a row of 16 ends; passages are of 3 and 4."""
    monkeypatch.setattr(memorisation, "PROMPT", 3)
    monkeypatch.setattr(memorisation, "CONTINUED", 4)
    rows = [[*range(10, 14), 0, *range(20 + row, 30 + row), 0] for row in range(8)]
    documents = [document for row in rows for document in (row[:5], row[5:])]
    run = write_run(tmp_path / "run", documents, validation=documents[:4], sequence_length=15)
    return TokenData.open(str(run))


def test_the_longest_document_of_each_row(data: TokenData) -> None:
    found = trained_passages(data, StepRows(2), 3, 100, 16)
    assert len(found) >= 4
    assert {passage.position for passage in found} <= set(range(6))
    for passage in found:
        row = data.read(passage.position, 1)
        within = slice(passage.place - 3, passage.place + 4)
        assert row.tokens[0, within].tolist() == [*passage.prompt, *passage.continuation]
        assert len({*row.segment_ids[0, within].tolist()}) == 1
    assert trained_passages(data, StepRows(2), 3, 100, 6) == []  # the model sees too little of each row


def test_rows_that_were_left_out_were_not_learnt(data: TokenData) -> None:
    found = trained_passages(data, StepRows(2, skipped=((2, 2),)), 2, 100, 16)
    every = {passage.position for passage in trained_passages(data, StepRows(2), 3, 100, 16)}
    assert {passage.position for passage in found} == every - {2, 3}
    assert every & {2, 3}


def test_held_out_rows(data: TokenData) -> None:
    assert len(held_out_passages(data, 100, 16)) == 2  # the last row has too little text
    assert len(held_out_passages(data, 1, 16)) == 1
    assert openings(data, 100, 3) == [data.read_validation(row, 1).tokens[0, :3].tolist() for row in range(2)]


def test_one_wrong_token_is_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memorisation, "generate", lambda model, prompts, tokens: [[5, 6], [5, 7]])
    passages = [Passage(number, 3, (1, 2), (5, 6)) for number in range(2)]
    model: Any = None
    assert repeated(model, passages) == passages[:1]
