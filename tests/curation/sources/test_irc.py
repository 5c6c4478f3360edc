"""IRC logs: the formats of clients, days, channels, what is counted, archives, hostile lines."""

import bz2
import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.irc import Irc
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar


def log(texts: Any) -> bytes:
    days = (datetime(2020, 1, 1) + timedelta(days=number) for number in range(len(texts)))
    return "".join(f"[{day:%Y-%m-%d} 12:34:56] <p> {text}\n" for day, text in zip(days, texts, strict=True)).encode()


SAMPLE = Sample(log, {"max_document_bytes": 2000}, becomes="<p> {}".format)


def read(path: Path, content: bytes | str, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    tally = ReadTally()
    batches = Irc(paths=(), **options).read([Piece(str(path), name=path.name)], "chat", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


IRSSI = """\
--- Log opened Thu Jan 02 23:34:56 2020
23:34 -!- alice [~a@host] has joined #chan
23:34 -!- mode/#chan [+o bob] by ChanServ
23:34 < alice> hi
23:34 <@bob> \x02hello\x0f \x034,1you
23:35  * alice waves
23:35 -bob:#chan- psst
23:35 -!- Irssi: #chan: Total of 2 nicks
--- Day changed Fri Jan 03 2020
00:01 -!- bob is now known as bobby
00:01 <bobby> morning
00:02 -!- alice was kicked from #chan by bobby [bye]
00:02 -!- alice [~a@host] has quit [Quit: bye]
--- Log closed Fri Jan 03 00:03:00 2020
"""
WEECHAT = """\
2020-01-02 23:34:56\t-->\talice (~a@host) has joined #chan
2020-01-02 23:34:56\t--\tMode #chan [+o bob] by ChanServ
2020-01-02 23:34:56\talice\thi
2020-01-02 23:34:56\t@bob\thello you
2020-01-02 23:34:57\t *\talice waves
2020-01-02 23:34:57\t--\tNotice(bob): psst
2020-01-03 00:01:00\t--\tbob is now known as bobby
2020-01-03 00:01:00\tbobby\tmorning
2020-01-03 00:01:00\t<--\tbobby has kicked alice (bye)
2020-01-03 00:01:00\t<--\talice (~a@host) has quit (Quit: bye)
"""
ZNC = """\
[23:34:56] *** Joins: alice (~a@host)
[23:34:56] *** ChanServ sets mode: +o bob
[23:34:56] <alice> hi
[23:34:56] <bob> hello you
[23:34:56] * alice waves
[23:34:56] -bob- psst
"""
HEXCHAT = """\
**** BEGIN LOGGING AT Thu Jan  2 23:34:56 2020

Jan 02 23:34:56 *\talice (~a@host) has joined
Jan 02 23:34:56 *\tChanServ gives channel operator status to bob
Jan 02 23:34:56 <alice>\thi
Jan 02 23:34:56 <bob>\thello you
Jan 02 23:34:56 *\talice waves
Jan 02 23:34:56 -bob-\tpsst
Jan 03 00:01:00 *\tbob is now known as bobby
Jan 03 00:01:00 <bobby>\tmorning
Jan 03 00:01:00 *\talice has quit (Quit: bye)
**** ENDING LOGGING AT Fri Jan  3 00:03:00 2020
"""
UBUNTU = """\
[23:34] === alice [~a@host] has joined #chan
=== bob is now known as bob_
[23:34] <alice> hi
[23:34] <bob> hello you
[23:34]  * alice waves
"""


@pytest.mark.parametrize(
    ("name", "content", "counts"),
    [
        ("#chan.log", IRSSI, {"join": 1, "mode": 1, "notice": 1, "event": 1, "nick": 1, "kick": 1, "quit": 1}),
        ("irc.a.#chan.weechatlog", WEECHAT, {"join": 1, "mode": 1, "event": 1, "nick": 1, "kick": 1, "quit": 1}),
        ("#chan/2020-01-02.log", ZNC, {"join": 1, "mode": 1, "notice": 1}),
        ("#chan_20200101.log", HEXCHAT, {"join": 1, "mode": 1, "notice": 1, "nick": 1, "quit": 1}),
        ("2020-01-02-#chan.txt", UBUNTU, {"join": 1, "nick": 1}),
    ],
)
def test_a_log_of_each_client(name: str, content: str, counts: dict[str, int], tmp_path: Path) -> None:
    rows, tally = read(tmp_path / name, content)
    assert rows[0]["text"] == "<alice> hi\n<bob> hello you\n* alice waves"
    assert rows[0]["irc"] == {"channel": "#chan", "messages": 3, "nicks": 2, "bots": 0}
    assert [row["text"] for row in rows[1:]] == ["<bobby> morning"] * ("morning" in content)
    assert [row["crawled_at"] for row in rows] == [datetime(2020, 1, day, tzinfo=UTC) for day in (2, 3)][: len(rows)]
    assert tally.records == {f"skipped.{cause}": count for cause, count in counts.items()}


def test_actions_that_sound_like_events(tmp_path: Path) -> None:
    said = ["* a has left the building", "* a has joined the club", "* a changes his mind", "* a sets the table"]
    rows, tally = read(tmp_path / "x.log", "".join(f"[12:34] {line}\n" for line in said))
    assert rows[0]["text"].split("\n") == said
    assert not tally.records


def test_bots(tmp_path: Path) -> None:
    lines = b"12:34 <a> !help\n12:34 <helpbot> No.\n12:34 <dpkg> Yes.\n"
    ((kept,), tally) = read(tmp_path / "x.log", lines, bot_nicks=("dpkg",))
    assert (kept["text"].count("\n"), kept["irc"]["bots"], dict(tally.records)) == (2, 2, {})
    ((cut,), tally) = read(tmp_path / "x.log", lines, bot_nicks=("dpkg",), bots="cut")
    assert (cut["text"], cut["irc"]["bots"], dict(tally.records)) == ("<a> !help", 2, {"skipped.bot": 2})


def test_years_turn_and_dates_that_are_none(tmp_path: Path) -> None:
    log = "**** BEGIN LOGGING AT Mon Dec 31 23:00:00 2019\nDec 31 23:00:00 <a> x\nJan 01 00:01:00 <a> y\n"
    rows, _ = read(tmp_path / "2019-13-45.log", log + "2020-13-45 00:02 <a> z\n")
    assert [(row["text"], row["crawled_at"].year) for row in rows] == [("<a> x", 2019), ("<a> y\n<a> z", 2020)]


def test_without_dates_a_day_ends_where_the_clock_goes_back(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.log", "23:59 <a> x\n23:58 <a> y\n00:00 <a> z\n")
    assert [(row["text"], row["crawled_at"]) for row in rows] == [("<a> x\n<a> y", None), ("<a> z", None)]


def test_an_archive_numbers_its_days(tmp_path: Path) -> None:
    files = {"2020/01/02/#a.txt": b"[12:34] <x> one\n", "b.txt": b"Read me.", "#c.log": log(["two", "three"])}
    rows, tally = read(tmp_path / "logs.tar.gz", gzip.compress(tar(files)), default_licence="CC0-1.0")
    assert [(row["origin_offset"], row["irc"]["channel"]) for row in rows] == [(0, "#a"), (2, "#c"), (3, "#c")]
    assert rows[0]["crawled_at"] == datetime(2020, 1, 2, tzinfo=UTC)
    assert tally.records == {"skipped.line": 1}


@pytest.mark.parametrize("start", ["--- Day ", "12:34 ", "12:34 * a ", "12:34 *** a ", "12:34 -", "12:34 a\t"])
@pytest.mark.parametrize("part", ["jan 1 2020 ", "a", "-", "[a) has joined ", "\t", "<", "#", "2020-01-02"])
def test_hostile_lines_end(start: str, part: str, tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.log", start + part * (200_000 // len(part)) + "\n12:34 <a> said\n")
    assert rows[-1]["text"].endswith("<a> said")


def test_a_channel_is_named_without_the_endings_of_its_file(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "#python.2020-01-02.log.bz2", bz2.compress(b"12:34 <a> said\n"))
    assert [row["irc"]["channel"] for row in rows] == ["#python"]
