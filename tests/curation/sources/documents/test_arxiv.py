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
from curation.sources.documents.arxiv import FILE, MAX_TEX, Arxiv
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar


def paper(text: str) -> bytes:
    return rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}".encode()


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"2001/2001.{number:05}.gz": gzip.compress(paper(text)) for number, text in enumerate(texts)})


def eightfold(name: str, of: str) -> str:
    return rf"\def\{name}{{" + rf"\{of}" * 8 + "}"


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


def test_an_archive_of_one_paper_has_any_name(tmp_path: Path) -> None:
    files = {"part.tex": b"Parts.", "main.tex": paper(r"Sums. \include{part}"), "fig/a.tex": b"Never read."}
    (row,), tally = read(tmp_path / "my-paper.tar.gz", gzip.compress(tar(files)))
    assert (row["text"], row["url"], row["arxiv"]["id"]) == ("Sums. Parts.", None, None)
    assert (dict(tally.records), tally.faults) == ({}, [])


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


def test_half_characters_in_the_metadata_are_no_fault(tmp_path: Path) -> None:
    half = {**LISTED, "license": "\ud800x", "categories": "math.AG\udc80", "versions": [{"created": "\ud800"}]}
    (tmp_path / "m.json").write_text(f"{json.dumps(half)}\n{json.dumps({**LISTED, 'id': chr(0xD800)})}\n")
    rows, _ = read(tmp_path / "x.tar", archive("abc"), metadata=str(tmp_path / "m.json"))
    stated = [(row["licence"], row["arxiv"]["categories"]) for row in rows if row["licence"]]
    assert stated == [("\ufffdx", "math.AG\ufffd")]


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
        pytest.param(r"\def\a{word}" + "".join(map(eightfold, "bcdefghi", "abcdefgh")) + r"\i", id="eightfold"),
        pytest.param(r"\newenvironment{a}{\begin{a}}{}\begin{a}", id="environments"),
        pytest.param(r"\input{main}", id="a file that is its own input"),
    ],
)
def test_expansion_ends(text: str, tmp_path: Path) -> None:
    files = {"2001/2001.00001.gz": gzip.compress(paper(text)), "2001/2001.00002.gz": gzip.compress(paper("Kept."))}
    rows, _ = read(tmp_path / "x.tar", tar(files))
    assert [(row["text"], row["drop_reason"]) for row in rows] == [(None, "extract:expansion"), ("Kept.", None)]


def test_a_paper_of_too_many_files_has_no_text(tmp_path: Path) -> None:
    files = {f"{number}.tex": b"" for number in range(MAX_TEX // FILE)}
    (row,), _ = read(tmp_path / "2001.00001.tar.gz", gzip.compress(tar(files | {"main.tex": paper("Pears.")})))
    assert (row["text"], row["drop_reason"]) == (None, "extract:too_many_bytes")


def words(length: int) -> str:
    return "Pears ripen here. " * (length // 14)  # 14 letters each


@pytest.mark.parametrize(
    ("text", "rest", "reason", "faults"),
    [
        pytest.param("Pears.", words(2100), "extract:little_text", 1, id="most is behind the end"),
        pytest.param("", words(2100), "extract:no_text", 1, id="all is"),
        pytest.param(words(60), words(2100), None, 0, id="2 % are left"),
        pytest.param("Pears.", words(1800), None, 0, id="a short paper"),
        pytest.param("Pears.", f"%{words(9000)}", None, 0, id="comments are no text"),
        pytest.param("Pears.", r"\commands " * 900, None, 0, id="commands are no text"),
    ],
)
def test_a_paper_from_which_most_is_lost_is_a_fault(
    text: str, rest: str, reason: str | None, faults: int, tmp_path: Path
) -> None:
    (row,), tally = read(tmp_path / "2001.00001.gz", gzip.compress(paper(text) + rest.encode()))
    assert (row["drop_reason"], len(tally.faults)) == (reason, faults)
    if faults:
        left = f"2001.00001.gz: {len(text)} characters of text are left of its TeX"
        assert (tally.faults[0]["offset"], tally.faults[0]["error"]) == (0, left)


def test_papers_that_say_nothing_and_those_not_in_utf8(tmp_path: Path) -> None:
    files = {
        "2001/2001.00001.gz": paper(r"\maketitle"),
        "2001/2001.00002.gz": paper("na\xefve.").decode().encode("latin1"),
        "2001/2001.00003.gz": paper("a\n\n\ufeff\n\nb"),
    }
    rows, tally = read(tmp_path / "x.tar", tar(files))
    assert [(row["text"], row["drop_reason"]) for row in rows] == [
        (None, "extract:no_text"),
        ("naïve.", None),
        ("a\n\nb", None),
    ]
    assert dict(tally.records) == {"lenient.charset": 1}
