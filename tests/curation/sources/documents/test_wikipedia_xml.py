"""Dumps of wikitext as documents: what is passed over, how they are cut, and what is damaged."""

import bz2
import gzip
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.wikipedia_xml import WikipediaXml
from tests.curation.sources.sample import Sample

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo><sitename>Wikipedia</sitename><dbname>dewiki</dbname>
  <base>https://de.wikipedia.org/wiki/Wikipedia:Hauptseite</base>
  <namespaces><namespace key="0" case="first-letter" /><namespace key="6">Datei</namespace>
  <namespace key="10">Vorlage</namespace><namespace key="14">Kategorie</namespace></namespaces></siteinfo>
"""
END = "</mediawiki>"


def page(number: int, text: str, *, title: str = "", space: int = 0, extra: str = "", model: str = "wikitext") -> str:
    return f"""  <page><title>{title or f"Seite {number}"}</title><ns>{space}</ns><id>{number}</id>{extra}
    <revision><id>{number + 1000}</id><timestamp>2024-03-01T10:00:00Z</timestamp><model>{model}</model>
    <text bytes="1" xml:space="preserve">{escape(text)}</text></revision></page>
"""


def multistream(pages: Sequence[str]) -> bytes:
    return b"".join(bz2.compress(part.encode()) for part in (HEAD, *pages, END))


def sample(texts: Sequence[str]) -> bytes:
    return multistream([page(number, f"<nowiki>{text}</nowiki>") for number, text in enumerate(texts, 1)])


SAMPLE = Sample(sample, {"max_document_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    return rows_of([Piece(str(path), name=path.name)], **options)


def rows_of(unit: Sequence[Piece], **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    batches = WikipediaXml(paths=(), **options).read(unit, "wiki", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def named(piece: Piece) -> Piece:
    """The piece with the name that the plan would give its file."""
    return replace(piece, name=Path(piece.path).name)


def test_an_article(tmp_path: Path) -> None:
    text = "'''Husum''' liegt {{Höhe|5|DE-NN}} hoch, bei {{Ort}}.{{Navi}}{{a$b}}\n[[Kategorie:Ort]]"
    dump = (HEAD + page(7, text, title="Husum (Nordsee) & mehr".replace("&", "&amp;")) + END).encode()
    (row,), tally = read(tmp_path / "dewiki.xml.gz", gzip.compress(dump))
    assert row["text"] == "Husum liegt 5 m hoch, bei ."
    assert row["url"] == "https://de.wikipedia.org/wiki/Husum_(Nordsee)_%26_mehr"
    assert (row["declared_language"], row["licence"]) == ("de", "CC-BY-SA-4.0")
    assert row["crawled_at"] == datetime(2024, 3, 1, 10, tzinfo=UTC)
    facts = {"title": "Husum (Nordsee) & mehr", "revision": 1007, "templates_dropped": 3, "gaps": 1}
    assert (row["wikipedia_xml"], row["origin_offset"]) == (facts, 7)
    assert dict(tally.records) == {"lenient.template.ort": 1, "lenient.template.navi": 1, "lenient.other_templates": 1}


def test_what_is_no_article_is_counted(tmp_path: Path) -> None:
    pages = [
        page(1, "#WEITERLEITUNG [[B]]", extra='<redirect title="B" />'),
        page(2, "{{Begriffsklärung}} A ist B oder C."),
        page(3, "Eine Vorlage", space=10),
        page(4, "Etwas", space=4711),
        page(5, "{}", model="json"),
        page(6, "Bleibt.").replace("<id>6</id>", "<id>6</wrong>"),
        page(7, "A &b; c").replace("&amp;b;", "&b;"),
        page(8, "Nummer").replace("<id>8</id>", f"<id>{'9' * 5000}</id>"),
        page(9, "Titel", title="T" * 2000),
        page(10, "Ohne").replace("revision>", "version>"),
        page(11, "Ende fehlt").replace("</page>", "") + page(12, "mit"),
        page(13, "Bleibt."),
    ]
    rows, tally = read(tmp_path / "d.xml", (HEAD + "".join(pages) + END).encode())
    assert [row["text"] for row in rows] == ["Bleibt."]
    causes = {"redirect": 1, "disambiguation": 1, "namespace.10": 1, "namespace.unknown": 1, "model": 1, "damaged": 6}
    assert dict(tally.records) == {f"skipped.{cause}": count for cause, count in causes.items()}
    assert len(tally.faults) == 6


def test_a_dump_is_cut_at_its_streams(tmp_path: Path) -> None:
    path = tmp_path / "dewiki-multistream.xml.bz2"
    content = multistream([page(number, f"Artikel {number}.") for number in range(40)])
    whole, _ = read(path, content)
    assert len(whole) == 40
    (tmp_path / "dewiki-multistream-index.txt.bz2").write_bytes(bz2.compress(b"600:1:A\n"))
    source = WikipediaXml(paths=())
    files = source.list_inputs(str(tmp_path))
    assert [file.path for file in files] == [str(path)]
    for size in (7, 300, 1000, len(content) - 1):
        units = source.split(files, group_bytes=1, split_bytes=size)
        assert len(units) == -(-len(content) // size)
        assert [row for unit in units for row in rows_of([named(one) for one in unit])[0]] == whole


def test_a_file_of_one_stream_is_read_whole(tmp_path: Path) -> None:
    content = bz2.compress((HEAD + "".join(page(number, "Text " * 99) for number in range(9)) + END).encode())
    rows, _ = read(tmp_path / "d.xml.bz2", content)
    assert len(rows) == 9
    assert len({row["doc_id"] for row in rows}) == 9
    units = WikipediaXml(paths=()).split(list_files(str(tmp_path)), group_bytes=1, split_bytes=100)
    assert [len(rows_of(unit)[0]) for unit in units] == [9]


def test_a_truncated_dump_keeps_what_came_before(tmp_path: Path) -> None:
    content = multistream([page(number, f"Artikel {number}.") for number in range(3)])
    rows, tally = read(tmp_path / "d.xml.bz2", content[: -len(bz2.compress(END.encode())) - 60])
    assert [row["text"] for row in rows] == ["Artikel 0.", "Artikel 1."]
    assert [fault["error"] for fault in tally.faults] == [
        "bzip2 stream is cut short by the end of the file",
        "the dump is cut short: it has no </mediawiki>",
    ]


def test_a_plain_dump_that_ends_in_a_page(tmp_path: Path) -> None:
    whole = HEAD + page(1, "Eins.") + page(2, "Zwei.")
    rows, tally = read(tmp_path / "d.xml", whole[:-30].encode())
    assert [row["text"] for row in rows] == ["Eins."]
    assert dict(tally.records) == {"skipped.damaged": 1}
    assert len(tally.faults) == 1


def test_a_damaged_stream_harms_no_other(tmp_path: Path) -> None:
    streams = [bz2.compress(part.encode()) for part in (HEAD, *(page(n, f"Artikel {n}.") for n in range(3)), END)]
    streams[2] = streams[2][:40] + bytes(20) + streams[2][60:]
    rows, tally = read(tmp_path / "d.xml.bz2", b"".join(streams))
    assert [row["text"] for row in rows] == ["Artikel 0.", "Artikel 2."]
    assert len(tally.faults) == 1


def test_a_dump_of_a_gzip_member_for_each_byte_is_read_as_a_whole_one(tmp_path: Path) -> None:
    content = (HEAD + page(1, "Eins.") + page(2, "Zwei.") + END).encode()
    whole, _ = read(tmp_path / "d.xml.gz", gzip.compress(content))
    rows, tally = read(
        tmp_path / "d.xml.gz", b"".join(gzip.compress(content[at : at + 1]) for at in range(len(content)))
    )
    assert [row["text"] for row in rows] == [row["text"] for row in whole] == ["Eins.", "Zwei."]
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_names_of_templates_beyond_a_limit_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.sources.documents.wikipedia_xml.MAX_HELD", 2)
    text = "Text. {{eins}} {{zwei}} {{drei}} {{vier}} {{eins}}"
    _, tally = read(tmp_path / "d.xml", (HEAD + page(1, text) + page(2, "Wort. {{drei}}") + END).encode())
    assert dict(tally.records) == {
        "lenient.template.eins": 2,
        "lenient.template.zwei": 1,
        "lenient.other_templates": 3,
    }


BOMB = '<!DOCTYPE mediawiki [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(BOMB + HEAD + END, "declares entities", id="a bomb"),
        pytest.param("<html></html>", "does not begin like a dump", id="a page"),
        pytest.param(HEAD.replace("</namespaces>", ""), "the head of .* is damaged", id="a damaged head"),
        pytest.param(
            HEAD.replace('key="6"', 'key="x"'), "the head of .* is damaged", id="a namespace without a number"
        ),
    ],
)
def test_what_is_no_dump_is_refused(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "d.xml", content.encode())
    with pytest.raises(InputError, match=message):
        WikipediaXml(paths=()).check([str(tmp_path / "d.xml")])


def test_a_page_too_long_for_memory_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curation.sources.documents.mediawiki.dump.MAX_PAGE", 2000)
    pages = [page(1, "Kurz."), page(2, "lang " * 999_999), page(3, "Auch kurz.")]
    rows, tally = read(tmp_path / "d.xml", (HEAD + "".join(pages) + END).encode())
    assert [row["text"] for row in rows] == ["Kurz.", "Auch kurz."]
    assert dict(tally.records) == {"skipped.damaged": 1}


@pytest.mark.parametrize("opened", ["{{a|", "{{a|<ref>"])
def test_what_would_keep_the_parser_busy_for_minutes_is_dropped(opened: str, tmp_path: Path) -> None:
    text = opened * (1_000_000 // len(opened))
    rows, _ = read(tmp_path / "d.xml", (HEAD + page(1, text) + page(2, "Text") + END).encode())
    assert [(row["text"], row["drop_reason"]) for row in rows] == [(None, "extract:unparsable"), ("Text", None)]


def test_a_dump_without_a_head_has_a_language_and_no_addresses(tmp_path: Path) -> None:
    pages = page(1, "[[Immagine:A.jpg|thumb|200px|b]]Testo") + page(2, "a", space=14) + page(3, "b", space=4711)
    rows, tally = read(tmp_path / "d.xml", f'<mediawiki xml:lang="it">\n{pages}{END}'.encode())
    assert [(row["text"], row["url"], row["declared_language"]) for row in rows] == [("Testo", None, "it")]
    assert dict(tally.records) == {"skipped.namespace.14": 1, "skipped.namespace.unknown": 1}


@pytest.mark.parametrize("begin", ["", "\ufeff", '<?xml version="1.0"?>\n'])
def test_pages_that_were_cut_out_of_a_dump(begin: str, tmp_path: Path) -> None:
    pages = page(1, "[[Immagine:A.jpg|mini|b]]Tee") + page(2, "a", space=14) + page(3, "Text")
    rows, tally = read(tmp_path / "d.xml", (begin + pages).encode())
    assert [(row["text"], row["url"], row["declared_language"]) for row in rows] == [
        ("Tee", None, None),
        ("Text", None, None),
    ]
    assert (dict(tally.records), tally.faults) == ({"skipped.namespace.14": 1}, [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
@pytest.mark.parametrize("marked", [True, False])
def test_a_dump_in_utf_16_is_read(encoding: str, marked: bool, tmp_path: Path) -> None:
    mark = "\ufeff".encode(encoding) if marked and encoding != "utf-16" else b""
    rows, tally = read(tmp_path / "d.xml", mark + (HEAD + page(1, "Tee 茶") + END).encode(encoding))
    assert [row["text"] for row in rows] == ["Tee 茶"]
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_an_old_dump_tells_namespaces_and_redirects_by_words(tmp_path: Path) -> None:
    old = [
        page(1, "Tee", title="Star Wars: Tee"),
        page(2, "a", title="Vorlage:A"),
        page(3, "b", title="Talk:B"),
        page(4, "#WEITERLEITUNG [[Tee]]"),
        page(5, "Text").replace("<id>5</id>", "").replace("<id>1005</id>", ""),
    ]
    content = (HEAD + "".join(old) + END).replace("<ns>0</ns>", "")
    rows, tally = read(tmp_path / "d.xml", content.encode())
    assert [(row["text"], row["origin_offset"]) for row in rows] == [("Tee", 1), ("Text", 0)]
    assert dict(tally.records) == {"skipped.namespace.10": 1, "skipped.namespace.1": 1, "skipped.redirect": 1}
    assert not tally.faults
