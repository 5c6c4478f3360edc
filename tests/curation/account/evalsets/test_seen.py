"""Whether an item was in the training data: documents, token rows that spell it, and the steps that read them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from curation.account.evalsets import seen
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.evalsets import TEXTS, plain_text, url
from tests.curation.models.evalsets import HENS, SHIPS
from tests.takedowns import write_training

SEQUENCE = 64


def trained(run: Run, folder: Path, **more: Any) -> str:
    return str(write_training(folder, Path(run.folder), sequence_length=SEQUENCE, batch_rows=2, **more))


def test_an_item_by_its_id(marked: Run) -> None:
    found = marked.evalsets_seen("sums/0")
    assert (found.item.id, found.item.question) == ("sums/0", HENS)
    assert (found.found, found.whole, found.kept, found.kept_whole) == (3, 3, 2, 2)
    assert [(one.url, one.reason) for one in found.documents[2:]] == [(url(5), "gopher_quality.words:low")]
    assert {one.url for one in found.documents[:2]} == {url(1), url(3)}
    for document in found.documents:
        (span,) = document.spans
        text = TEXTS[int((document.url or "")[-1])].encode()
        assert text[span.start : span.stop].decode().casefold() == HENS.casefold()


def test_a_part_of_an_item(marked: Run) -> None:
    found = marked.evalsets_seen("places/0")
    assert (found.found, found.whole, found.kept, found.kept_whole) == (1, 0, 1, 0)
    assert (found.documents[0].url, found.documents[0].overlap) == (url(2), 14 / 18)
    assert (found.item.question, found.item.answer) == (SHIPS, "Mull")
    assert found.item.choices == ("Port of Larn", "Ayr", "Skye")
    beginning = marked.evalsets_seen(" ".join(HENS.split()[:9]))  # of fewer tokens than are evidence otherwise
    assert (beginning.item.id, beginning.found, beginning.whole) == (None, 3, 3)


def test_an_item_too_short_for_n_grams_is_found_whole(marked: Run) -> None:
    found = marked.evalsets_seen("sums/1")
    assert [(one.url, one.whole) for one in found.documents] == [(url(6), True)]


def test_a_text_in_any_case_and_punctuation(marked: Run) -> None:
    found = marked.evalsets_seen("two  and TWO")
    assert (found.item.id, found.item.same) == (None, ("sums/1",))
    assert [one.url for one in found.documents] == [url(6)]
    assert [one.url for one in marked.evalsets_seen("“two” and (two)?").documents] == [url(6)]
    assert marked.evalsets_seen("two and two grove16x").found == 0  # its last word is only the beginning of one


def test_the_rows_spell_the_item(marked: Run) -> None:
    (document,) = (one for one in marked.evalsets_seen("sums/0").documents if one.url == url(1))
    assert document.exact
    file = Path(marked.folder) / document.tokens["file"]
    rows = np.fromfile(file, "<u2").reshape(-1, SEQUENCE + 1)
    tokenizer = Tokenizer.from_file(str(file.parent / "tokenizer.json"))
    tokens: list[int] = []
    at = document.tokens["rows"][0]["doc_offset"]
    for piece in document.tokens["rows"]:
        own = rows[piece["row"], piece["position"] : piece["position"] + piece["length"]].tolist()
        tokens += own[at - piece["doc_offset"] :]  # a row begins with the last token of the one before
        at = piece["doc_offset"] + piece["length"]
    assert HENS in tokenizer.decode(tokens)
    assert all(HENS not in tokenizer.decode(fewer) for fewer in (tokens[1:], tokens[:-1]))


def test_an_item_in_dropped_documents_only(dropped: Run) -> None:
    found = dropped.evalsets_seen(HENS)
    assert (found.found, found.kept) == (3, 0)
    assert {(one.url, one.stage, one.reason) for one in found.documents} == {
        (url(1), "contamination", "contamination.overlap:high"),
        (url(3), "contamination", "contamination.overlap:high"),
        (url(5), "gopher_quality", "gopher_quality.words:low"),
    }
    assert all(not one.tokens for one in found.documents)


def test_steps_of_a_training_and_a_model_that_stopped_before(marked: Run, tmp_path: Path) -> None:
    item = " ".join(plain_text(4).split()[:2])
    whole = trained(marked, tmp_path / "whole", steps=60)
    (document,) = marked.evalsets_seen(item, trainings=[whole]).documents
    (mix,) = document.tokens["mixes"]
    (training,) = document.tokens["trainings"]
    steps = sorted({position // 2 for position in mix["positions"] if position < 120})
    assert list(training["steps"]) == steps
    assert steps
    assert training["training"] == whole
    first = steps[0]
    read = marked.evalsets_seen(item, model=trained(marked, tmp_path / "read", steps=60, done=first + 1))
    assert (read.steps, [one.url for one in read.documents], read.later) == (first + 1, [url(4)], 0)
    stopped = marked.evalsets_seen(item, model=trained(marked, tmp_path / "stopped", steps=60, done=first))
    assert (stopped.steps, stopped.documents, stopped.later) == (first, (), 1)
    assert stopped.found == 1


def test_all_that_a_model_has_read_is_told_of_and_what_was_not_looked_up(
    marked: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained(marked, tmp_path / "model", steps=60)
    monkeypatch.setattr(seen, "DOCUMENTS", 1)
    found = marked.evalsets_seen("sums/0", model=model)
    assert {one.url for one in found.documents} == {url(1), url(3)}
    assert (found.kept, found.unchecked) == (2, 0)
    monkeypatch.setattr(seen, "CHECKED", 1)
    found = marked.evalsets_seen("sums/0", model=model)
    assert (len(found.documents), found.kept, found.unchecked) == (1, 2, 1)
    assert marked.evalsets_seen("sums/0").unchecked is None


def test_a_model_of_another_run(marked: Run, unchecked: Run, tmp_path: Path) -> None:
    model = str(write_training(tmp_path / "model", Path(unchecked.folder), steps=4))
    with pytest.raises(InputError, match="was not trained on"):
        marked.evalsets_seen("sums/0", model=model)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        pytest.param("sums/00", r"sums has no item 'sums/00'; did you mean 'sums/0'\?", id="no such item"),
        pytest.param("sum/0", r"no evaluation set 'sum'; did you mean sums/…\?", id="no such set"),
        pytest.param("?!", "no letters or digits", id="nothing to look for"),
    ],
)
def test_mistakes(marked: Run, item: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        marked.evalsets_seen(item)


def test_a_run_without_evaluation_sets(unchecked: Run) -> None:
    with pytest.raises(InputError, match="has no evaluation sets, so sums/0 names no item there"):
        unchecked.evalsets_seen("sums/0")
    found = unchecked.evalsets_seen(SHIPS)
    assert [(one.url, one.whole, one.overlap) for one in found.documents] == [(url(2), False, 14 / 18)]
    assert json.dumps(found.documents[0].tokens)
