"""Notes on what was caught: found by later attempts, as long as the limit is not raised."""

from pathlib import Path

from curation.core.caught import CaughtNotes, EndOfReading, hashed
from curation.core.watchdog import WorkLimits


def test_notes_are_found_again(tmp_path: Path) -> None:
    limits = WorkLimits(seconds=60, memory=1 << 30)
    notes = CaughtNotes(str(tmp_path), 5, limits)
    notes.note_page("p", "timeout")
    notes.note_document("language", "d", "memory")
    notes.note_record("a.tar", 7, "timeout")
    notes.note_end("b.tar", EndOfReading(-1, 12, "timeout"))
    found = CaughtNotes(str(tmp_path), 5, limits)
    for one in (notes, found):
        assert one.pages == {"p": "timeout"}
        assert one.documents == {("language", "d"): "memory"}
        assert one.records == {(hashed("a.tar"), 7): "timeout"}
        assert one.ends == {hashed("b.tar"): EndOfReading(-1, 12, "timeout")}
    other = CaughtNotes(str(tmp_path), 6, limits)
    assert [other.pages, other.documents, other.records, other.ends] == [{}, {}, {}, {}]


def test_a_raised_limit_forgets_what_it_caught(tmp_path: Path) -> None:
    notes = CaughtNotes(str(tmp_path), 0, WorkLimits(seconds=60, memory=1 << 30))
    notes.note_document("language", "slow", "timeout")
    notes.note_document("language", "large", "memory")
    notes.note_page("p", "timeout")
    same = CaughtNotes(str(tmp_path), 0, WorkLimits(seconds=30, memory=1 << 30))
    assert {doc_id for _, doc_id in same.documents} == {"slow", "large"}
    raised = CaughtNotes(str(tmp_path), 0, WorkLimits(seconds=61, memory=1 << 30))
    assert {doc_id for _, doc_id in raised.documents} == {"large"}
    assert raised.pages == {"p": "timeout"}, "its limit is the parser's"


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    CaughtNotes(str(tmp_path), 0, WorkLimits()).note_record("caf\udce9.tar", 0, "timeout")
    assert (hashed("caf\udce9.tar"), 0) in CaughtNotes(str(tmp_path), 0, WorkLimits()).records
