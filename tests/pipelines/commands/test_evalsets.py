"""`winnow evalsets`: JSON by field names, tables that say what was found, and one line for a mistake."""

import json
from pathlib import Path

import pytest

from curation.account.evalsets import seen
from tests.curation.account.evalsets import curate, url
from tests.runs import winnow_here
from tests.takedowns import write_training

SEEN = {"whole", "answered", "over", "partly", "documents"}


def test_report(tmp_path: Path) -> None:
    run = curate(tmp_path, action="drop")
    page = tmp_path / "page.html"
    done = winnow_here("evalsets", "report", run, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"run", "complete", "checks"}
    (check,) = found["checks"]
    assert set(check) == {
        *("stages", "method", "action", "n", "min_tokens", "limit", "documents", "matched", "kept", "still", "sets"),
        *("worst", "unchecked"),
    }
    assert set(check["sets"][0]) == {"set", "items", "unchecked", "read", "kept", "packed"}
    assert set(check["sets"][0]["read"]) == SEEN
    assert set(check["worst"][0]) == {
        *("doc_id", "url", "item", "overlap", "whole", "items", "dropped_by", "reason", "packed_rows", "spans"),
        "excerpt",
    }
    shown = winnow_here("evalsets", "report", run, "--html", page)
    assert shown.returncode == 0, shown.stderr
    assert (
        "8 documents read, 3 of them with items; of these, 1 kept to the end, 1 with items left there" in shown.stdout
    )
    assert "⟦A FARMER HAS" in shown.stdout
    assert f"written to {page}" in shown.stdout
    assert "<mark>A FARMER HAS" in page.read_text()


def test_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = curate(tmp_path)
    model = write_training(tmp_path / "model", Path(run), steps=60, sequence_length=64)
    found = json.loads(winnow_here("evalsets", "seen", run, "--item", "sums/0", "--json").stdout)
    assert set(found) == {
        *(
            "run",
            "item",
            "n",
            "found",
            "whole",
            "kept",
            "kept_whole",
            "model",
            "steps",
            "later",
            "unchecked",
            "documents",
        ),
    }
    assert set(found["documents"][0]) == {
        *("doc_id", "url", "source", "whole", "overlap", "stage", "reason", "spans", "excerpt", "tokens", "exact"),
    }
    shown = winnow_here("evalsets", "seen", run, "--item", "sums/0").stdout
    assert "in 3 documents, in 3 of them whole; 2 kept to the end, 2 of these with it whole" in shown
    assert f"{url(5)}  " in shown
    assert "dropped by gopher_quality: gopher_quality.words:low" in shown
    asked = winnow_here("evalsets", "seen", run, "--item", "Two and two", "--model", model)
    assert f"{model}, 60 steps done, has read it in 1 document" in asked.stdout
    assert "not looked up" not in asked.stdout
    monkeypatch.setattr(seen, "CHECKED", 1)
    asked = winnow_here("evalsets", "seen", run, "--item", "sums/0", "--model", model)
    assert "note: 1 kept document with it not looked up: too many" in asked.stdout


def test_validation(tmp_path: Path) -> None:
    run = curate(tmp_path, validation=0.3)
    done = winnow_here("evalsets", "validation", run, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {
        *("run", "n", "documents", "checked", "train_documents", "shared", "near", "near_share", "at_least", "tokens"),
        *("shared_tokens", "passes", "worst"),
    }
    shown = winnow_here("evalsets", "validation", run).stdout
    assert f"{found['documents']} validation documents" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["report", "{run}"], "has no sealed stage that looks for evaluation sets", id="no stage"),
        pytest.param(["report", "{run}", "--html", "page.txt"], "use a name that ends in .html", id="no page"),
        pytest.param(["seen", "{run}", "--item", "sums/0"], "has no evaluation sets", id="an id without sets"),
        pytest.param(["seen", "{run}", "--item", "a b", "--model", "{run}"], "is not a training run", id="no model"),
        pytest.param(["validation", "{run}"], "has no validation documents", id="nothing held out"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    run = curate(tmp_path, found=False)
    done = winnow_here("evalsets", *(argument.replace("{run}", run) for argument in arguments))
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
