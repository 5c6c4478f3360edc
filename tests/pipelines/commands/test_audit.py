"""`winnow audit`: JSON by field names, and one clear line for a mistake."""

import json
from pathlib import Path

import pytest

from tests.runs import winnow_here

RATE = {
    *("stage", "by", "group", "documents", "dropped", "rate", "rest_documents", "rest_dropped", "rest_rate"),
    *("difference", "low", "high", "ratio", "ratio_at_equal_length", "excess", "p", "p_corrected", "finding", "reason"),
    *("design_effect", "rest_design_effect"),
    *("reason_documents", "reasons", "largest_domain", "largest_domain_documents", "rate_elsewhere", "one_domain"),
}


def test_json_has_stable_names(finished_run: Path) -> None:
    done = winnow_here("audit", finished_run / "run", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {
        *("run", "by", "comparisons", "level", "stages", "rates", "disparities", "associations", "limits"),
    }
    assert found["by"][:2] == ["language", "declared_language"]
    assert set(found["rates"][0]) == RATE
    funnel = {
        line["name"]: line
        for line in json.loads(winnow_here("funnel", finished_run / "run", "--json").stdout)["stages"]
    }
    for stage in found["stages"][:-1]:
        line = funnel[stage["stage"]]
        assert (stage["documents"], stage["dropped"]) == (line["rows"], line["rows"] - line["kept"])
        lengths = [rate for rate in found["rates"] if rate["stage"] == stage["stage"] and rate["by"] == "date"]
        assert sum(rate["documents"] for rate in lengths) in (0, line["rows"])


def test_kinds_and_files(finished_run: Path, tmp_path: Path) -> None:
    (tmp_path / "town.txt").write_text("town\nvillage\n")
    given = (
        "--by",
        "mention",
        "--terms",
        f"towns={tmp_path / 'town.txt'}",
        "--attributes",
        f"of={tmp_path / 'town.txt'}",
    )
    done = winnow_here("audit", finished_run / "run", *given, "--json")
    assert done.returncode == 0, done.stderr
    assert {rate["by"] for rate in json.loads(done.stdout)["rates"]} <= {"mention"}
    shown = winnow_here("audit", finished_run / "run", "--by", "date")
    assert "limits of the method" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--by", "sort"], "--by sort: expected one of", id="no such kind"),
        pytest.param(["--terms", "a=/no/such/file"], "no list of terms at /no/such/file", id="no such file"),
        pytest.param(["--terms", "a"], "expected NAME=FILE", id="no name"),
        pytest.param(["--clean", "x", "--by", "date"], "leave out --by", id="two questions"),
    ],
)
def test_mistakes_are_one_line(finished_run: Path, arguments: list[str], said: str) -> None:
    done = winnow_here("audit", finished_run / "run", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
