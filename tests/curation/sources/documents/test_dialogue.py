"""Threads of a dump: comments in their tree's order from all files, what is passed over, and any cut of the files."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import fsspec
import pytest
import zstandard

from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.dialogue import Dialogue, DumpPiece
from curation.sources.documents.threads.dump_tables import MAX_LINE, dump_tables
from tests.curation.sources.sample import Sample


def submission(name: str, text: str = "", **fields: Any) -> dict[str, Any]:
    return {"id": name, "title": f"Title {name}", "selftext": text, "author": "ann", "score": 5, **fields}


def comment(name: str, parent: str, text: str, **fields: Any) -> dict[str, Any]:
    stated = {"id": name, "link_id": "t3_a", "parent_id": parent, "author": "ben", "score": 1, "created_utc": 0}
    return {**stated, "body": text, **fields}


def lines(*posts: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(post).encode() + b"\n" for post in posts)


def titles(texts: Sequence[str]) -> bytes:
    return lines(*(submission(f"a{number}", title="", selftext=text) for number, text in enumerate(texts)))


SAMPLE = Sample(titles, {"max_document_bytes": 2000})
THREAD = (
    comment("c4", "t1_c1", "Reply to low.", score=9),
    comment("c1", "t3_a", "Low."),
    comment("c2", "t3_a", "High &gt; low.", score=7),
    comment("c3", "t1_c2", "Reply to high.", created_utc="1"),
    comment("c5", "t1_c2", "Another.", created_utc=2),
    submission("a", "Why?", created_utc=1577934245, subreddit="maps", over_18=False, permalink="/r/maps/comments/a/t/"),
    submission("b", over_18=True),
)
TREE = (
    "Title a\n\nWhy?\n\nComment:\n\nHigh > low.\n\nReply:\n\nReply to high.\n\nReply:\n\nAnother.\n\nComment:\n\nLow."
)
TREE += "\n\nReply:\n\nReply to low."


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Dialogue(paths=(), **options).read([Piece(str(path), name=path.name)], "talk", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def planned(folder: Path, ranges: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    """Ids and texts of all threads of a folder's files as a run would read them, and what was counted."""
    (folder.parent / "tmp").mkdir(exist_ok=True)
    monkeypatch.setattr("tempfile.tempdir", str(folder.parent / "tmp"))
    source = Dialogue(paths=())
    tally = ReadTally()
    found = []
    for (piece,) in source.split(list_files(str(folder)), group_bytes=1, split_bytes=1 << 20):
        for start, stop in pairwise([*(piece.size * number // ranges for number in range(ranges)), -1]):
            part = replace(piece, start=start, stop=stop)
            rows = [row for batch in source.read([part], "talk", tally) for row in batch.to_pylist()]
            found += [(row["doc_id"], row["text"]) for row in rows]
    return found, dict(tally.records)


def test_a_thread_with_its_comments_in_front(tmp_path: Path) -> None:
    (first, second), tally = read(tmp_path / "dump", lines(*THREAD))
    assert first["text"] == TREE
    assert first["url"] == "https://www.reddit.com/r/maps/comments/a/t/"
    assert first["crawled_at"] == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert first["dialogue"] == {"subreddit": "maps", "score": 5, "comments": 5, "nsfw": False}
    assert (second["text"], second["url"], second["crawled_at"]) == (
        "Title b",
        "https://www.reddit.com/comments/b",
        None,
    )
    assert second["dialogue"] == {"subreddit": None, "score": 5, "comments": 0, "nsfw": True}
    assert (dict(tally.records), tally.faults, first["licence"]) == ({}, [], None)


def test_the_oldest_first_and_what_is_left(tmp_path: Path) -> None:
    (first, _), _ = read(tmp_path / "dump", lines(*THREAD), order="time", default_licence="none")
    assert first["text"].split("\n\n")[3::2] == ["Low.", "Reply to low.", "High > low.", "Reply to high.", "Another."]
    assert first["licence"] == "none"
    (first,), tally = read(tmp_path / "dump", lines(*THREAD), min_comment_score=2, min_comments=2)
    assert first["text"].split("\n\n")[2:] == ["Comment:", "High > low.", "Reply:", "Reply to low."]
    assert dict(tally.records) == {"skipped.comment_score": 3, "skipped.comments": 1}
    rows, tally = read(tmp_path / "dump", lines(*THREAD), min_score=6)
    assert (rows, dict(tally.records)) == ([], {"skipped.score": 2})


def test_the_deleted_and_bots(tmp_path: Path) -> None:
    (tmp_path / "bots").write_text("Helper\n")
    content = lines(
        submission("a"),
        submission("b", "[deleted]"),
        submission("c", author="WeatherBot"),
        comment("c1", "t3_a", "[removed]"),
        comment("c2", "t1_c1", "Still here."),
        comment("c3", "t3_a", "I am", author="AutoModerator"),
        comment("c4", "t3_a", "I help", author="helper"),
        comment("c5", "t3_a", "A person.", author="botanist"),
        comment("c6", "t3_b", "Of a deleted one.", link_id="t3_b"),
    )
    (row,), tally = read(tmp_path / "dump", content, bots=str(tmp_path / "bots"))
    assert row["text"].split("\n\n")[1:] == ["Reply:", "Still here.", "Comment:", "A person."]
    counts = {"deleted": 1, "bot": 1, "comment_deleted": 1, "comment_bot": 2}
    assert dict(tally.records) == {f"skipped.{cause}": number for cause, number in counts.items()}
    names = str(tmp_path / "bots")
    assert Dialogue(paths=(), bots=names).assets() == {"bots": names}


def test_comments_that_have_no_place(tmp_path: Path) -> None:
    content = lines(
        submission("a"),
        comment("c1", "t1_gone", "No parent."),
        comment("c2", "t1_c3", "Round"),
        comment("c3", "t1_c2", "and round."),
        comment("c4", "t1_c4", "Itself."),
        comment("c1", "t1_gone", "No parent."),
        comment("c5", "t3_z", "Lost.", link_id="t3_z"),
        comment("-", "t3_a", "Nameless."),
        {"id": "x"},
    )
    content += b"{broken\n" + b'{"title": "' + b"x" * MAX_LINE + b'"}\n' + b"[" * 100_000 + b"\n"
    (row,), tally = read(tmp_path / "dump", content)
    assert row["text"] == "Title a\n\nComment:\n\nNo parent."
    counts = {"no_submission": 1, "no_id": 1, "no_post": 1, "bad_json": 2, "long_line": 1}
    counts |= {"comment_twice": 1, "comment_circle": 3}
    expected = {f"skipped.{cause}": number for cause, number in counts.items()}
    assert dict(tally.records) == {**expected, "lenient.no_parent": 1}
    assert len(tally.faults) == 5
    told = tally.files[str(tmp_path / "dump")]
    assert (told.read, told.failed) == (7, {"no_id": 1, "no_post": 1, "bad_json": 2, "long_line": 1})
    assert told.first is not None
    assert told.first.line == 8


def test_a_submission_that_is_there_twice_is_read_once(tmp_path: Path) -> None:
    posts = [submission("b"), submission("a"), submission("b", "Again."), submission("c")]
    replies = [comment("c1", "t3_b", "To b.", link_id="t3_b"), comment("c2", "t3_c", "To c.", link_id="t3_c")]
    rows, tally = read(tmp_path / "dump", lines(*posts, *replies))
    assert [row["text"] for row in rows] == ["Title b\n\nComment:\n\nTo b.", "Title a", "Title c\n\nComment:\n\nTo c."]
    assert dict(tally.records) == {"skipped.twice": 1}


def test_a_deep_thread_and_a_long_one(tmp_path: Path) -> None:
    deep = [comment(f"{number + 1}", f"t1_{number}", "On.") for number in range(3000)]
    (row,), _ = read(tmp_path / "dump", lines(submission("a"), *({**post, "id": f"c{post['id']}"} for post in deep)))
    assert row["dialogue"]["comments"] == 3000
    long = [comment(f"c{number}", "t3_a", "word " * 100) for number in range(10)]
    (row,), _ = read(tmp_path / "dump", lines(submission("a"), *long), max_document_bytes=2000)
    assert (row["text"], row["drop_reason"], row["dialogue"]["comments"]) == (None, "extract:too_many_bytes", None)


def test_a_thread_may_have_as_many_comments_and_bytes_as_the_limits_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.sources.documents.dialogue.MAX_COMMENTS", 3)
    posts = [comment(f"c{number}", "t3_a", "Word.") for number in range(4)]
    for count, dropped in ((3, None), (4, "extract:too_many_bytes")):
        (row,), _ = read(tmp_path / "dump", lines(submission("a"), *posts[:count]))
        assert row["drop_reason"] == dropped
    monkeypatch.undo()
    for most, comments in ((50, 5), (49, None)):  # the five comments have 50 characters, and the text more
        row = read(tmp_path / "dump", lines(*THREAD), max_document_bytes=most)[0][0]
        assert (row["dialogue"]["comments"], row["drop_reason"]) == (comments, "extract:too_many_bytes")


def test_odd_fields(tmp_path: Path) -> None:
    odd = submission("a", "\ud83d\ude00 half: \ud800", score="7", created_utc=float("nan"), over_18="no", author=None)
    (row,), _ = read(tmp_path / "dump", lines(odd, comment("c1", "t3_a", "x", body=None), {**odd, "id": 5}))
    assert row["text"] == "Title a\n\n\U0001f600 half: \ufffd"
    assert row["dialogue"] == {"subreddit": None, "score": 7, "comments": 0, "nsfw": None}
    assert row["crawled_at"] is None


@pytest.mark.parametrize("ranges", [1, 2, 7])
def test_a_dump_gives_the_same_however_it_is_cut(ranges: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "RS_2020-01").write_bytes(lines(*THREAD[5:], submission("c", "[removed]")))
    (folder / "RC_2020-01").write_bytes(lines(*THREAD[:2], comment("d1", "t3_z", "Lost.", link_id="t3_z")))
    packed = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=31, enable_ldm=True)
    ).compressobj()
    (folder / "RC_2020-02.zst").write_bytes(packed.compress(lines(*THREAD[2:5])) + packed.flush())
    found, counts = planned(folder, ranges, monkeypatch)
    assert [text for _, text in found] == [TREE, "Title b"]
    assert len({doc_id for doc_id, _ in found}) == 2
    assert counts == {"skipped.no_submission": 1, "skipped.deleted": 1}
    assert (found, counts) == planned(folder, 1, monkeypatch)  # also from the tables that are there


def test_tables_are_made_once_and_again_for_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "a").write_bytes(lines(*THREAD))
    planned(folder, 1, monkeypatch)
    (own,) = (tmp_path / "tmp").iterdir()
    (made,) = (path for path in own.iterdir() if path.is_dir())
    before = made.stat().st_ino
    planned(folder, 1, monkeypatch)
    assert made.stat().st_ino == before
    files = Dialogue(paths=()).split(list_files(str(folder)), group_bytes=1, split_bytes=1 << 20)[0]
    (folder / "a").write_bytes(lines(*THREAD[1:]))
    changed = [piece for piece in files if isinstance(piece, DumpPiece)]
    assert [row["text"] for batch in Dialogue(paths=()).read(changed, "talk", ReadTally()) for row in batch.to_pylist()]
    for folder_of_tables in (made, own / "older.partial"):
        folder_of_tables.mkdir(exist_ok=True)
        os.utime(folder_of_tables, (0, 0))
    with pytest.raises(InputError, match="has changed since the run began"):
        list(Dialogue(paths=()).read(changed, "talk", ReadTally()))
    assert not [path for path in own.iterdir() if path.is_dir()]


def test_the_tables_of_a_signed_file_hold_no_credentials() -> None:
    uri = "memory://dumps/RS.jsonl?X-Amz-Signature=sign-4711"
    fsspec.filesystem("memory").pipe_file(uri, lines(submission("a")) + b"no JSON\n")
    with dump_tables([Piece(uri)]) as tables:
        assert all(b"sign-4711" not in file.read_bytes() for file in tables.folders[0].iterdir())
        tally = ReadTally()
        tables.tell(0, tally)
    assert tally.faults == [{"file": uri, "offset": 77, "error": "the line is not JSON"}]
    assert (tally.files[uri].file, tally.files[uri].rows) == (uri, 2)


def test_large_files_are_cut_also_compressed_ones() -> None:
    files = [InputFile("RS.zst", 5 << 20, name="RS.zst"), InputFile("RC.zst", 100, name="RC.zst")]
    units = Dialogue(paths=()).split(files, group_bytes=1 << 20, split_bytes=2 << 20)
    ranges = [(piece.path, piece.start, piece.stop) for unit in units for piece in unit]
    third = (5 << 20) // 3
    assert ranges == [
        ("RS.zst", 0, third),
        ("RS.zst", third, 2 * third + 1),
        ("RS.zst", 2 * third + 1, -1),
        ("RC.zst", 0, -1),
    ]
    assert {piece.dump for unit in units for piece in unit if isinstance(piece, DumpPiece)} == {
        tuple(map(Piece.of, files))
    }


def test_options_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="min_comments is -1; give 0 or more"):
        Dialogue(paths=(), min_comments=-1)


def test_a_list_of_bots_is_refused_before_work(tmp_path: Path) -> None:
    (tmp_path / "bots.txt").write_bytes(b"robot\n\xff\xfe\n")
    with pytest.raises(InputError, match=r"bots\.txt is no list of names in UTF-8: .*; give .*one name per line"):
        Dialogue(paths=("a.zst",), bots=str(tmp_path / "bots.txt")).assets()
    with pytest.raises(InputError, match=r"no file at .*none\.txt"):
        Dialogue(paths=("a.zst",), bots=str(tmp_path / "none.txt")).assets()
