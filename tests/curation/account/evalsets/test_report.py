"""Items seen by set: by hand from the planted documents, before and after stages that drop and cut."""

import shutil
from pathlib import Path

import pytest

from curation.account.evalsets.report import SetReport
from curation.account.evalsets.tally import SeenItems
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.evalsets import TEXTS, curate, url
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS

NOTHING = SeenItems(whole=0, answered=0, over=0, partly=0, documents=0)
HENS_IN_TWO = SeenItems(whole=1, answered=1, over=1, partly=1, documents=2)
SHIPS_PARTLY = SeenItems(whole=0, answered=0, over=0, partly=1, documents=1)  # 14 of 18 tokens, the limit is 0.8


def test_marked_documents_are_packed_as_they_are(marked: Run) -> None:
    found = marked.evalsets_report()
    (check,) = found.checks
    assert found.complete
    assert (check.stages, check.method, check.action, check.n, check.min_tokens, check.limit) == (
        ("contamination",),
        *("llama", "mark", 8, 8, 0.8),
    )
    assert (check.documents, check.matched, check.kept, check.still) == (8, 3, 3, 3)  # one of nine came no further
    assert check.sets == (
        SetReport("sums", 2, 1, *[HENS_IN_TWO] * 3),  # "Two and two" has fewer tokens than an n-gram
        SetReport("places", 1, 0, *[SHIPS_PARTLY] * 3),
    )
    assert check.unchecked == ("sums/1",)


def test_the_worst_documents_come_first_with_their_spans(marked: Run) -> None:
    (check,) = marked.evalsets_report().checks
    assert {document.url for document in check.worst[:2]} == {url(1), url(3)}
    last = check.worst[2]
    assert (last.url, last.item, last.overlap, last.whole, last.items) == (url(2), "places/0", 14 / 18, False, 1)
    by_url = {document.url: document for document in check.worst}
    marks = {number: [one.text for one in by_url[url(number)].excerpt if one.marked] for number in (1, 2, 3)}
    assert marks == {
        1: [f"{HENS}? {ITEMS['sums'][0]['answer']}"],
        2: [" ".join(SHIPS.split()[:14])],
        3: [HENS.upper()],
    }
    (span,) = by_url[url(3)].spans
    assert TEXTS[3].encode()[span.start : span.stop].decode() == HENS.upper()


def test_dropped_documents_count_as_read_only(dropped: Run) -> None:
    (check,) = dropped.evalsets_report().checks
    assert (check.matched, check.kept, check.still) == (3, 1, 1)
    assert check.sets[0] == SetReport("sums", 2, 1, HENS_IN_TWO, NOTHING, NOTHING)
    assert check.sets[1] == SetReport("places", 1, 0, *[SHIPS_PARTLY] * 3)
    worst = check.worst[0]
    assert (worst.dropped_by, worst.reason, worst.packed_rows) == ("contamination", "contamination.overlap:high", 0)
    assert check.worst[2].dropped_by is None
    assert check.worst[2].packed_rows > 0


def test_cut_documents_are_looked_at_as_they_are_at_the_end(tmp_path: Path) -> None:
    run = curate(tmp_path, action="cut", extra="  - rewrite: {cut_spans: {of: [contamination]}}\n")
    (check,) = Run.open(run).evalsets_report().checks
    assert (check.matched, check.kept, check.still) == (3, 3, 1)
    assert check.sets[0] == SetReport("sums", 2, 1, HENS_IN_TWO, NOTHING, NOTHING)


def test_validation_documents_are_kept_and_not_packed(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path, validation=0.5))
    stage = run.stage("tokenize")
    splits = {row["url"]: row["split"] for one in stage.scan(["url", "split"]) for row in one.to_pylist()}
    train = {url(number) for number in (1, 2, 3) if splits[url(number)] == "train"}
    assert 0 < len(train) < 3
    (check,) = run.evalsets_report().checks
    assert sum(one.packed.documents for one in check.sets if one.packed is not None) == len(train)
    assert {one.url for one in check.worst if one.packed_rows} == train
    assert [one.kept for one in check.sets] == [HENS_IN_TWO, SHIPS_PARTLY]


def test_a_document_dropped_later_says_by_which_stage(tmp_path: Path) -> None:
    extra = "  - filter: {c4_quality: {min_sentences: 3}}\n    name: later\n"
    (check,) = Run.open(curate(tmp_path, extra=extra)).evalsets_report().checks
    by_url = {one.url: (one.dropped_by, one.reason) for one in check.worst}
    assert by_url[url(3)] == ("later", "c4_quality.sentences:low")  # it ends in no mark
    assert check.matched == 3


def test_excerpts_are_redacted(tmp_path: Path) -> None:
    extra = "  - rewrite: {pii: {language: en}}\n"
    (check,) = Run.open(curate(tmp_path, extra=extra)).evalsets_report().checks
    (first,) = (one for one in check.worst if one.url == url(1))
    assert "Write to <EMAIL>. " in first.excerpt[1].text
    assert [piece.text for piece in first.excerpt if piece.marked] == [f"{HENS}? {ITEMS['sums'][0]['answer']}"]
    assert "jane" not in "".join(piece.text for piece in first.excerpt)


def test_a_run_without_evaluation_sets(unchecked: Run) -> None:
    with pytest.raises(InputError, match="no sealed stage that looks for evaluation sets; add"):
        unchecked.evalsets_report()


def test_an_index_that_was_deleted(marked: Run, tmp_path: Path) -> None:
    run = Run.open(shutil.copytree(marked.folder, tmp_path / "run"))
    (Path(run.stage("evalsets").folder) / "evalsets.json").unlink()
    with pytest.raises(InputError, match=r"evalsets\.json"):
        run.evalsets_report()
