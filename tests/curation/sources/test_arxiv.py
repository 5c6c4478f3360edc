"""Papers of arXiv from archives of their sources: which are read, what is known of them, and hostile ones."""

import gzip
import io
import json
import tarfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.arxiv import Arxiv
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar


def paper(text: str) -> bytes:
    return rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}".encode()


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"2001/2001.{number:05}.gz": gzip.compress(paper(text)) for number, text in enumerate(texts)})


SAMPLE = Sample(archive, {"max_document_bytes": 2000})
LISTED = {
    "id": "2001.00001",
    "categories": "math.NT cs.DM",
    "license": "http://creativecommons.org/licenses/by/4.0/",
    "versions": [
        {"version": "v1", "created": "Wed, 1 Jan 2020 18:00:00 GMT"},
        {"version": "v2", "created": "Fri, 3 Jan 2020 18:00:00 GMT"},
    ],
}


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Arxiv(paths=(), **options).read([Piece(str(path), name=path.name)], "papers", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_papers_of_several_files_and_of_one(tmp_path: Path) -> None:
    files = {
        "./ms.tex": paper(r"Sums. \input{parts/two}"),
        "parts/two.tex": b"Parts.",
        "a.eps": b"%!PS",
        "anc/x": b"",
    }
    content = tar(
        {
            "2001/2001.00001.gz": gzip.compress(tar(files)),
            "2001/2001.00002.pdf": b"%PDF-1.4 \0",
            "0001/hep-lat0001003.gz": gzip.compress(paper("One.")),
        }
    )
    (first, second), tally = read(tmp_path / "arXiv_src_2001_001.tar", content, default_licence="unknown")
    assert (first["text"], first["url"], first["licence"]) == (
        "Sums. Parts.",
        "https://arxiv.org/abs/2001.00001",
        "unknown",
    )
    assert (first["crawled_at"], first["origin_offset"]) == (datetime(2020, 1, 1, tzinfo=UTC), 0)
    assert (second["text"], second["url"]) == ("One.", "https://arxiv.org/abs/hep-lat/0001003")
    assert (second["crawled_at"], second["origin_offset"]) == (datetime(2000, 1, 1, tzinfo=UTC), 2)
    assert second["arxiv"] == {"id": "hep-lat/0001003", "categories": None}
    assert (dict(tally.records), tally.faults) == ({"skipped.pdf": 1}, [])


def test_a_file_named_as_a_paper_is_one(tmp_path: Path) -> None:
    files = {"part.tex": b"Parts.", "main.tex": paper(r"Sums. \include{part}")}
    (row,), _ = read(tmp_path / "2001.00001v2.tar.gz", gzip.compress(tar(files)))
    assert (row["text"], row["url"]) == ("Sums. Parts.", "https://arxiv.org/abs/2001.00001v2")


def test_the_metadata_are_joined(tmp_path: Path) -> None:
    listed = tmp_path / "metadata.json"
    other = {**LISTED, "id": "2001.00000", "license": None, "categories": "math.NT"}
    listed.write_text(f"{json.dumps(LISTED)}\n{json.dumps(other)}\n")
    rows, tally = read(tmp_path / "x.tar", archive("abc"), metadata=str(listed), default_licence="unknown")
    assert [row["licence"] for row in rows] == ["unknown", LISTED["license"], "unknown"]
    assert [row["arxiv"]["categories"] for row in rows] == ["math.NT", "math.NT cs.DM", None]
    assert rows[1]["crawled_at"] == datetime(2020, 1, 3, 18, tzinfo=UTC)
    assert dict(tally.records) == {"lenient.no_metadata": 1}
    assert Arxiv(paths=(), metadata=str(listed)).assets() == {"metadata": str(listed)}


@pytest.mark.parametrize("content", ["[]", '{"id": "2001.00001"}', '{"id": 1, "versions": []}', "PK\3\4", "[" * 10**5])
def test_what_is_no_metadata_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=r"x\.json, byte 0: .*give arxiv-metadata"):
        Arxiv(paths=(), metadata=str(tmp_path / "x.json")).assets()


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        pytest.param(b"%!PS-Adobe", "postscript", id="PostScript"),
        pytest.param(b"<html><body>a", "html", id="a page"),
        pytest.param(b"%auto-ignore\nThis paper has been withdrawn \\today", "withdrawn", id="withdrawn"),
        pytest.param(tar({"paper.pdf": b"%PDF-1.4", "a.txt": b"words"}), "pdf", id="a PDF in a tar"),
        pytest.param(b"words", "no_tex", id="words"),
        pytest.param(b"\\documentclass\0", "no_tex", id="no text"),
    ],
)
def test_papers_without_tex(content: bytes, cause: str, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.tar", tar({"2001/2001.00001.gz": gzip.compress(content)}))
    assert (rows, dict(tally.records), tally.faults) == ([], {f"skipped.{cause}": 1}, [])


def test_nothing_is_read_outside_of_the_paper(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("Secret.")
    inputs = ("/etc/passwd", "../secret", f"{tmp_path}/secret", "link", "../../2001/2001.00002", "~/secret", "|ls")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as inner:
        link = tarfile.TarInfo("link.tex")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        inner.addfile(link)
        main = paper("Kept. " + "".join(rf"\input{{{name}}}" for name in inputs))
        member = tarfile.TarInfo("../../main.tex")
        member.size = len(main)
        inner.addfile(member, io.BytesIO(main))
    files = {"2001/2001.00001.gz": out.getvalue(), "2001/2001.00002.gz": gzip.compress(paper("Other."))}
    rows, tally = read(tmp_path / "x.tar", tar(files))
    assert [row["text"] for row in rows] == ["Kept.", "Other."]
    assert dict(tally.records) == {"skipped.not_a_file": 1, "lenient.input_missing": len(inputs)}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r"\def\a{\a\a}\a", id="doubling for ever"),
        pytest.param(r"\def\a#1{\a{#1#1}}\a{word}", id="doubling an argument"),
        pytest.param(r"\newcommand{\a}[1][x]{\b[#1]}\newcommand{\b}[1][x]{\a[#1]}\a", id="in turn"),
        pytest.param(r"\newenvironment{a}{\begin{a}}{}\begin{a}", id="environments"),
        pytest.param(r"$\newcommand{\a}{$\a$}\a$", id="in formulas"),
        pytest.param(r"\input{main}", id="a file that is its own input"),
    ],
)
def test_expansion_ends(text: str, tmp_path: Path) -> None:
    files = {"2001/2001.00001.gz": gzip.compress(paper(text)), "2001/2001.00002.gz": gzip.compress(paper("Kept."))}
    rows, _ = read(tmp_path / "x.tar", tar(files))
    assert [(row["text"], row["drop_reason"]) for row in rows] == [(None, "extract:expansion"), ("Kept.", None)]


def test_papers_that_say_nothing_and_those_not_in_utf8(tmp_path: Path) -> None:
    files = {
        "2001/2001.00001.gz": paper(r"\maketitle"),
        "2001/2001.00002.gz": paper("na\xefve.").decode().encode("latin1"),
    }
    rows, tally = read(tmp_path / "x.tar", tar(files))
    assert [(row["text"], row["drop_reason"]) for row in rows] == [(None, "extract:no_text"), ("naïve.", None)]
    assert dict(tally.records) == {"lenient.charset": 1}
