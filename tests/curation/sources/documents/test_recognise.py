"""Each source of documents knows its own files by what is in them, whatever they are called."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
import zstandard

from curation.core.errors import InputError
from curation.core.file_start import SURENESS
from curation.sources.beginning import file_start
from curation.sources.inspection import given_files, inspected, recognised
from tests.curation.sources.documents.test_pdf import zipped
from tests.curation.sources.tar_files import tar

WIKI = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
<siteinfo><base>https://en.wikipedia.org/wiki/Main</base></siteinfo>
<page><title>Town</title><ns>0</ns><id>1</id><revision><id>2</id><model>wikitext</model>
<text>The town is old.</text></revision></page></mediawiki>"""
POSTS = b"""\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>
<posts>
  <row Id="1" PostTypeId="1" Title="Which?" Body="&lt;p&gt;Which town is old?&lt;/p&gt;" />
</posts>"""
MESSAGE = b"""From: Ann <ann@example.org>
To: list@example.org
Subject: Town
Date: Mon, 2 Mar 2020 10:00:00 +0000
Message-ID: <1@example.org>

The town is old.
"""
MBOX = b"From ann@example.org  Mon Mar  2 10:00:00 2020\n" + MESSAGE
SRT = b"1\n00:00:01,000 --> 00:00:03,000\nThe town is old.\n\n2\n00:00:04,000 --> 00:00:05,000\nYes.\n"
VTT = b"WEBVTT\n\n00:01.000 --> 00:03.000\nThe town is old.\n"
ASS = b"""[Script Info]
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,The town is old.
"""
IRC = b"".join(b"[10:0%d] <ann> The town is old.\n[10:0%d] <bob> Yes.\n" % (n, n) for n in range(5))
TEX = b"\\documentclass{article}\n\\begin{document}\nThe town is old.\n\\end{document}\n"
JATS = b"""<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.1 20151215//EN" "JATS.dtd">
<article article-type="research-article"><front><article-meta><title-group>
<article-title>Town</article-title></title-group></article-meta></front>
<body><p>The town is old.</p></body></article>"""
PAGE: Mapping[str, Any] = {"name": "Town", "identifier": 1, "article_body": {"html": "<p>The town is old.</p>"}}
SUBMISSION = {"id": "a1", "title": "Town", "selftext": "It is old.", "subreddit": "towns", "author": "ann"}
COMMENT = {"id": "b1", "link_id": "t3_a1", "parent_id": "t3_a1", "body": "Yes.", "author": "bob"}
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
BOOK = b"The Project Gutenberg eBook of Town\n\n*** START OF THE PROJECT GUTENBERG EBOOK TOWN ***\n\nIt is old.\n"
CATALOGUE = b"Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n7,Text,2001-01-01,Town,en,,,,\n"
CODE = {"town-1/setup.py": b"import town\n", "town-1/town/old.py": b"x = 1\n", "town-1/README.md": b"# Town\n"}


def lines(*rows: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def commented(comment: str, files: Mapping[str, bytes]) -> bytes:
    """A tar archive that says something of all its files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": comment}) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


KNOWN = [
    pytest.param("wikipedia_xml", "certain", WIKI, id="MediaWiki XML"),
    pytest.param("wikipedia_xml", "certain", WIKI.decode().encode("utf-16"), id="MediaWiki XML in UTF-16"),
    pytest.param("wikipedia_xml", "certain", WIKI[WIKI.index(b"<page>") : -12], id="pages of MediaWiki XML"),
    pytest.param("wikipedia_html", "certain", lines(PAGE), id="Enterprise lines"),
    pytest.param("wikipedia_html", "certain", json.dumps(PAGE, indent=2).encode(), id="Enterprise in many lines"),
    pytest.param("wikipedia_html", "certain", json.dumps([PAGE, PAGE], indent=1).encode(), id="Enterprise array"),
    pytest.param("wikipedia_html", "certain", tar({"enwiki_0.ndjson": lines(PAGE)}), id="Enterprise tar"),
    pytest.param("stackexchange", "certain", POSTS, id="Posts.xml with BOM"),
    pytest.param("email", "certain", MBOX, id="mbox"),
    pytest.param("email", "certain", b"\xef\xbb\xbf\n\n" + MBOX, id="mbox behind BOM and blank lines"),
    pytest.param("email", "certain", MESSAGE, id="message"),
    pytest.param("subtitles", "certain", SRT, id="SRT"),
    pytest.param("subtitles", "certain", SRT.decode().encode("utf-16"), id="SRT in UTF-16"),
    pytest.param("subtitles", "certain", VTT.replace(b"\n", b"\r\n"), id="VTT"),
    pytest.param("subtitles", "certain", ASS, id="ASS"),
    pytest.param("subtitles", "certain", b"{1}{20}The town is old.\n", id="MicroDVD"),
    pytest.param("subtitles", "certain", b"0:00:01.00,0:00:03.00\nThe town is old.\n", id="SubViewer"),
    pytest.param("subtitles", "likely", b"A film of a town\n\n" + SRT, id="SRT behind a line"),
    pytest.param(
        "subtitles",
        "certain",
        b"[Script Info]\nTitle: Town\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,The town is old.\n",
        id="SubStation Alpha",
    ),
    pytest.param("subtitles", "certain", b"{1}{20}The town is old.\n", id="MicroDVD"),
    pytest.param("irc", "likely", IRC, id="IRC"),
    pytest.param("irc", "likely", b"<span>[12:34]</span> <b>&lt;ann&gt; Old.</b><br />\n" * 6, id="IRC in HTML"),
    pytest.param("irc", "perhaps", IRC + b"of no form\n" * 9, id="half IRC"),
    pytest.param("arxiv", "likely", TEX, id="TeX"),
    pytest.param("arxiv", "likely", tar({"main.tex": TEX, "fig.png": b"\x89PNG"}), id="a paper's tar"),
    pytest.param("arxiv", "certain", tar({"2101/2101.00001.gz": gzip.compress(TEX)}), id="arXiv tar"),
    pytest.param(
        "arxiv",
        "certain",
        tar({"2101/2101.00001.tar.gz": gzip.compress(tar({"a.tex": TEX})), "2101/2101.00002.pdf": PDF}),
        id="arXiv tar with a PDF",
    ),
    pytest.param("jats", "certain", JATS, id="JATS"),
    pytest.param(
        "jats",
        "certain",
        b"<pmc-articleset>" + JATS[JATS.index(b"<article") :] + b"</pmc-articleset>",
        id="JATS in a set",
    ),
    pytest.param("jats", "certain", tar({"a/1.nxml": JATS, "a/2.jpg": b"\xff\xd8"}), id="JATS tar"),
    pytest.param("pdf", "certain", PDF, id="PDF"),
    pytest.param("pdf", "certain", tar({"2101/2101.00001v1.pdf": PDF}), id="PDF tar"),
    pytest.param("pdf", "certain", zipped({"a.pdf": PDF}), id="PDF zip"),
    pytest.param("dialogue", "certain", lines(COMMENT, COMMENT), id="RC"),
    pytest.param("dialogue", "certain", lines(SUBMISSION), id="RS"),
    pytest.param("gutenberg", "certain", BOOK, id="book"),
    pytest.param("gutenberg", "certain", tar({"1234.txt": BOOK}), id="tar of books"),
    pytest.param("code", "likely", tar(CODE), id="tarball"),
    pytest.param(
        "code", "certain", tar({"t/.git/hooks/a.sample": b"#!/bin/sh", "t/a.txt": b"Town"}), id="working folder"
    ),
    pytest.param("code", "certain", commented("a" * 40, {"t/README": b"Town"}), id="tarball of git archive"),
]
PACKS: tuple[Callable[[bytes], bytes], ...] = (bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress)


@pytest.mark.parametrize(("key", "sure", "content"), KNOWN)
def test_a_file_is_known_by_what_is_in_it(key: str, sure: str, content: bytes, tmp_path: Path) -> None:
    for pack in PACKS if not content.startswith(b"PK") else PACKS[:1]:
        (tmp_path / "x").write_bytes(pack(content))
        (found, guess), *others = recognised(file_start(str(tmp_path / "x")))
        assert (found, guess.sure, guess.instead) == (key, sure, "")
        assert guess.seen
        assert not [other for other, one in others if one.sure == "certain"]


UNSHOWN = ("gutenberg", "wikipedia_html", "pdf")  # a book needs the catalogue, pages have no texts yet
READABLE = [param for param in KNOWN if param.values[0] not in UNSHOWN]


@pytest.mark.parametrize(("key", "sure", "content"), READABLE)
def test_the_line_that_is_told_reads_it(key: str, sure: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / ("2101.00009" if "tar" in repr(content[:9]) or content == TEX else "x")
    path.write_bytes(content)
    found = inspected(str(path))
    assert (found.source, found.sure) == (key, sure)
    assert yaml.safe_load(found.read) == [{"read": {key: {"paths": [str(path)]}}}]
    comments_alone = content == lines(COMMENT, COMMENT)
    assert bool(found.rows) != comments_alone
    assert [row["text"] for row in found.rows if not row["text"]] == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b"<comments>\n  <row Id='1' /></comments>",
            r"Comments table of a Stack Exchange dump \(certain: .*leave it out",
        ),
        (b"".join(b"617:%d:Town %d\n" % (n, n) for n in range(9)), "index of a MediaWiki dump .* leave it out"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(90), "7-Zip archive"),
        (CATALOGUE, "Project Gutenberg catalogue .* give it as `catalogue` of `gutenberg`"),
        (
            tar({"epub/7/pg7.rdf": b'<rdf:RDF xmlns:pgterms="http://www.gutenberg.org/2009/pgterms/"/>'}),
            "Project Gutenberg catalogue .* give it as `catalogue` of `gutenberg`",
        ),
        (tar({"a/1.eml": MESSAGE}), "archive of mail .* unpack it"),
        (tar({"a/1": MESSAGE, "a/2": MBOX}), "archive of mail .* unpack it"),
        (tar({"a/1": BOOK}), "tar archive of Project Gutenberg books .* as 1234.txt"),
        (zipped({"a.ndjson": lines(PAGE)}), "Wikimedia Enterprise HTML dump .* unzip it"),
        (zipped({"a.nxml": JATS}), "zip archive of JATS articles .* unzip it"),
        (zipped({"7.txt": BOOK}), "zip archive of Project Gutenberg books .* unzip it"),
        (zipped(CODE), "zip archive of code .* make a tarball of it"),
        (zipped({"a.docx": b"\x89"}), "zip archive that no source reads: it holds a.docx; unpack it"),
        (
            lines({"id": "1", "categories": "cs", "versions": [], "submitter": "A"}),
            "list of arXiv's papers .* give it as `metadata` of `arxiv`",
        ),
    ],
)
def test_what_is_known_and_not_read_is_told_with_what_to_do(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=words) as refused:
        inspected(str(tmp_path / "x"))
    assert "\n" not in str(refused.value)


OTHERS = [
    pytest.param(
        b'<article xmlns="http://docbook.org/ns/docbook"><info/><para>The town.</para></article>', id="DocBook"
    ),
    pytest.param(b"<?xml version='1.0'?><rss><channel><title>Town</title></channel></rss>", id="RSS"),
    pytest.param(b"<?xml version='1.0'?>\n<!-- <mediawiki> --><project><posts/></project>", id="other XML"),
    pytest.param(b"<page><title>Town</title><body>The town.</body></page>", id="another page"),
    pytest.param(b"Metadata-Version: 2.1\nName: town\nVersion: 1\nAuthor: Ann\n\nThe town.\n", id="metadata of Python"),
    pytest.param(b"HTTP/1.1 200 OK\nDate: Mon, 2 Mar 2020 10:00:00 GMT\n\nThe town.\n", id="HTTP"),
    pytest.param(POSTS.decode("utf-8-sig").encode("utf-16"), id="Posts.xml in UTF-16"),
    pytest.param(b"Mar 02 10:00:01 host sshd[1]: session opened\n" * 9, id="syslog"),
    pytest.param(b"2020-03-02 10:00:00 <INFO> started\n" * 9, id="log of a program"),
    pytest.param(b"from town import old\nTo: list\n", id="Python"),
    pytest.param(lines({"text": BOOK.decode()}, {"text": TEX.decode() * 9}), id="rows with a book and TeX"),
    pytest.param(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n" + BOOK, id="web archive with a book"),
    pytest.param(b"Ann: The town is old.\nBob: Yes.\n" * 9, id="a play"),
    pytest.param(b"From the town\nwe came\n", id="a poem"),
    pytest.param(b"The arrow --> is not a cue\n" * 9, id="arrows"),
    pytest.param(b"The \\section command of TeX begins a section.\n" * 3, id="words on TeX"),
    pytest.param(b'{"name": "town", "version": "1", "license": "MIT"}', id="one object"),
    pytest.param(lines({"title": "Town", "text": "It is old."}), id="rows with a title"),
    pytest.param(json.dumps({"name": "Town", "html": "<p>"}, indent=2).encode(), id="an object in many lines"),
    pytest.param(tar({"a.txt": b"The town is old.", "b.txt": b"Yes."}), id="tar of texts"),
    pytest.param(tar({"a.html": b"<p>The town"}), id="tar of pages"),
    pytest.param(b"%!PS-Adobe-3.0\n%%Title: town\n", id="PostScript"),
    pytest.param(b"Project Gutenberg is a library.\n", id="words on Gutenberg"),
]


@pytest.mark.parametrize("content", OTHERS)
def test_other_files_are_none_of_theirs(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    assert [(key, guess) for key, guess in recognised(file_start(str(tmp_path / "x"))) if guess.sure != "perhaps"] == []


def test_a_repository_is_known(tmp_path: Path) -> None:
    for name in ("objects", "refs"):
        (tmp_path / "a.git" / name).mkdir(parents=True)
    (tmp_path / "a.git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert [key for key, _ in recognised(file_start(str(tmp_path / "a.git")))] == ["code"]
    assert recognised(file_start(str(tmp_path))) == []


def test_a_book_needs_the_catalogue(tmp_path: Path) -> None:
    (tmp_path / "7.txt").write_bytes(BOOK)
    (tmp_path / "pg.csv").write_bytes(CATALOGUE)
    found = inspected(str(tmp_path / "7.txt"))
    assert (found.source, [*found.needs], found.rows) == ("gutenberg", ["catalogue"], [])
    given = given_files([str(tmp_path / "7.txt"), str(tmp_path / "pg.csv")])
    assert given == {"gutenberg": {"catalogue": str(tmp_path / "pg.csv")}}
    found = inspected(str(tmp_path / "7.txt"), None, given)
    assert (found.needs, [row["text"] for row in found.rows]) == ({}, ["It is old."])


def test_when_two_fit_both_are_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(IRC + b"of no form\n" * 9)
    found = inspected(str(tmp_path / "x"))
    assert (found.source, found.sure, found.also) == ("irc", "perhaps", ["plain_text"])
    assert found.sure in SURENESS
