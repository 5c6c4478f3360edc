"""IRC logs: the formats of clients, days, channels, what is counted, archives, hostile lines."""

import bz2
import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.chat import irc_log
from curation.sources.documents.irc import Irc
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


DIRCPROXY = """\
[02 Jan 23:10] --> alice (~a@host.example) joined the channel
[02 Jan 23:11] *** You connected
[02 Jan 23:34] <alice!~a@host.example> +hi
[02 Jan 23:34] <bob!n=b@gateway/web/x> -hello you
[02 Jan 23:34] * alice waves
[02 Jan 23:35] --- ChanServ (ChanServ@services.) changed mode: +o bob
[02 Jan 23:35] --- bob (n=b@gateway/web/x) changed topic: Tea | Cake
"""
TEXTUAL = """\
[2020-01-02T23:10:00+0100] alice (5e@project/alice) joined the channel
[2020-01-02T23:34:00+0100] <alice> hi
[2020-01-02T23:34:00+0100] <bob> hello you
[2020-01-02T23:34:09+0100] • alice: waves
[2020-01-02T23:35:00+0100] ChanServ sets mode +o bob
[2020-01-02T23:35:01+0100] bob changed the topic to Tea
[2020-01-02T23:35:02+0100] carol_ is now known as carol
[2020-01-02T23:36:00+0100] carol (~c@host) left IRC (Quit: Leaving.)
[2020-01-02T23:36:01+0100] alice kicked carol from the channel (carol)
"""
BOTBOT = """\
2020-01-02T23:10:00 * alice joined the channel
2020-01-02T23:34:00 <alice> hi
2020-01-02T23:34:02 <bob!~b@host.example.org> hello you
2020-01-02T23:34:09 * alice waves
2020-01-02T23:36:00 * carol has left the channel
2020-01-02T23:36:01 * carol left IRC (Quit: bye)
"""
EGGDROP = """\
[23:09] --- Thu Jan  2 2020
[23:10] alice (~a@host.example) joined #chan.
[23:34] <alice> hi
[23:34] <bob> hello you
[23:34] Action: alice waves
[23:35] #chan: mode change '+o bob' by ChanServ!s@services.
[23:35] Nick change: carol_ -> carol
[23:36] carol (~c@host) left irc: Ping timeout: 180 seconds
"""
KONVERSATION = """\
[Thu Jan 2 2020] [23:10:11] Join\t*** alice (~a@host) has joined channel #chan.
[Thu Jan 2 2020] [23:34:00] <alice>\thi
[Thu Jan 2 2020] [23:34:02] <bob>\thello you
[Thu Jan 2 2020] [23:34:09] * alice waves
[Thu Jan 2 2020] [23:36:00] <-- carol has left this server (Ping timeout: 240 seconds).
"""
PIDGIN = """\
Conversation with #chan at Thu Jan 2 11:00:00 2020 on bob@irc.example (irc)
(11:10:11 PM) alice [~a@host] entered the room.
(11:34:00 PM) alice: hi
(11:34:02 PM) bob: hello you
(11:34:03 PM) carol left the room (quit: Ping timeout: 240 seconds).
"""
BARS = """\
2020-01-02 23:10:00   --> | alice (~a@host) has joined #chan
2020-01-02 23:34:00 alice | hi
2020-01-02 23:34:02  @bob | hello you
2020-01-02 23:34:09     * | alice waves
2020-01-02 23:36:00   <-- | carol (~c@host) has quit (Ping timeout: 245 seconds)
"""
OLD_UBUNTU = """\
=== alice [n=a@host.example]  has joined #chan
[23:34]  <alice> hi
[23:34]  <bob> hello you
=== Topic (#chan): set by bob at Thu Jan 2 2020
[23:34] === alice waves
[23:36] === [zed] old  is now known as zed
"""
BIP = """\
02-01-2020 23:10:00 -!- alice!~a@host has joined #chan
02-01-2020 23:34:00 < alice!~a@host: hi
02-01-2020 23:34:02 < bob!~b@host: hello you
"""
LOGFLASH = """\
02 Jan 2020 23:34 < alice> hi
2020-01-02 23:34:10 PST/-0800 <bob> hello you
2020-01-02 23:34:12 PST/-0800 * alice waves
<stranger> a line that goes on
"""
W3C = """\
23:10:00 <alice> alice has joined #chan
23:34:00 <alice> hi
23:34:02 <bob> hello you
23:34:09 * alice waves
"""
MADOKA = """\
23:10:00 + alice (a!~a@host) to #chan
23:34:00 <#chan:alice> hi
23:34:02 <#chan:bob> hello you
23:36:00 - carol from #chan (bye)
23:36:01 - carol by bob from #chan (bye)
"""
WAVES = "\n* alice waves"


@pytest.mark.parametrize(
    ("content", "waves", "counts"),
    [
        pytest.param(DIRCPROXY, WAVES, {"join": 1, "event": 1, "mode": 1, "topic": 1}, id="dircproxy"),
        pytest.param(TEXTUAL, WAVES, {"join": 1, "mode": 1, "topic": 1, "nick": 1, "quit": 1, "kick": 1}, id="Textual"),
        pytest.param(BOTBOT, WAVES, {"join": 1, "part": 1, "quit": 1}, id="BotBot"),
        pytest.param(EGGDROP, WAVES, {"join": 1, "mode": 1, "nick": 1, "quit": 1}, id="Eggdrop"),
        pytest.param(KONVERSATION, WAVES, {"join": 1, "quit": 1}, id="Konversation"),
        pytest.param(PIDGIN, "", {"join": 1, "quit": 1}, id="Pidgin"),
        pytest.param(BARS, WAVES, {"join": 1, "quit": 1}, id="WeeChat's screen"),
        pytest.param(OLD_UBUNTU, WAVES, {"join": 1, "topic": 1, "nick": 1}, id="Ubuntu before 2007"),
        pytest.param(BIP, "", {"join": 1}, id="bip"),
        pytest.param(LOGFLASH, WAVES, {"line": 1}, id="logflash"),
        pytest.param(W3C, WAVES, {"join": 1}, id="RRSAgent"),
        pytest.param(MADOKA, "", {"event": 1, "part": 2}, id="Madoka"),
        pytest.param("<alice> hi\n<bob> hello you\n*** carol has quit\n", "", {"quit": 1}, id="no times"),
        pytest.param("<alice> hi\t[23:34]\n<bob> hello you [23:35]\n", "", {}, id="times at the end"),
    ],
)
def test_a_log_of_other_programs(content: str, waves: str, counts: dict[str, int], tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "2020-01-02-#chan.log", content)
    assert row["text"] == "<alice> hi\n<bob> hello you" + waves
    assert row["crawled_at"] == datetime(2020, 1, 2, tzinfo=UTC)
    assert tally.records == {f"skipped.{cause}": count for cause, count in counts.items()}


def test_signs_stay_where_servers_write_none(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "x.log", "12:34 <a!b@c> +1\n12:35 <a!b@c> yes\n12:36 <d!e@f> no\n")
    assert row["text"] == "<a> +1\n<a> yes\n<d> no"


def test_times_with_days_but_no_year_part_days(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.log", "[02 Jan 23:10] <a> x\n[03 Jan 23:11] <a> y\n")
    assert [(row["text"], row["crawled_at"]) for row in rows] == [("<a> x", None), ("<a> y", None)]


def test_lines_in_other_encodings_are_read(tmp_path: Path) -> None:
    mixed = "12:34 <a> ąčę\n".encode() + "12:35 <a> Größe\n".encode("latin-1")
    (row,), tally = read(tmp_path / "x.log", mixed)
    assert (row["text"], tally.records) == ("<a> ąčę\n<a> Größe", {"lenient.charset": 1})
    (row,), tally = read(tmp_path / "y.log", "12:34 <a> てすと\n".encode("iso2022_jp"))
    assert (row["text"], tally.records) == ("<a> てすと", {"lenient.charset": 1})


@pytest.mark.parametrize("content", ["One: two\nthree four\n\n", "<html>\n<p>Not a log\nof chat.\n"])
def test_a_file_of_which_nothing_is_understood_is_a_fault_with_its_first_line(content: str, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.log", content)
    assert not rows
    (fault,) = tally.faults
    assert fault["error"] == f"no line of a known form; the first line is '{content.splitlines()[0]}'"


def test_a_day_on_which_nobody_speaks_is_no_fault(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.log", "[12:34] *** Joins: a (~a@host)\n")
    assert (rows, tally.faults, tally.records) == ([], [], {"skipped.join": 1})


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


@pytest.mark.parametrize(
    ("last", "first", "days"),
    [("23:58", "00:00", 2), ("12:30", "00:01", 2), ("11:59", "00:01", 1)],
    ids=["midnight", "twelve hours back", "eleven hours back"],
)
def test_without_dates_a_day_ends_where_the_clock_goes_back(last: str, first: str, days: int, tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.log", f"{last} <a> x\n{first} <a> y\n")
    assert len(rows) == days
    assert {row["crawled_at"] for row in rows} == {None}


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


def test_a_log_in_which_hardly_anything_is_said_ends_behind_many_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(irc_log, "MOST_OTHERS", 200)
    said = "12:34 <a> said\n"
    rows, tally = read(tmp_path / "x.log", said + "=== b\n" * 201 + said + "\n" + "=== b\n" * 9)
    assert [row["text"] for row in rows] == ["<a> said"]
    assert tally.records == {"skipped.event": 201, "skipped.line": 10}
    rows, tally = read(tmp_path / "x.log", said * 3 + "=== b\n" * 201 + said)
    assert [row["text"] for row in rows] == ["\n".join(["<a> said"] * 4)]
    assert tally.records == {"skipped.event": 201}


def test_a_channel_is_named_without_the_endings_of_its_file(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "#python.2020-01-02.log.bz2", bz2.compress(b"12:34 <a> said\n"))
    assert [row["irc"]["channel"] for row in rows] == ["#python"]
    ((row,), _) = read(tmp_path / "all.tar", tar({"2019-10/07.txt": b"12:34 <a> said\n"}))
    assert (row["irc"]["channel"], row["crawled_at"]) == ("", datetime(2019, 10, 7, tzinfo=UTC))


def test_a_log_in_html(tmp_path: Path) -> None:
    rows, tally = read(
        tmp_path / "2020-01-02.log",
        '<span class="date">[2:52]</span> <span class="green">* ann (~a@host) has joined #chan</span><br />\n'
        '<span class="date">[2:53]</span> <span class="black">&lt;ann&gt; 1 &lt; 2 &amp; so on</span><br />\n'
        '<span class="date">[2:54]</span> <span class="navy">* ann (~a@host) Quit (Quit: bye)</span><br />\n',
    )
    assert [row["text"] for row in rows] == ["<ann> 1 < 2 & so on"]
    assert tally.records == {"skipped.join": 1, "skipped.quit": 1}


def test_a_bridge_speaks_for_others(tmp_path: Path) -> None:
    rows, _ = read(
        tmp_path / "2020-01-02.log",
        "12:00 <+bridge> [net] <Ann B> hi\n12:01 <matterbot> <bob> hello\n12:02 <carl> <bob> said so\n",
    )
    assert rows[0]["text"] == "<Ann B> hi\n<bob> hello\n<carl> <bob> said so"
    assert rows[0]["irc"]["nicks"] == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            "[10:01:01] <ann> hi\n[10:01:03] -*- bob waves\n[10:01:05] <-> bob is now known as bo\n",
            "<ann> hi\n* bob waves",
        ),
        (
            "(10:01:01 AM) ann: hi\n(10:01:05 AM) ***bob waves\n(10:01:06 AM) bob left the room.\n",
            "<ann> hi\n* bob waves",
        ),
        ("10:01 ann: hi\n10:02 * bob waves\n10:03 bob: yes\n", "<ann> hi\n* bob waves\n<bob> yes"),
        ("1578042061 <ann> hi\n1578042062 -!- bob(~b@h) has joined #c\n", "<ann> hi"),
        ("[2020-01-03 10:01:01] <ann> hi\n[2020-01-03 10:01:06] * bob → bobby\n", "<ann> hi"),
    ],
    ids=["Quassel", "Pidgin", "texts after colons", "ii", "IRCCloud"],
)
def test_signs_of_further_clients(content: str, text: str, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "a.log", content)
    assert [row["text"] for row in rows] == [text]
    assert "skipped.line" not in tally.records
