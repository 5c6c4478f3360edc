"""A card of any run that has a sealed stage, the same bytes each time; an error where there is none."""

from pathlib import Path

import pytest

from curation.account.card.croissant import croissant_bytes
from curation.account.card.facts import About, TakedownFacts
from curation.account.card.markdown import markdown
from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.manifest import read_run
from tests.curation.account.cards import copied, edit_json


def test_name_and_version_follow_from_the_run(carded: str) -> None:
    found = Run.open(carded).card()
    last = read_run(carded).stages[-1]
    assert (found.about.name, found.about.version) == ("carded", f"0.0.0+{last.address[:8]}")
    assert Run.open(carded).card(About(name="Mine", version="1.0.0")).about == About(name="Mine", version="1.0.0")


def test_a_run_gives_the_same_bytes_wherever_it_lies(carded: str, tmp_path: Path) -> None:
    other = str(copied(carded, tmp_path / "elsewhere"))
    one = Run.open(carded).card()
    two = Run.open(other).card()
    assert one == two
    assert markdown(one) == markdown(two)
    assert croissant_bytes(one, carded) == croissant_bytes(two, other)


def test_columns_of_the_last_stage(carded: str, untokenized: str) -> None:
    assert Run.open(carded).card().schema["split"] == "string"
    assert "split" not in Run.open(untokenized).card().schema
    assert Run.open(untokenized).card().schema["text"] == "large_string"


def test_a_run_that_is_not_finished(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    entries = [vars(entry) | {"verb": entry.verb.name} for entry in read_run(carded).stages]
    edit_json(run / "run.json", complete=False, stages=entries[:4])
    found = Run.open(run).card()
    assert [stage.name for stage in found.stages] == ["web-read", "web-gopher_quality", "web-unicode", "books-read"]
    assert found.contents.stages == ("web-unicode", "books-read")
    assert not found.complete
    assert "not finished" in markdown(found)


def test_takedowns(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    done = {"when": "2026-02-03T04:05:06Z", "tombstones": 2, "texts": 2, "finished": True, "rows": 9, "files": 7}
    cut_off = {"when": "2026-03-01T00:00:00Z", "tombstones": 1, "texts": 1, "finished": False}
    edit_json(run / "run.json", takedowns=[done, cut_off], tombstones=["a" * 32, "b" * 32, "c" * 32])
    found = Run.open(run).card()
    assert found.takedowns == (TakedownFacts("2026-02-03", 2, 9, 7), TakedownFacts("2026-03-01", 1, None, None))
    assert "| 2026-02-03 | 2 | 9 | 7 |" in markdown(found)
    assert "| 2026-03-01 | 1 | – | – |" in markdown(found)
    assert "Taken down" not in markdown(Run.open(carded).card())


def test_nothing_sealed(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    edit_json(run / "run.json", complete=False, stages=[])
    with pytest.raises(InputError, match="has no sealed stage"):
        Run.open(run).card()
