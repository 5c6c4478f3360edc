"""Articles of PubMed Central as documents: their text, what their front says, and files that are no articles."""

import gzip
import io
import tarfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.jats import Jats
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar

ARTICLE = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"
 article-type="research-article" xml:lang="en">
<front><journal-meta><journal-title-group><journal-title>Annals of Ships</journal-title></journal-title-group>
</journal-meta>
<article-meta><article-id pub-id-type="pmcid">PMC123</article-id><article-id pub-id-type="doi">10.1/ships</article-id>
<title-group><article-title>On <italic>tides</italic><xref ref-type="fn" rid="f">*</xref></article-title></title-group>
<pub-date><year>2021</year></pub-date><pub-date><day>7</day><month>3</month><year>2020</year></pub-date>
<permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>Open.</license-p></license>
</permissions><abstract><p>Tides turn.</p></abstract></article-meta></front>
<body><sec><title>1. Water</title><p>It rises <xref ref-type="bibr" rid="b">1</xref> twice
 [<xref ref-type="bibr" rid="b">2</xref>, <xref ref-type="bibr" rid="b">3</xref>] by
 <inline-formula><tex-math>\\documentclass{a}\\begin{document}$h=2$\\end{document}</tex-math></inline-formula> m.</p>
<disp-formula><mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math></disp-formula>
<list><list-item><p>First</p></list-item><list-item><p>Second</p></list-item></list>
<table-wrap><label>Table 1</label><caption><p>Heights</p></caption><table><tbody><tr><td>Low</td><td>1</td></tr>
<tr><td>High</td><td>3</td></tr></tbody></table></table-wrap>
<fig><caption><title>A map</title></caption><graphic xlink:href="a.png"/></fig></sec></body>
<back><ack><p>Thanks.</p></ack><ref-list><ref><mixed-citation>A book.</mixed-citation></ref></ref-list>
<app-group><app><title>Appendix</title><p>More.</p></app></app-group></back></article>"""
TEXT = """On tides
Tides turn.
1. Water
It rises twice by $h=2$ m.
$x^{2}$
First
Second
Heights
Low | 1
High | 3
A map
Appendix
More."""


def plain(text: str) -> bytes:
    return f"<article><body><p>{escape(text)}</p></body></article>".encode()


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"{number}.xml": plain(text) for number, text in enumerate(texts)})


SAMPLE = Sample(archive, {"max_document_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Jats(paths=(), **options).read([Piece(str(path), name=path.name)], "papers", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_an_article(tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "PMC123.xml.gz", gzip.compress(ARTICLE.encode()))
    assert row["text"] == TEXT
    assert (row["url"], row["declared_language"]) == ("https://doi.org/10.1/ships", "en")
    assert row["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    assert row["crawled_at"] == datetime(2020, 3, 7, tzinfo=UTC)
    journal = {"doi": "10.1/ships", "pmcid": "PMC123", "journal": "Annals of Ships", "kind": "research-article"}
    assert row["jats"] == journal
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_an_article_that_says_nothing_of_itself(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "a.xml", plain("Words."), default_licence="CC0-1.0")
    assert (row["text"], row["url"], row["licence"], row["crawled_at"]) == ("Words.", None, "CC0-1.0", None)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        pytest.param(b"<article><front/></article>", "no_body", id="a scan"),
        pytest.param(b"<html><body><p>Page</p></body></html>", "not_jats", id="a page"),
        pytest.param(b"<article article-type='retraction'><body>a</body></article>", "retraction", id="a notice"),
        pytest.param(ARTICLE.encode()[:-200], "damaged", id="cut short"),
        pytest.param(b"not XML", "damaged", id="not XML"),
        pytest.param(b"", "damaged", id="nothing"),
        pytest.param(
            b'<!DOCTYPE article [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><article><body><p>&b;</p></body></article>',
            "entities",
            id="a bomb",
        ),
        pytest.param(
            b'<!DOCTYPE article [<!ENTITY a SYSTEM "file:///etc/passwd">]><article><body>&a;</body></article>',
            "entities",
            id="a file of the machine",
        ),
    ],
)
def test_what_is_no_article(content: bytes, cause: str, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "a.tar", tar({"a.xml": content, "b.xml": plain("Kept.")}))
    assert [(row["text"], row["origin_offset"]) for row in rows] == [("Kept.", 1)]
    assert dict(tally.records) == {f"skipped.{cause}": 1}
    assert len(tally.faults) == (cause == "damaged")


def test_pictures_in_an_archive_are_no_damage(tmp_path: Path) -> None:
    files = {"a.nxml": plain("Kept."), "a.jpg": b"\xff\xd8\xff\xe0", "a.pdf": b"%PDF-1.4", "a": b"\xef\xbb\xbf\n<b/>"}
    rows, tally = read(tmp_path / "a.tar", tar(files))
    assert [row["text"] for row in rows] == ["Kept."]
    assert (dict(tally.records), tally.faults) == ({"skipped.not_xml": 2, "skipped.not_jats": 1}, [])


def test_names_that_lead_elsewhere_do_no_harm(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("link.xml")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        archive.addfile(link)
        outside = tarfile.TarInfo("../../outside.xml")
        outside.size = len(plain("Kept."))
        archive.addfile(outside, io.BytesIO(plain("Kept.")))
    rows, tally = read(tmp_path / "a.tar", out.getvalue())
    assert [row["text"] for row in rows] == ["Kept."]
    assert dict(tally.records) == {"skipped.not_a_file": 1}
    assert not (tmp_path.parent / "outside.xml").exists()


def test_elements_within_elements_without_end(tmp_path: Path) -> None:
    deep = f"<article><body>{'<sec>' * 240}<p>Deep</p>{'</sec>' * 240}<p>Kept.</p></body></article>"
    (row,), _ = read(tmp_path / "a.xml", deep.encode())
    assert row["text"] == "Kept."
