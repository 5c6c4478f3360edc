"""One recipe reads eight kinds of source, served and on disk, to one mixture; killed, it gives the same bytes."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.run import Run
from tests.crawl import page, prose
from tests.crawl_server import crawl_server
from tests.curation.sources.documents.repositories.git_made import MIT, committed
from tests.curation.sources.documents.test_gutenberg import book, catalogue
from tests.curation.sources.documents.test_gutenberg import row as listed_book
from tests.curation.sources.documents.test_irc import log
from tests.curation.sources.documents.test_jats import ARTICLE
from tests.curation.sources.documents.test_stackexchange import dump, row
from tests.curation.sources.documents.test_wikipedia_html import article, lines, tar_gz
from tests.curation.sources.sample_archives import http, members, warc
from tests.curation.sources.tar_files import tar
from tests.end_to_end.test_kill import killed
from tests.pipelines.test_mixtures import check_shares, program
from tests.runs import data_hashes, winnow

DOCUMENTS = 24  # of each source
WEIGHTS: dict[str, float] = {
    "web": 8,
    "wiki": 7,
    "papers": 6,
    "ready": 5,
    "questions": 4,
    "books": 3,
    "talk": 2,
    "programs": 1,
}
RECIPE = """
version: 1
name: eight
shards: {group_mb: 0}
sources:
  web: [{read: {warc: {paths: ["SERVER/web.warc.gz"], licence: CC0-1.0}}}, {extract: {resiliparse: {}}}]
  wiki: [{read: {wikipedia_html: {paths: ["SERVER/wiki.tar.gz"]}}}, {extract: {resiliparse: {}}}]
  papers: [{read: {jats: {paths: ["SERVER/papers.tar"]}}}]
  ready: [{read: {corpus: {name: dolma, paths: ["SERVER/ready.jsonl.gz"], default_licence: ODC-By-1.0}}}]
  questions: [{read: {stackexchange: {paths: ["SERVER/Posts.xml"]}}}]
  books: [{read: {gutenberg: {paths: ["DISK/books"], catalogue: DISK/catalogue.csv}}}]
  talk: [{read: {irc: {paths: ["DISK/talk.log"], default_licence: CC0-1.0}}}]
  programs: [{read: {code: {paths: ["DISK/programs"]}}}]
joined:
  - filter: {gopher_quality: {min_words: 20, min_stop_words: 0, min_alphabetic_words: 0.1}}
    name: quality
  - dedup: {exact: {}}
  - fit: {tokenizer: {vocab_size: 512}}
  - tokenize: {tokenizer: "@tokenizer"}
  - pack: {sequence_length: 64}
  - mix: {weights: WEIGHTS, max_epochs: 2}
"""
KILLED_AT = ["*-quality-*/_commits/*", "*-pack-*/tokens-00000.bin"]


def texts(source: str) -> list[str]:
    rng = random.Random(source)
    return [prose(rng, 12).replace("<p>", "").replace("</p>", "") for _ in range(DOCUMENTS)]


def served() -> dict[str, bytes]:
    pages = (page(f"Page {number}", f"<p>{text}</p>") for number, text in enumerate(texts("web")))
    entries = [
        article(f"<body><p>{text}</p></body>", identifier=number, name=f"Place {number}")
        for number, text in enumerate(texts("wiki"))
    ]
    papers = {
        f"{number}.xml": ARTICLE.replace("Tides turn.", text).encode() for number, text in enumerate(texts("papers"))
    }
    ready = (
        {"id": str(number), "text": text, "source": "web", "created": "2023-05-06T00:00:00Z"}
        for number, text in enumerate(texts("ready"))
    )
    posts = (row(number, "1", f"<p>{text}</p>") for number, text in enumerate(texts("questions"), 1))
    return {
        "web.warc.gz": members(*(warc(str(number), http(body)) for number, body in enumerate(pages))),
        "wiki.tar.gz": tar_gz({"wiki.ndjson": lines(entries)}),
        "papers.tar": tar(papers),
        "ready.jsonl.gz": gzip.compress("".join(f"{json.dumps(one)}\n" for one in ready).encode(), mtime=0),
        "Posts.xml": dump(*posts),
    }


def write_to_disk(folder: Path) -> None:
    (folder / "books").mkdir()
    for number, text in enumerate(texts("books"), 1):
        (folder / "books" / f"{number}-0.txt").write_bytes(book(text))
    catalogue(folder / "catalogue.csv", *(listed_book(number) for number in range(1, DOCUMENTS + 1)))
    (folder / "talk.log").write_bytes(log([text.replace("\n", " ") for text in texts("talk")]))
    rng = random.Random("programs")
    files = {f"src/part_{number}.py": program(rng) for number in range(DOCUMENTS)}
    committed(folder / "programs", {"LICENSE": MIT, **files})


@pytest.fixture
def recipe(tmp_path: Path) -> Iterator[Path]:
    write_to_disk(tmp_path)
    with crawl_server(served()) as server:
        path = tmp_path / "eight.yaml"
        text = RECIPE.replace("SERVER", server.url).replace("DISK", str(tmp_path))
        path.write_text(text.replace("WEIGHTS", json.dumps(WEIGHTS)))
        yield path


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_eight_kinds_of_source_become_one_mixture(recipe: Path, tmp_path: Path) -> None:
    done = winnow("curate", recipe, "--output", tmp_path / "run", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    run = Run.open(str(tmp_path / "run"))
    judged = next(stage for stage in run.stages if stage.name == "quality")
    rows = pa.Table.from_batches(judged.scan(["source", "licence", "crawled_at"]))
    assert Counter(rows["source"].to_pylist()) == dict.fromkeys(WEIGHTS, DOCUMENTS) | {"programs": DOCUMENTS + 1}
    assert {name: rows[name].null_count for name in ("licence", "crawled_at")} == {"licence": 0, "crawled_at": 0}
    mixture = run.funnel().mixture
    assert mixture is not None
    check_shares(mixture, "mix", WEIGHTS)

    kills = killed(recipe, tmp_path / "again", KILLED_AT, random.Random(3))
    assert kills == len(KILLED_AT)
    done = winnow("curate", recipe, "--output", tmp_path / "again", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    assert data_hashes(tmp_path / "again") == data_hashes(tmp_path / "run")
