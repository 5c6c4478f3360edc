"""Documents behind a disparity: only of the group, only of its reason, furthest beyond the limit first."""

from pathlib import Path

from curation.account.audit.groups import Grouping
from curation.account.audit.rates import rates_of
from curation.account.audit.tallies import tally
from curation.account.audit.term_lists import term_lists
from curation.account.audit.worst import Disparity, disparity
from curation.account.run import Run
from tests.curation.account.audit.planted import curate, page, planted
from tests.curation.engine.conftest import ran as ran


def found(run: Run, name: str, by: str, group: str) -> Disparity:
    grouping, stage = Grouping((by,), term_lists(), []), run.stage(name)
    counts = tally(run, grouping, lambda _: None)[name]
    rate = next(one for one in rates_of(name, by, counts, grouping.names[by].ordered, []) if one.group == group)
    return disparity(run, stage, rate, Grouping((by,), term_lists(), []))


def test_furthest_beyond_the_limit_first(tmp_path: Path, ran: object) -> None:
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


def test_a_reason_without_a_signal(tmp_path: Path, ran: object) -> None:
    worst = found(curate(tmp_path, planted()), "dedup", "declared_language", "fr")
    assert worst.reason == "dedup.exact:duplicate"
    assert {one.value for one in worst.documents} == {None}
    assert len(worst.documents) == 20
    assert all(one.url and one.url.startswith("https://bleu") for one in worst.documents)


def test_furthest_above_a_limit(tmp_path: Path, ran: object) -> None:
    long = [page(n, "l.de", text=" ".join([f"{n:02}" + "x" * (n - 2)] * 30)) for n in range(12, 52)]
    run = curate(tmp_path, [long, [page(n, "s.com") for n in range(100, 140)]])
    worst = found(run, "gopher", "country", "de")
    assert worst.reason == "gopher_quality.mean_word_length:high"
    assert [one.value for one in worst.documents] == [float(n) for n in range(51, 31, -1)]
