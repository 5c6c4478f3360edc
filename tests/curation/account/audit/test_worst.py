"""Documents behind a disparity: only of the group, only of its reason, furthest beyond the limit first."""

from pathlib import Path

from curation.account.audit.groups import Grouping
from curation.account.audit.rates import rates_of
from curation.account.audit.tallies import tally
from curation.account.audit.term_lists import term_lists
from curation.account.audit.worst import Disparity, disparity
from curation.account.run import Run
from tests.curation.account.audit.planted import curate, page, planted

JOINED = """
version: 1
name: joined
shards: {group_mb: 0}
sources:
  code:
    - read: {jsonl: {paths: ["%(folder)s/1.jsonl"], url: url}}
  web:
    - read: {jsonl: {paths: ["%(folder)s/0.jsonl"], url: url}}
    - filter: {language: {languages: [en, de], min_score: 0}}
joined:
  - dedup: {exact: {}}
"""
ENGLISH = "The children walked to the old house by the river and sat in the garden until the evening."
GERMAN = "Die Kinder gingen zum alten Haus am Fluss und saßen bis zum Abend im Garten unter dem Baum."


def found(run: Run, name: str, by: str, group: str) -> Disparity:
    grouping = Grouping((by,), term_lists(), [])
    stage = run.stage(name)
    counts = tally(run, grouping, lambda _: None)[name]
    rate = next(one for one in rates_of(name, by, counts, list(grouping.names[by]), []) if one.group == group)
    return disparity(run, stage, rate, Grouping((by,), term_lists(), []))


def test_furthest_beyond_the_limit_first(tmp_path: Path) -> None:
    shards = planted()
    shards[1].append(page(999, "last.de", text="only three words"))
    run = curate(tmp_path, shards)
    worst = found(run, "gopher", "country", "de")
    assert (worst.stage, worst.by, worst.group, worst.reason) == ("gopher", "country", "de", "gopher_quality.words:low")
    assert len(worst.documents) == 20
    assert (worst.documents[0].url, worst.documents[0].value) == ("https://last.de/999", 3.0)
    assert {one.value for one in worst.documents[1:]} == {11.0}
    ids = [one.doc_id for one in worst.documents[1:]]
    assert ids == sorted(ids)
    assert all(one.url and ".de/" in one.url for one in worst.documents)
    (story,) = run.why(doc_id=worst.documents[0].doc_id)
    assert story.url == "https://last.de/999"


def test_a_reason_without_a_signal(tmp_path: Path) -> None:
    worst = found(curate(tmp_path, planted()), "dedup", "declared_language", "fr")
    assert worst.reason == "dedup.exact:duplicate"
    assert {one.value for one in worst.documents} == {None}
    assert len(worst.documents) == 20
    assert all(one.url and one.url.startswith("https://bleu") for one in worst.documents)


def test_furthest_above_a_limit(tmp_path: Path) -> None:
    long = [page(n, "l.de", text=" ".join([f"{n:02}" + "x" * (n - 2)] * 30)) for n in range(12, 52)]
    run = curate(tmp_path, [long, [page(n, "s.com") for n in range(100, 140)]])
    worst = found(run, "gopher", "country", "de")
    assert worst.reason == "gopher_quality.mean_word_length:high"
    assert [one.value for one in worst.documents] == [float(n) for n in range(51, 31, -1)]


def test_a_source_without_languages_has_none_of_a_language(tmp_path: Path) -> None:
    english = [page(n, "en.com", text=ENGLISH) for n in range(40)]
    german = [page(n, "de.com", text=f"{GERMAN} {n}") for n in range(40)]
    code = [page(n, "code.com", text="return None") for n in range(40)]
    run = curate(tmp_path, [[*english, *german], code], JOINED)
    worst = found(run, "dedup", "language", "en")
    assert worst.reason == "dedup.exact:duplicate"
    assert len(worst.documents) == 20
    assert all(one.url and one.url.startswith("https://en.com/") for one in worst.documents)
