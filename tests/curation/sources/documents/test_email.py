"""Messages of an mbox and of a folder: columns, dates, what is passed over, and any cut of the file."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.email import Email
from tests.curation.sources.sample import Sample

FROM = "From ann@a.org Thu Jan  2 03:04:05 2020\n"


def message(text: str, **headers: str) -> str:
    stated = {"From": "Ann <ann@a.org>", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return "".join(f"{name}: {value}\n" for name, value in stated.items()) + f"\n{text}\n"


def mbox(*messages: str) -> bytes:
    return "".join(f"{FROM}{one}\n" for one in messages).encode()


def messages(texts: Sequence[str]) -> bytes:
    return mbox(*(message(text, Message_ID=f"<{number}@a.org>") for number, text in enumerate(texts)))


SAMPLE = Sample(messages, {"max_document_bytes": 2000})
LIST = {
    "Date": "Thu, 2 Jan 2020 04:04:05 +0100",
    "Message_ID": "<1@a.org>",
    "Subject": "=?utf-8?B?w5xiZXI=?= =?iso-8859-1?Q?_uns?=\n and more",
    "List_Id": "Talk <talk.a.org>",
    "Archived_At": "<https://a.org/msg/1>",
    "Content_Language": "en",
}


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Email(paths=(), **options).read([Piece(str(path), name=path.name)], "mail", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_columns(tmp_path: Path) -> None:
    (row, other), tally = read(tmp_path / "x", mbox(message("Hello.", **LIST), message("So.")), default_licence="own")
    assert (row["text"], row["url"], row["declared_language"]) == ("Hello.", "https://a.org/msg/1", "en")
    assert row["crawled_at"] == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    facts = {"message_id": "<1@a.org>", "list": "Talk <talk.a.org>", "subject": "Über uns and more", "attachments": 0}
    assert row["email"] == facts
    assert (other["url"], other["crawled_at"], other["licence"]) == (None, None, "own")
    assert other["email"] == {"message_id": None, "list": None, "subject": None, "attachments": 0}
    assert (dict(tally.records), tally.faults) == ({}, [])
    assert "ann@a.org" not in str(row)


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        pytest.param("2 Jan 2020 03:04:05 -0000", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), id="no zone"),
        pytest.param("Thu, 2 Jan 2020 03:04", datetime(2020, 1, 2, 3, 4, tzinfo=UTC), id="no seconds, no zone"),
        pytest.param("Wed, 1 Jan 2020 22:04:05 EST", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), id="a zone's name"),
        pytest.param("yesterday", None, id="no date"),
        pytest.param("Thu, 99 Jan 2020 03:04:05 +0000", None, id="no day"),
        pytest.param("Thu, 2 Jan 2020 03:04:05 +9999999", None, id="no offset"),
        pytest.param("Fri, 31 Dec 9999 23:00:00 -1400", None, id="after the last year"),
    ],
)
def test_dates(date: str, moment: datetime | None, tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "x", mbox(message("Hello.", Date=date)))
    assert row["crawled_at"] == moment


def test_what_is_passed_over(tmp_path: Path) -> None:
    quoted = message("> All of it.\n-- \nAnn", In_Reply_To="<1@a.org>")
    rows, tally = read(tmp_path / "x", mbox(message("Kept."), quoted) + FROM.encode() + b"X-Odd: 1\n\nNo mail.\n")
    assert [row["text"] for row in rows] == ["Kept."]
    assert dict(tally.records) == {"skipped.no_text": 1, "skipped.no_message": 1}
    assert [fault["error"] for fault in tally.faults] == ["no message of mail begins here"]


def test_a_file_with_one_message(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "1.eml", message(f"Hello.\n\n{FROM}To: all of you").encode())
    assert row["text"] == f"Hello.\n\n{FROM}To: all of you"
    (row,), _ = read(tmp_path / "2.eml", message("Line\r\n\r\nends.").replace("\n", "\r\n").encode())
    assert row["text"] == "Line\n\nends."


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_cut_gives_each_message_once(ends: str, tmp_path: Path) -> None:
    content = mbox(message("One."), message("Two\n\nFrom here on.\n\n>From there."), message("Three."))
    content = content.replace(b"\n", ends.encode())
    whole, _ = read(tmp_path / "x", content)
    assert [row["text"] for row in whole] == ["One.", "Two\n\nFrom here on.\n\nFrom there.", "Three."]
    for cut in range(1, len(content)):
        pieces = [Piece(str(tmp_path / "x"), *ends_of, name="x") for ends_of in ((0, cut), (cut, len(content)))]
        batches = [batch for piece in pieces for batch in Email(paths=()).read([piece], "mail", ReadTally())]
        assert [row for batch in batches for row in batch.to_pylist()] == whole


def test_options_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="max_document_bytes is 0"):
        Email(paths=(), max_document_bytes=0)
