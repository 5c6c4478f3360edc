"""What a report gathers, against what the run's own files say."""

import json
from collections import Counter
from pathlib import Path

import pytest

from curation.account.card.contents import contents
from curation.account.report import sampling
from curation.account.report.comparison import comparison
from curation.account.report.composition import composition
from curation.account.report.flow import source_flows
from curation.account.report.report import fingerprint, run_report
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.corpus import made, write_lines
from tests.takedowns import curate

MAIL = "someone@example.org"


def test_the_way_of_every_source(carded: str) -> None:
    run = Run.open(carded)
    flows = source_flows(run.stages)
    assert [flow.source for flow in flows] == ["web", "books"]
    web, books = flows
    assert (web.records, books.records) == (7, 2)
    dropped = sum(sum(step.dropped.values()) for step in web.steps)
    assert web.kept == 7 - dropped
    assert books.steps[-1].tokens == sum(
        s.manifest.shards.totals["books"]["parts"]["tokens"] for s in run.stages if s.verb.encodes
    )


def test_losses_are_all_that_was_dropped(carded: str) -> None:
    run = Run.open(carded)
    found = run_report(run)
    dropped = Counter[tuple[str, str]]()
    for stage in run.stages:
        if stage.verb.documents:
            dropped.update({(stage.name, reason): n for reason, n in stage.manifest.merged("dropped").items()})
    assert Counter({(one.stage, one.reason): one.documents for one in found.losses if one.source == "web"}) == dropped
    for stage in run.stages:
        if stage.verb.documents:
            lost = stage.manifest.total("text_bytes") - stage.manifest.total("kept_text_bytes")
            assert sum(one.text_bytes for one in found.losses if one.stage == stage.name) == lost
    assert all(one.tokens is not None and one.tokens > 0 for one in found.losses)


def test_what_is_kept_is_counted_as_in_the_card(carded: str) -> None:
    run = Run.open(carded)
    card = contents(run.stages, ())
    documents = [stage for stage in run.stages if stage.verb.documents]
    found = composition(documents, {stage: sampling.sampled_rows(stage) for stage in documents})
    assert found.exact
    licences = {one.value: one.kept.documents for one in found.kinds["licence"] if one.kept.documents}
    assert sum(licences.values()) == card.total.documents
    hosts = {one.value: one.kept.documents for one in found.kinds["host"] if one.value and one.kept.documents}
    for domain, count in card.domains:
        assert sum(hosts[host] for host in hosts if f".{host}".endswith(f".{domain}")) == count
    kept_tokens = sum(one.kept.tokens or 0 for one in found.kinds["host"])
    assert kept_tokens == card.total.tokens
    read, kept = (sum(counts) for counts in zip(*found.lengths, strict=True))
    assert (read, kept) == (9, card.total.documents)


def test_a_share_of_many_shards_is_scaled(taken_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.open(taken_run)
    stage = next(stage for stage in run.stages if stage.verb.begins and stage.entry.chain == "news")
    assert len(stage.shards) == 2
    whole = sampling.sampled_rows(stage)
    monkeypatch.setattr(sampling, "SHARDS", 1)
    part = sampling.sampled_rows(stage)
    assert (whole.share, len(whole.table)) == (1, 16)
    assert (part.share, len(part.table)) == (0.5, 8)
    assert [shard.number for shard in sampling.sampled(stage, 2)] == [0, 1]


def test_limits_and_the_documents_beyond_them(finished_run: Path) -> None:
    run = Run.open(finished_run / "run")
    found = run_report(run)
    stage = run.stage("gopher")
    fired = stage.manifest.merged("fired")
    for limited in found.limits[stage.entry.folder]:
        figure = limited.histogram
        for side, bound in figure.before.items():
            lost = [one.documents for one in figure.bins if (one.high <= bound if side == "low" else one.low > bound)]
            assert sum(lost) <= fired.get(f"{figure.signal}:{side}", 0), (figure.signal, side)
            assert limited.beyond[side] == fired.get(f"{figure.signal}:{side}", 0) / stage.manifest.total("rows")
    shown = found.documents[stage.entry.folder]
    assert {one.reason for one in shown} == {*stage.manifest.merged("dropped"), None}
    away: dict[tuple[str, str], list[float]] = {}
    for one in shown:
        if one.place in ("outside", "far"):
            key, _, signal = str(one.reason).rpartition(":")[0].partition(".")
            limit = next(rule for rule in stage.manifest.limits if rule["rule"] == f"{key}.{signal}")
            bound = limit["at_least" if str(one.reason).endswith(":low") else "at_most"]
            away.setdefault((str(one.reason), one.place), []).append(abs(one.values[key][signal] - bound))
    for (reason, place), distances in away.items():
        if place == "far":
            assert min(distances) >= max(away[reason, "outside"])


def test_each_document_is_shown_once(finished_run: Path) -> None:
    found = run_report(Run.open(finished_run / "run"))
    shown = [*found.final, *(one for own in found.documents.values() for one in own)]
    assert len(shown) == len({one.doc_id for one in shown})
    assert len(found.final) == 20
    assert {one.reason for one in found.final} == {None}
    ends = Run.open(finished_run / "run").stage("tokenize").scan(["doc_id", "drop_reason"])
    kept = {row["doc_id"] for batch in ends for row in batch.to_pylist() if row["drop_reason"] is None}
    assert {one.doc_id for one in found.final} <= kept


def test_documents_just_inside_a_limit_are_kept_ones_within_it(finished_run: Path) -> None:
    run = Run.open(finished_run / "run")
    inside = [one for own in run_report(run).documents.values() for one in own if one.place == "inside"]
    assert {one.limit.signal for one in inside if one.limit} >= {"gopher_quality.words", "language.score"}
    for one in inside:
        assert one.limit is not None
        assert one.reason is None
        within = one.limit.value >= one.limit.bound if one.limit.side == "low" else one.limit.value <= one.limit.bound
        assert within


def test_pages_are_counted_not_records(finished_run: Path) -> None:
    (flow,) = run_report(Run.open(finished_run / "run")).flows
    assert flow.pages
    assert flow.read == Run.open(finished_run / "run").stage("extract").manifest.total("rows") == 120
    assert flow.records > flow.read


def test_hosts_of_one_domain_are_told_apart(tmp_path: Path) -> None:
    urls = ["http://a.example.com/1", "http://b.example.com/2", "https://b.example.com:8080/3", "file.txt"]
    write_lines(tmp_path / "a.jsonl", [{"text": f"text {url}", "url": url} for url in urls])
    recipe = f"version: 1\nname: r\nsources:\n  a:\n    - read: {{jsonl: {{paths: [{tmp_path}/a.jsonl], url: url}}}}\n"
    made(recipe, tmp_path / "run")
    hosts = run_report(Run.open(tmp_path / "run")).composition.kinds["host"]
    assert {one.value: one.read.documents for one in hosts} == {"a.example.com": 1, "b.example.com": 2, None: 1}


def test_tokens_of_documents(carded: str) -> None:
    found = run_report(Run.open(carded)).composition
    assert found.tokens is not None
    kept = sum(one.kept.documents for one in found.kinds["language"])
    tokens = sum(one.kept.tokens or 0 for one in found.kinds["language"])
    assert sum(found.tokens.documents) == kept
    assert found.tokens.mean * kept == pytest.approx(tokens)
    assert found.tokens.median <= found.tokens.high <= found.tokens.longest


def test_the_same_run_gives_the_same_report(carded: str) -> None:
    assert run_report(Run.open(carded)) == run_report(Run.open(carded))


def test_what_a_run_lacks(untokenized: str, tmp_path: Path) -> None:
    found = run_report(Run.open(untokenized))
    assert [(sentence.split(":")[0], sentence.split()[-1]) for sentence in found.lacking] == [
        ("Its documents have no tokens", "`tokenize`."),
        ("It has no mixture", "`mix`."),
        ("Nothing looked for items of evaluation sets, so whether any leaked is not known", "`contamination`."),
    ]
    assert {one.tokens for one in found.losses} == {None}
    record = json.loads((Path(untokenized) / "run.json").read_text())
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps(record | {"stages": []}))
    with pytest.raises(InputError, match="no sealed stage of documents to report"):
        run_report(Run.open(tmp_path / "run"))


def test_a_run_of_one_document(tmp_path: Path) -> None:
    write_lines(tmp_path / "one.jsonl", [{"text": "One document."}])
    source = f'{{read: {{jsonl: {{paths: ["{tmp_path}/one.jsonl"]}}}}}}'
    recipe = f"version: 1\nname: one\nsources: {{a: [{source}]}}\n"
    made(recipe, tmp_path / "run")
    found = run_report(Run.open(tmp_path / "run"))
    assert [(flow.source, flow.records, flow.kept) for flow in found.flows] == [("a", 1, 1)]
    assert found.losses == ()
    assert len(found.lacking) == 4


def test_texts_are_redacted(tmp_path: Path) -> None:
    texts = [f"Please write to {MAIL} or call. Number {n} of the letters." for n in range(4)]
    write_lines(tmp_path / "a.jsonl", [{"text": text, "url": f"http://a.example/?mail={MAIL}"} for text in texts])
    recipe = (
        "version: 1\nname: red\nsources:\n  a:\n"
        f'    - read: {{jsonl: {{paths: ["{tmp_path}/a.jsonl"], url: url}}}}\n'
        "    - rewrite: {pii: {of: [email], language: en}}\n      name: redact\n"
    )
    made(recipe, tmp_path / "run")
    found = run_report(Run.open(tmp_path / "run"))
    assert MAIL not in str(found)
    (changed,) = (own for folder, own in found.documents.items() if "redact" in folder)
    assert {one.place for one in changed} == {"changed"}
    assert all(any(piece.kind == "added" for piece in one.segments) for one in changed)
    assert {name: n for own in found.edits.values() for name, n in own.items()}["pii.email"] >= 4


def test_two_runs_side_by_side(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    curate(sources, tmp_path / "strict", words=160)
    here, there = Run.open(taken_run), Run.open(tmp_path / "strict")
    found = comparison(here, there)
    kept = {row["doc_id"] for batch in here.stage("tokenize").scan(["doc_id"]) for row in batch.to_pylist()}
    others = {row["doc_id"] for batch in there.stage("tokenize").scan(["doc_id"]) for row in batch.to_pylist()}
    assert (found.both, found.here.documents, found.there.documents) == (
        len(kept & others),
        len(kept - others),
        len(others - kept),
    )
    assert found.here.documents > 0
    assert found.here.unread == 0
    assert {reason for reason, _ in found.here.reasons} == {"news-gopher_quality: gopher_quality.words:low"}
    assert {one.doc_id for one in found.here.samples} <= kept - others
    assert found.share == 1


def test_runs_without_a_document_in_common(taken_run: Path, carded: str) -> None:
    with pytest.raises(InputError, match="no document in common"):
        comparison(Run.open(taken_run), Run.open(carded))


def test_a_takedown_is_another_state(taken_run: Path) -> None:
    record = Run.open(taken_run).record
    before = fingerprint(record)
    entry = {"when": "2026-01-01T00:00:00+00:00", "tombstones": 1, "finished": True}
    assert fingerprint(type(record)(**{**vars(record), "takedowns": (entry,)})) != before
