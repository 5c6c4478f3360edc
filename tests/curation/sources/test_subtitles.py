"""Subtitles: what is cut of a cue and counted, where lines end, languages of names, archives, hostile files."""

import gzip
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.subtitles import Subtitles
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar


def srt(*cues: str) -> bytes:
    timed = (f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{cue}\n" for n, cue in enumerate(cues, 1))
    return "\n".join(timed).encode()


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"{number}.srt": srt(escape(text)) for number, text in enumerate(texts)})


SAMPLE = Sample(archive, {"max_document_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Subtitles(paths=(), **options).read([Piece(str(path), name=path.name)], "films", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def text_of(tmp_path: Path, content: bytes, **options: Any) -> str:
    ((row,), _) = read(tmp_path / "x.srt", content, **options)
    assert isinstance(row["text"], str)
    return row["text"]


def test_ruby_readings_are_left_out(tmp_path: Path) -> None:
    content = b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<ruby>水車<rt>すいしゃ</rt>小屋<rt>ごや</ruby>です。\n".encode()
    assert text_of(tmp_path, content) == "水車小屋です。"


def test_a_file(tmp_path: Path) -> None:
    content = srt(
        "Subtitles by A. Nobody\nwww.opensubtitles.org",
        "[music]",
        "<i>We looked for the\nold</i> house,",
        "{\\an8}and found it. <3",
        "- (LAUGHS) Really?\n- Yes &amp; no.",
        "(he sighs)",
        "It was (I think) here.",
    )
    (row,), tally = read(tmp_path / "film.en.srt.gz", gzip.compress(content), default_licence="CC0-1.0")
    assert row["text"].split("\n") == [
        "We looked for the old house, and found it. <3",
        "- Really?",
        "- Yes & no.",
        "It was (I think) here.",
    ]
    assert (row["declared_language"], row["licence"]) == ("en", "CC0-1.0")
    assert row["subtitles"] == {"cues": 7, "adverts": 1, "sounds": 3}
    assert tally.records == {"skipped.advert": 1, "skipped.sound": 3}


def test_sounds_can_be_kept(tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "x.srt", srt("[music]", "(SHOUTS) Go!"), sounds="kept")
    assert row["text"] == "[music]\n(SHOUTS) Go!"
    assert row["subtitles"]["sounds"] == 2
    assert not tally.records


def test_web_captions(tmp_path: Path) -> None:
    content = """WEBVTT - a talk
Kind: captions
Language: de-AT

NOTE not said

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 line:0 position:20%
<v Eva>Guten Tag.</v>

00:00:03.000 --> 00:00:04.000

NOTE
not said either

2
00:00:05.000 --> 00:00:06.000
<c.yellow>Bis</c> morgen.
"""
    (row,), _ = read(tmp_path / "talk.en.vtt", content.replace("\n", "\r\n").encode("utf-8-sig"))
    assert (row["text"], row["declared_language"]) == ("Guten Tag.\nBis morgen.", "de-AT")


def test_captions_that_roll_up_give_each_line_once(tmp_path: Path) -> None:
    head = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n \none<00:00:01.500><c> two</c>\n\n"
    rest = (
        "00:00:02.000 --> 00:00:02.010\none two\n \n\n00:00:02.010 --> 00:00:03.000\none two\nthree<00:00:02.500> 4\n"
    )
    assert text_of(tmp_path, (head + rest).encode()) == "one two\nthree 4"
    assert text_of(tmp_path, srt("No.", "No.")) == "No.\nNo."


@pytest.mark.parametrize(
    ("cues", "text"),
    [
        pytest.param(("I went to", "Berlin. And", "then?"), "I went to Berlin. And then?", id="broken sentences"),
        pytest.param(("I was...", "...late.", "Yes..."), "I was... ...late.\nYes...", id="an ellipsis"),
        pytest.param(("我在\n这里", "你好", "谢谢"), "我在 这里\n你好\n谢谢", id="no marks"),
        pytest.param(("- You", "- Me?", '"Us."', "Hm."), '- You\n- Me?\n"Us."\nHm.', id="dashes and quotes"),
        pytest.param(("One\n\ntwo.", "3"), "One two.\n3", id="a blank line within a cue, and a number as text"),
    ],
)
def test_lines(cues: Sequence[str], text: str, tmp_path: Path) -> None:
    assert text_of(tmp_path, srt(*cues)) == text


@pytest.mark.parametrize(
    ("advert", "cut"),
    [
        ("Sync & corrections by n0b0dy", True),
        ("Untertitel von Niemand", True),
        ("Advertise your product or brand here", True),
        ("The subtitles are by hand.", False),
        ("Translation: he lies.", False),
    ],
)
def test_adverts(advert: str, cut: bool, tmp_path: Path) -> None:
    assert (advert not in text_of(tmp_path, srt("Hello.", advert))) == cut


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.pt-BR.forced.vtt", "pt-BR"),
        ("a.eng.srt", "en"),
        ("a.en.srt.bz2", "en"),
        ("a.en.hi.srt", "en"),
        ("a.hi.srt", "hi"),
        ("en.srt", None),
        ("a.The.srt", None),
        ("a.no-escape.srt", None),
    ],
)
def test_language_of_a_name(name: str, language: str | None, tmp_path: Path) -> None:
    ((row,), _) = read(tmp_path / "all.tar", tar({f"folder.de/{name}": srt("Hm.")}))
    assert row["declared_language"] == language


def test_what_has_no_text(tmp_path: Path) -> None:
    files = {"readme.txt": b"Have fun.", "a.srt": srt("[music]"), "b.srt": "\ufeff".encode("utf-16-le") + b"\0"}
    rows, tally = read(tmp_path / "all.tar", tar({**files, "c.srt": srt("Ça va.").decode().encode("utf-16")}))
    assert [(row["text"], row["drop_reason"]) for row in rows] == [(None, "extract:no_text"), ("Ça va.", None)]
    assert tally.records == {"skipped.no_cue": 2, "skipped.sound": 1}


@pytest.mark.parametrize(
    "part", ["(", ")", "[", "<a", "{\\", "-", "♪", "&a", " ", "1", "subs ", "0:0,0-->0:0,0\n", "(a\n", "-\n"]
)
def test_hostile_cues_end(part: str, tmp_path: Path) -> None:
    many = part * (100_000 // len(part))
    rows, _ = read(tmp_path / "x.srt", srt("One.", many + "x") + many.encode())
    assert rows[0]["text"].startswith("One.")


def test_an_archive_of_another_kind_is_noted(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.zip", b"PK\x03\x04 and so on")
    assert (rows, [fault["error"] for fault in tally.faults]) == ([], ["this file is a zip archive; unpack it"])


def test_a_limit_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="give 1 or more"):
        Subtitles(paths=(), max_document_bytes=0)
