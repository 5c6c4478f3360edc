"""Enterprise's dumps of HTML: what a line says of its article, and lines that are none."""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from curation.core import catalog
from curation.core.protocols import Extractor, Piece, ReadTally
from curation.core.verbs import EXTRACT
from curation.sources.documents.wikipedia_html import WikipediaHtml
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar


def article(html: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": "Husum",
        "identifier": 7,
        "date_modified": "2024-03-01T10:00:00Z",
        "url": "https://de.wikipedia.org/wiki/Husum",
        "namespace": {"identifier": 0},
        "in_language": {"identifier": "de"},
        "article_body": {"html": html, "wikitext": "…"},
        "license": [{"name": "Creative Commons", "identifier": "CC-BY-SA-4.0"}],
        **fields,
    }


def tar_gz(files: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar(files), mtime=0)


def lines(articles: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in articles)


def sample(texts: Sequence[str]) -> bytes:
    articles = [article(text) for text in texts]
    return tar_gz({"../enwiki_0.ndjson": lines(articles[:20]), "enwiki_1.ndjson": lines(articles[20:])})


SAMPLE = Sample(sample, {"max_page_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = WikipediaHtml(paths=(), **options).read([Piece(str(path), name=path.name)], "wiki", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_an_article(tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "a.ndjson", lines([article("<p>Meer</p>")]))
    assert (row["content"], row["content_type"]) == (b"<p>Meer</p>", "text/html; charset=utf-8")
    assert (row["url"], row["declared_language"]) == ("https://de.wikipedia.org/wiki/Husum", "de")
    assert (row["licence"], row["crawled_at"]) == ("CC-BY-SA-4.0", datetime(2024, 3, 1, 10, tzinfo=UTC))
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_what_is_no_article_is_counted(tmp_path: Path) -> None:
    articles = [
        article('<link rel="mw:PageProp/redirect" href="./B">'),
        article('<meta property="mw:PageProp/disambiguation">'),
        article("<p>x</p>", namespace={"identifier": 10}),
        article("<p>x</p>", namespace={"identifier": 47110}),
        article("<p>x</p>", namespace={"identifier": "x"}),
        article("", article_body={"wikitext": "x"}),
        article("x", article_body=["html"]),
        article("x", article_body={"html": 5}),
        ["no object"],
        article("<p>Kept</p>", license="CC0", in_language=[], url=["x"], date_modified=5, identifier={}),
    ]
    content = lines(articles) + b'{"cut": \n\n' + b"[" * 100_000
    rows, tally = read(tmp_path / "a.json.gz", gzip.compress(content), default_licence="CC-BY-SA-4.0")
    assert [(row["content"], row["licence"], row["url"]) for row in rows] == [(b"<p>Kept</p>", "CC-BY-SA-4.0", None)]
    causes = {
        "redirect": 1,
        "disambiguation": 1,
        "namespace.10": 1,
        "namespace.unknown": 2,
        "no_html": 3,
        "bad_json": 3,
    }
    assert dict(tally.records) == {f"skipped.{cause}": count for cause, count in causes.items()}
    assert [fault["offset"] for fault in tally.faults] == [8, 10, 12]


MANY = [article("<p>Meer</p>"), article("<p>See {}</p>", identifier=8), {"name": "Ohne"}]


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        pytest.param(json.dumps(MANY), (0, 0), id="an array in a line"),
        pytest.param("[\n" + ",\n".join(map(json.dumps, MANY)) + "\n]", (1, 2), id="an array with an article a line"),
        pytest.param(json.dumps(MANY, indent=2), (1, 23), id="an array in many lines"),
        pytest.param("\n".join(json.dumps(one, indent="\t") for one in MANY), (0, 22), id="objects in many lines"),
        pytest.param("{\n" + "\n".join(map(json.dumps, MANY)), (1, 2), id="a line that is none"),
    ],
)
def test_articles_in_many_lines(content: str, numbers: tuple[int, int], tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "a.json", content.encode())
    assert [(row["content"], row["origin_offset"]) for row in rows] == [
        (b"<p>Meer</p>", numbers[0]),
        (b"<p>See {}</p>", numbers[1]),
    ]
    assert tally.records["skipped.no_html"] == 1
    assert tally.records["skipped.bad_json"] == len(tally.faults) == content.startswith("{\n{")


def test_an_article_in_many_lines_is_not_held_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curation.sources.documents.wikipedia_html.MAX_LINE", 2000)
    long = json.dumps({"name": "Lang", "lines": ["a"] * 2000}, indent=2)
    rows, _ = read(tmp_path / "a.json", f"{long}\n{json.dumps(MANY[0], indent=2)}".encode())
    assert [(row["content"], row["drop_reason"]) for row in rows] == [
        (None, "extract:too_many_bytes"),
        (b"<p>Meer</p>", None),
    ]


def test_links_are_passed_over_and_nothing_is_unpacked(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("link.ndjson")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        archive.addfile(link)
        outside = tarfile.TarInfo("../../outside.ndjson")
        content = lines([article("<p>Kept</p>")])
        outside.size = len(content)
        archive.addfile(outside, io.BytesIO(content))
    rows, tally = read(tmp_path / "a.tar", out.getvalue())
    assert [row["content"] for row in rows] == [b"<p>Kept</p>"]
    assert dict(tally.records) == {"skipped.not_a_file": 1}
    assert not (tmp_path.parent / "outside.ndjson").exists()


def test_a_truncated_archive_keeps_what_came_before(tmp_path: Path) -> None:
    noise = [article("".join(chr(97 + (n * n * 7 + k) % 23) for n in range(3000))) for k in range(50)]
    whole = sample([one["article_body"]["html"] for one in noise])
    rows, tally = read(tmp_path / "a.tar.gz", whole[: len(whole) // 2])
    assert 0 < len(rows) < 50
    assert "gzip member is cut short by the end of the file" in {fault["error"] for fault in tally.faults}


def test_a_line_without_end_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curation.sources.documents.wikipedia_html.MAX_LINE", 1000)
    content = lines([article("<p>a</p>"), article("b" * 5000), article("<p>c</p>")])
    rows, _ = read(tmp_path / "a.ndjson", content)
    assert [row["content"] for row in rows] == [b"<p>a</p>", None, b"<p>c</p>"]
    assert rows[1]["drop_reason"] == "extract:too_many_bytes"


PAGE = """<!DOCTYPE html><html><head><title>Tea &amp; Co</title></head><body lang="en" class="mw-body-content">
<section data-mw-section-id="0" id="mwAQ"><p id="mwAg">The lake is <span data-sort-value="7003500000000000000" typeof=
"mw:Transclusion" data-mw='{"parts":[{"template":{"target":{"wt":"convert"},"params":{"1":{"wt":"5"}}}}]}' id="mwAw">5
kilometres (3.1&nbsp;mi)</span> long and lies at 1,204&nbsp;m above the sea, which is the mean of all its shores in the
years of the survey.</p>
<p>The variance is <span typeof="mw:Extension/math" class="mwe-math-element">
<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\sigma ^{2}}"><semantics><mrow><mi>s</mi></mrow>
<annotation encoding="application/x-tex">{\\sigma ^{2}}</annotation></semantics></math></span> of the heights that were
measured there, and it is the square of the deviation.</p></section></body></html>"""


@pytest.mark.parametrize("key", ["resiliparse", "trafilatura"])
def test_extraction_keeps_the_title_formulas_and_measures(key: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(lines([article(PAGE, name="Tea & Co")]))
    (batch,) = WikipediaHtml(paths=()).read([Piece(str(path), name="a")], "wiki", ReadTally())
    extractor = catalog.find(EXTRACT, key)()
    assert isinstance(extractor, Extractor)
    (text,) = extractor.extract(batch, {}, lambda doc_id, cause: None)["text"].to_pylist()
    assert text.startswith("Tea & Co")
    assert "\\sigma ^{2}" in text
    assert "5 kilometres (3.1 mi)" in " ".join(text.split())
