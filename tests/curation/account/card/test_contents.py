"""What was kept, counted by hand: by source, licence and language, with dates and domains."""

from pathlib import Path

from curation.account.card.contents import Contents, Share, contents
from curation.account.run import Run
from tests.curation.account.cards import HOSTILE, text
from tests.curation.account.corpus import curate, rows


def found(run: str, tombstones: tuple[str, ...] = (), domains: int = 10) -> Contents:
    return contents(Run.open(run).stages, tombstones, domains)


def size(*numbers: int) -> int:
    return sum(len(text(number).encode()) for number in numbers)


def cells(shares: tuple[Share, ...]) -> list[tuple[str | None, int, int]]:
    return [(share.name, share.documents, share.text_bytes) for share in shares]


def test_sources_with_dates_and_declared_languages(untokenized: str) -> None:
    kept = found(untokenized)
    assert kept.stages == ("dedup",)
    assert cells(kept.sources) == [("web", 5, size(0, 1, 2, 3, 4)), ("books", 2, size(10, 11))]
    web, books = kept.sources
    assert (web.first_date, web.last_date, web.undated) == ("2024-01-02", "2025-03-04", 2)
    assert (books.first_date, books.last_date, books.undated) == (None, None, 2)
    assert (kept.total.documents, kept.total.text_bytes, kept.total.tokens) == (7, size(0, 1, 2, 3, 4, 10, 11), None)
    assert kept.languages_by == "declared_language"
    assert {share.name: share.documents for share in kept.languages} == {"en": 4, "de": 1, None: 2}


def test_by_licence_most_text_first(untokenized: str) -> None:
    licences = [
        ("CC-BY-4.0", 3, size(0, 1, 2)),
        ("CC0-1.0", 2, size(10, 11)),
        (None, 1, size(3)),
        (HOSTILE, 1, size(4)),
    ]
    assert cells(found(untokenized).licences) == sorted(licences, key=lambda licence: -licence[2])


def test_identified_languages(corpus: Path) -> None:
    run = curate(corpus)
    kept = found(run.folder)
    labels = [one["label"] for one in rows(run, "tokenize")["language"].to_pylist()]
    assert kept.languages_by == "language"
    assert {share.name: share.documents for share in kept.languages} == {
        label: labels.count(label) for label in set(labels)
    }
    assert set(labels) == {"en", "de"}


def test_tokens_add_up_over_any_division(carded: str) -> None:
    kept = found(carded)
    packed = Run.open(carded).stage("pack").manifest.tokens
    assert packed is not None
    tokens = sum(part["tokens"] for part in packed["parts"])
    for shares in (kept.sources, kept.licences, kept.languages):
        assert sum(share.tokens or 0 for share in shares) == kept.total.tokens == tokens > 0


def test_domains_of_whole_addresses_most_documents_first(untokenized: str) -> None:
    kept = found(untokenized)
    assert kept.domains == (("one.example", 3), ("two.example", 1))
    assert kept.all_domains == 2
    one = found(untokenized, domains=1)
    assert (one.domains, one.all_domains) == ((("one.example", 3),), 2)


def test_what_was_taken_down_is_not_counted(carded: str) -> None:
    before = found(carded)
    ids = rows(Run.open(carded), "tokenize")
    (gone,) = [row["doc_id"] for row in ids.to_pylist() if row["text"] == text(1)]
    kept = found(carded, (gone, "f" * 32))
    assert kept.taken_down == 1
    assert kept.total.documents == before.total.documents - 1
    assert kept.total.text_bytes == before.total.text_bytes - size(1)
    assert {share.name: share.documents for share in kept.licences}["CC-BY-4.0"] == 2


def test_no_documents() -> None:
    kept = contents([], ())
    assert (kept.stages, kept.total, kept.languages_by) == ((), Share(None, 0, 0, None), "")
