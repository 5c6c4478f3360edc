"""Subtitles: what is cut of a cue and counted, where lines end, languages of names, archives, hostile files."""

import gzip
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.captions import subtitle_text
from curation.sources.documents.subtitles import Subtitles
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


def test_a_file_of_more_cues_than_any_has_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtitle_text, "MOST_CUES", 2)
    ((row,), _) = read(tmp_path / "x.srt", srt("One.", "Two."))
    assert row["text"] == "One.\nTwo."
    ((row,), _) = read(tmp_path / "x.srt", srt("One.", "Two.", "Three."))
    assert (row["text"], row["drop_reason"]) == (None, "extract:too_many_bytes")


@pytest.mark.parametrize(
    "times",
    [
        "00:00:01 --> 00:00:03",
        "00:01.5 --> 00:03",
        "0:00:01.000 --> 0:00:03.000",
        "00:00:01:500 --> 00:00:03:000",
        "00: 00: 01,500 -> 00: 00: 03, 000",
        "00:00:01,000 -- > 00:00:03,000",
        "00: 00: 01,500 - & gt; 00: 00: 03,000",
        "00:00:01,500 –> 00:00:03,000",
        "100:00:01,500 --> 101:00:03,000",
        "-00:00:01,500 --> 00:00:03,000",
        "00:00:01,500 -->",
        "00:00:01,500 --> 00:00:03,000 X1:201 X2:516 Y1:397 Y2:423",
        "\t00:00:01,500\t-->\t00:00:03,000",
        "00:00:01;500 --> 00:00:03;000",
    ],
)
def test_times_as_players_read_them(times: str, tmp_path: Path) -> None:
    (row,), tally = read(
        tmp_path / "x.srt", f"1\n{times}\nHere.\n\n2\n00:00:04,000 --> 00:00:05,000\nThere.\n".encode()
    )
    assert (row["text"], row["subtitles"]["cues"], tally.faults) == ("Here.\nThere.", 2, [])


def test_text_behind_the_times_is_kept(tmp_path: Path) -> None:
    assert text_of(tmp_path, b"1\n00:00:01,000 --> 00:00:02,000 No\nmore.\n") == "No more."


ASS = """\ufeff[Script Info]
Title: x

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.50,0:00:01.00,Default,,0,0,0,,not said
Dialogue: 0,0:00:05.00,0:00:06.00,Default,Bo,0,0,0,,Well,\\hwell.
Dialogue: 1,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an8\\k20}Hello,\\N{\\i1}you{\\i0}.
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an8\\k20}Hello,\\N{\\i1}you{\\i0}.
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 10 0 10 10{\\p0}
"""
SSA = "Format: Marked, Start, End, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,Hello, you.\n"


@pytest.mark.parametrize(
    ("content", "text", "cues"),
    [
        pytest.param(ASS, "Hello, you.\nWell, well.", 3, id="SubStation Alpha"),
        pytest.param(SSA, "Hello, you.", 1, id="its older form"),
        pytest.param("{10}{60}{y:i}Hello,|you.\n{70}{99}Well.\n", "Hello, you.\nWell.", 2, id="MicroDVD"),
        pytest.param("[10][60]/Hello,|/you.\n[70][99]Well.\n", "Hello, you.\nWell.", 2, id="MPL2"),
        pytest.param("0:00:01.500,0:00:02.500\nHello,\nyou.\n\n0:00:03.000,0:00:04.000\nWell.\n",
                     "Hello, you.\nWell.", 2, id="SBV"),
        pytest.param("[INFORMATION]\n[TITLE]x\n00:00:01.50,00:00:02.50\nHello,[br]you.\n\n",
                     "Hello, you.", 1, id="SubViewer"),
    ],
)  # fmt: skip
def test_other_forms_of_subtitles(content: str, text: str, cues: int, tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "x.sub", content.encode())
    assert (row["text"], row["subtitles"]["cues"], dict(tally.records)) == (text, cues, {})


def rolling(*cues: tuple[float, float, str]) -> bytes:
    return "".join(
        f"{n}\n00:00:{a:06.3f} --> 00:00:{b:06.3f}\n{text}\n\n" for n, (a, b, text) in enumerate(cues)
    ).encode()


@pytest.mark.parametrize(
    "cues",
    [
        pytest.param(
            ((1, 2, "one two"), (2, 2.01, "one two"), (2.01, 3, "one two\nthree"), (3, 3.01, "three")), id="moments"
        ),
        pytest.param(((1, 2, "one two"), (2, 3, "one two\nthree"), (3, 4, "three")), id="two lines"),
        pytest.param(((1, 2, "one"), (2, 3, "one two"), (3, 4, "one two\nthree")), id="words"),
        pytest.param(((1, 2, "one two"), (1, 2, "one two"), (3, 4, "three")), id="copies"),
    ],
)
def test_captions_without_times_of_words_that_roll_up(cues: Any, tmp_path: Path) -> None:
    assert text_of(tmp_path, rolling(*cues)) == "one two\nthree"


def test_what_is_said_twice_stays(tmp_path: Path) -> None:
    said = rolling((1, 2, "No."), (2, 3, "No."), (3, 4, "Why?"), (5, 6, "Why?"), (6.5, 7, "So."), (7, 8, "Oh."))
    assert text_of(tmp_path, said) == "No.\nNo.\nWhy?\nWhy?\nSo.\nOh."


@pytest.mark.parametrize("codec", ["utf-32", "utf-32-le", "utf-16-be", "utf-16"])
def test_wide_encodings(codec: str, tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "x.srt", ("\ufeff" * ("-" in codec) + srt("Ça va?").decode()).encode(codec))
    assert (row["text"], dict(tally.records)) == ("Ça va?", {})


@pytest.mark.parametrize(
    ("said", "codec"),
    [
        ("Traducción.", "cp1252"),
        ("Dzień dobry, sąsiedzie.", "cp1250"),
        ("Добрый день, соседи.", "cp1251"),
        ("Καλημέρα, γείτονες.", "cp1253"),
        ("Günaydın, komşu. Nasılsın?", "cp1254"),
        ("בוקר טוב, שכנים.", "cp1255"),
        ("صباح الخير يا جيران", "cp1256"),
        ("Labrīt, kaimiņi. Kā jums klājas?", "cp1257"),
        ("皆さん、今日は天気がいいですね。散歩に行きましょう。", "cp932"),
        ("안녕하세요, 이웃 여러분.", "euc_kr"),
        ("早上好，各位邻居。", "gb18030"),
    ],
)
def test_a_sentence_in_a_legacy_encoding(said: str, codec: str, tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "x.srt", srt(said).decode().encode(codec))
    assert (row["text"], dict(tally.records)) == (said, {"lenient.charset": 1})


@pytest.mark.parametrize("end", [b"\r\r\n", b"\n\n"])
def test_an_empty_line_after_each_line(end: bytes, tmp_path: Path) -> None:
    content = srt("Hello\nworld.", "Bye.").replace(b"\n", end)
    assert text_of(tmp_path, content) == "Hello world.\nBye."


def test_captions_of_the_web_with_an_empty_line_after_the_times(tmp_path: Path) -> None:
    content = b"WEBVTT\n\n\n00:01.000 --> 00:02.000\n\nHello\n\nworld.\n\n\n00:02.000 --> 00:03.000\n\nBye.\n"
    assert text_of(tmp_path, content) == "Hello world.\nBye."


def test_no_blanks_between_cues_of_japanese(tmp_path: Path) -> None:
    assert text_of(tmp_path, srt("これを作っ", "て売る人、", "ann と", "私。")) == "これを作って売る人、 ann と私。"


@pytest.mark.parametrize(
    ("cue", "said"),
    [
        ("take a vector [x, y, z] here.", "take a vector [x, y, z] here."),
        ("that is [2 x pi x r].", "that is [2 x pi x r]."),
        ("the cost a^(L) and those at risk (S).", "the cost a^(L) and those at risk (S)."),
        ("the virus (COVID-19) too.", "the virus (COVID-19) too."),
        ("点（x，y）处，是（关于变量的导数）。", "点（x，y）处，是（关于变量的导数）。"),
        ("I [laughs] know (SIGHS) that [ __ ].", "I know that ."),
        ("（安娜）你好（笑）。", "你好。"),
    ],
)
def test_brackets_in_speech(cue: str, said: str, tmp_path: Path) -> None:
    assert text_of(tmp_path, srt(cue)) == said


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
        ("Traducción: él miente.", False),
        ("Tłumaczenie: nikt01", True),
        ("Překlad titulků: Jan Novák", True),
        ("Textning: Ann Berg\nBolaget", True),
        ("字幕：安娜", True),
        ("Suomennos: Ann Berg", True),
        ("Translator: Ann Berg\nReviewer: Bo Ek", True),
        ("Translator: he says hi", False),
        ("Tekst er vanskelig.", False),
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
    assert tally.records == {"skipped.no_cue": 2, "skipped.sound": 1, "lenient.invalid_utf8": 1}
    (fault,) = tally.faults
    assert fault["error"] == "readme.txt: no cue of a known form; the first line is 'Have fun.'"


def test_subtitles_in_a_legacy_encoding_are_read(tmp_path: Path) -> None:
    said = ("Вчера вечером мы гуляли по берегу.", "И говорили о прошедшем лете.")
    (row,), tally = read(tmp_path / "film.srt", srt(*said).decode().encode("cp1251"))
    assert all(line in row["text"] for line in said)
    assert tally.records == {"lenient.charset": 1}


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
