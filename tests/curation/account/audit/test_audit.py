"""A planted disparity is found, and none where there is none."""

from pathlib import Path

import pytest

from curation.account.audit.audit import Audit, audit
from curation.core.errors import InputError, UserError
from tests.curation.account.audit.planted import RECIPE, curate, even, page, planted
from tests.curation.account.corpus import curate_sources

KINDS = ("country", "domain", "date", "declared_language")


def findings(report: Audit, side: str = "more") -> set[tuple[str, str, str]]:
    return {(rate.stage, rate.by, rate.group) for rate in report.rates if rate.finding == side}


def test_planted(tmp_path: Path) -> None:
    report = curate(tmp_path, planted()).audit(by=KINDS)
    said = " ".join(report.limits)
    for word in ("fewer than 30", "Holm", "Newcombe", "near-identical", "who wrote it", "not where anyone lives"):
        assert word in said
    gopher = {group for group in findings(report) if group[0] == "gopher"}
    assert gopher == {
        ("gopher", "country", "de"),
        ("gopher", "domain", "red.de"),
        ("gopher", "declared_language", "en"),
    }
    assert findings(report) - gopher >= {("dedup", "declared_language", "fr"), ("", "domain", "red.de")}
    rates = {(rate.stage, rate.by, rate.group): rate for rate in report.rates}
    german = rates["gopher", "country", "de"]
    assert (german.documents, german.dropped, german.rest_documents, german.rest_dropped) == (90, 53, 90, 9)
    assert (german.largest_domain, german.largest_domain_documents) == ("red.de", 60)
    assert (german.rate_elsewhere, german.one_domain) == (0.1, True)
    assert german.reason == "gopher_quality.words:low"
    assert [(one.stage, one.dropped) for one in report.stages] == [("gopher", 62), ("dedup", 39), ("", 101)]
    assert report.comparisons == sum(rate.p is not None for rate in report.rates)
    assert [(one.stage, one.by, one.group) for one in report.disparities] == [
        ("gopher", "domain", "red.de"),
        ("dedup", "declared_language", "fr"),
    ]


def test_even(tmp_path: Path) -> None:
    report = curate(tmp_path, even()).audit(by=KINDS)
    assert report.comparisons >= 4
    assert findings(report) == findings(report, "less") == set()
    assert report.disparities == ()


def test_mentions_and_associations_before_and_after(tmp_path: Path) -> None:
    women = [page(n, f"w{n}.org", text=f"Her mother and wife are lovely wise beautiful {n}") for n in range(40)]
    others = [page(n, f"x{n}.org") for n in range(100, 160)]
    (tmp_path / "own.txt").write_text("wise\n")
    run = curate(tmp_path, [women, others])
    report = run.audit(by=["mention"], attributes=[f"wisdom={tmp_path / 'own.txt'}"])
    assert ("gopher", "mention", "women") in findings(report)
    found = {(one.group, one.theme, one.attribute): one for one in report.associations}
    assert set(found) == {("women", "appearance", "beautiful"), ("women", "wisdom", "wise")}
    wise = found["women", "wisdom", "wise"]
    # 40 texts of one block, and 60 of 31 words; all of the first are dropped.
    assert (wise.before.both, wise.before.group, wise.before.attribute, wise.before.blocks) == (40, 40, 40, 160)
    assert wise.before.npmi == pytest.approx(1.0)
    assert (wise.after.both, wise.after.blocks, wise.after.npmi) == (0, 120, None)


def test_languages(tmp_path: Path) -> None:
    run = curate(tmp_path / "without", planted())
    with pytest.raises(InputError, match="no stage of this run identified languages"):
        run.audit(by=["language"])
    assert "so only declared ones are compared" in run.audit(by=["language", "date"]).limits[0]
    recipe = RECIPE.replace("- filter: {gopher", "- filter: {language: {min_score: 0}}\n    - filter: {gopher")
    report = curate(tmp_path / "with", planted(), recipe).audit(by=["language"])
    assert {rate.by for rate in report.rates} <= {"language"}
    assert "from the stage on that identified them" in report.limits[0]


def test_mistakes(tmp_path: Path) -> None:
    run = curate(tmp_path / "run", planted())
    with pytest.raises(UserError, match=r"--by contry: expected one of language, .* did you mean 'country'"):
        audit(run, by=["contry"])
    (tmp_path / "none.txt").write_text("")
    with pytest.raises(InputError, match="holds no terms"):
        audit(run, terms=[f"x={tmp_path / 'none.txt'}"])
    empty = curate(tmp_path / "empty", [[]])
    with pytest.raises(InputError, match="has no documents"):
        audit(empty)


def test_joined_sources(corpus: Path) -> None:
    run = curate_sources(corpus)
    report = run.audit(by=["length", "domain"])
    named = {one.stage: (one.documents, one.dropped) for one in report.stages}
    for stage in run.stages:
        rows = stage.manifest.total("rows")
        kept = stage.manifest.total("kept")
        assert named.pop(stage.name, None) == ((rows, rows - kept) if rows > kept else None)
    first = sum(stage.manifest.total("rows") for stage in run.stages if stage.verb.begins)
    assert named == {"": (first, first - run.stages[-1].manifest.total("kept"))}
    domains = {rate.group for rate in report.rates if rate.stage == "" and rate.by == "domain"}
    assert domains == {"0.example", "1.example", "2.example"}
