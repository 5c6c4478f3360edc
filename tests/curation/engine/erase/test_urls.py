"""URLs and licences: what a redacting stage leaves of them, in every stage, and how documents are still found."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.evalsets.journeys import ended
from curation.account.lineage.requests import Request
from curation.account.lineage.takedown import plan
from curation.account.run import Run
from curation.core.errors import InputError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.text.kernels.hashing import hash64
from tests.curation.engine.erase.redacting_runs import UNTIL_SEALED, words_in

pytest.importorskip("presidio_analyzer")

GOOD = "The people of the small town have to read this large book with all of its pages."
JANE = "http://a.example/read?mail=jane.doe%40post.org&page=1"
JOHN = "http://a.example/read?mail=john.roe%40post.org&page=1"
SHORT = "http://b.example/users/jane.doe@post.org/short"
PLAIN = "http://c.example/plain?page=2"
REDACTED = {
    JANE: "http://a.example/read?mail=%3CEMAIL%3E&page=1",
    JOHN: "http://a.example/read?mail=%3CEMAIL%3E&page=1",
    SHORT: "http://b.example/users/%3CEMAIL%3E/short",
    PLAIN: PLAIN,
}
NAMED = ("jane.doe", "john.roe")
SURROGATES = ', action: surrogate, key: {file: "%s"}, key_id: "1"'
RECIPE = """
version: 1
shards: {group_mb: 0}
%(privacy)s
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url, licence: licence}}
    - dedup: {canonical_url: {}}
    - filter: {gopher_quality: {min_words: 10, min_stop_words: 1}}
      name: gopher
    - rewrite: {pii: {language: en, of: [email]%(action)s}}
      name: redact
    - dedup: {canonical_url: {}, exact: {}}
      name: again
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer"}
    - pack: {sequence_length: 32}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("urls")
    licence = "by Jane Doe <jane.doe@post.org>"
    rows = [
        {"url": url, "licence": licence, "text": f"{url[7]} b" if url == SHORT else f"{GOOD} {number} {GOOD}"}
        for number, url in enumerate(REDACTED)
    ]
    (tmp_path / "web.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    key = tmp_path / "key"
    key.touch(mode=0o600)
    key.write_text("0123456789abcdef0123456789abcdef")
    return tmp_path


def curate(folder: Path, name: str, privacy: str = UNTIL_SEALED, action: str = "") -> Run:
    recipe = parse(RECIPE % {"folder": folder, "privacy": privacy, "action": action}, "r.yaml")
    runner.curate(recipe, str(folder / name), Inline())
    return Run.open(folder / name)


@pytest.fixture(scope="module")
def gone(folder: Path) -> Run:
    return curate(folder, "gone")


@pytest.fixture(scope="module")
def kept(folder: Path) -> Run:
    return curate(folder, "kept", privacy="")


def column(run: Run, stage: str, name: str) -> list[Any]:
    return [value for batch in run.stage(stage).scan([name]) for value in batch[name].to_pylist()]


def hashes_of_urls(run: Run) -> set[int]:
    """The keys of URLs in the look-up tables."""
    tables = [pq.read_table(path) for path in Path(run.folder).glob("*/_buckets/*.parquet")]
    return {key for table in tables for key in table["key_hi"].filter(pa.compute.equal(table["key_lo"], 0)).to_pylist()}


def hash_of(url: str) -> int:
    return int(np.asarray(hash64(pa.array([url], pa.large_string())))[0])


def leaks(run: Run) -> Iterator[str]:
    return (path for path, words in words_in(run.folder) if any(name in words for name in NAMED))


def test_no_file_holds_an_original_url_or_its_hash(gone: Run) -> None:
    assert list(leaks(gone)) == []
    same = [url for url in REDACTED if url == REDACTED[url]]
    assert hashes_of_urls(gone) & {hash_of(url) for url in REDACTED} == {hash_of(url) for url in same}


def test_every_stage_has_the_same_urls_of_the_same_hosts(gone: Run) -> None:
    assert column(gone, "read", "url") == list(REDACTED.values())
    assert column(gone, "gopher", "url") == list(REDACTED.values())
    assert column(gone, "tokenize", "url") == [REDACTED[url] for url in REDACTED if url != SHORT]
    assert set(column(gone, "read", "licence")) == {"by Jane Doe <<EMAIL>>"}
    segments = [table for path in Path(gone.folder).glob("*-pack-*/*.parquet") for table in [pq.read_table(path)]]
    assert {url for table in segments for url in table["url"].to_pylist()} == {
        REDACTED[url] for url in (JANE, PLAIN)
    } | {None}


def test_pages_that_redaction_made_alike_are_no_copies(gone: Run) -> None:
    assert gone.stage("again").manifest.merged("dropped") == {}


def test_why_finds_a_page_by_its_original_url(kept: Run, gone: Run) -> None:
    ids = column(kept, "read", "doc_id")
    assert column(gone, "read", "doc_id") == ids
    by_url = {url: [story.doc_id for story in gone.why(url=url)] for url in REDACTED}
    assert by_url == {JANE: ids[:2], JOHN: ids[:2], SHORT: ids[2:3], PLAIN: ids[3:]}
    assert gone.why(url=SHORT)[0].reason == "gopher_quality.words:low"
    assert [story.doc_id for story in gone.why(url=REDACTED[SHORT])] == ids[2:3]


def test_kept_originals_are_found_and_shown_redacted(kept: Run) -> None:
    (story,) = kept.why(url=JANE)
    assert story.url == REDACTED[JANE]
    assert story.head["licence"] == "by Jane Doe <<EMAIL>>"
    assert [row.url for row in kept.show("read")] == list(REDACTED.values())
    assert column(kept, "read", "url") == list(REDACTED)
    assert column(kept, "redact", "url") == [REDACTED[url] for url in (JANE, JOHN, PLAIN)]


def test_surrogates_tell_pages_apart_for_those_who_have_the_key(folder: Path) -> None:
    run = curate(folder, "surrogates", action=SURROGATES % (folder / "key"))
    assert list(leaks(run)) == []
    ids = column(run, "read", "doc_id")
    assert [[story.doc_id for story in run.why(url=url)] for url in REDACTED] == [[doc_id] for doc_id in ids]
    assert [url.partition("?")[0] for url in column(run, "read", "url")[:2]] == ["http://a.example/read"] * 2
    (folder / "key").unlink()
    from curation.models.redaction.keyed import key_at

    key_at.cache_clear()
    assert [story.doc_id for story in run.why(url=PLAIN)] == ids[3:]
    with pytest.raises(InputError, match="surrogates took the place of values in such a URL, and need their key"):
        run.why(url=JANE)


def test_a_takedown_by_a_url_that_others_have_now_is_refused(gone: Run) -> None:
    run = Run.open_with_earlier(gone.folder)
    with pytest.raises(
        InputError, match=r"2 documents of .* have the URL that redaction made of http://a.example/read"
    ):
        plan(run, Request("url", (JANE,), ""))
    assert plan(run, Request("url", (SHORT,), "")).documents == tuple(column(run, "read", "doc_id")[2:3])


def test_the_journeys_of_all_documents_are_whole(gone: Run) -> None:
    assert sum(len(one.rows) for one in ended(gone)) == len(REDACTED)
