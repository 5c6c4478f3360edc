"""`winnow card`: two files beside the run or elsewhere, one clear line for a mistake."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curation.core.errors import UserError
from pipelines.cli import app


def card(*arguments: str | Path) -> str:
    """What the command prints, run in this process."""
    done = CliRunner().invoke(app, ["card", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_files_and_summary(finished_run: Path, tmp_path: Path) -> None:
    said = ("--name", "Town pages", "--licence", "CC0-1.0", "--published", "2026-01-31", "--creator", "The town")
    shown = card(finished_run / "run", "--output", tmp_path / "new", *said)
    assert shown.startswith("Town pages: ")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["card.md", "croissant.json"]
    assert "# Town pages" in (tmp_path / "new" / "card.md").read_text()
    made = json.loads((tmp_path / "new" / "croissant.json").read_text())
    assert (made["name"], made["datePublished"], made["creator"]["name"]) == ("Town pages", "2026-01-31", "The town")


def test_json_has_stable_names(finished_run: Path, tmp_path: Path) -> None:
    found = json.loads(card(finished_run / "run", "--output", tmp_path, "--json"))
    assert {"about", "complete", "inputs", "contents", "stages", "tokenizers", "packings", "mixture"} <= set(found)
    assert found["contents"]["total"]["documents"] == found["stages"][-3]["kept"]
    assert found["known_limits"]


def test_a_mistake_writes_nothing(finished_run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="YYYY-MM-DD"):
        card(finished_run / "run", "--output", tmp_path / "new", "--published", "soon")
    with pytest.raises(UserError, match="carbon_intensity is 56; give kg"):
        card(finished_run / "run", "--output", tmp_path / "new", "--country", "FRA", "--carbon-intensity", "56")
    assert not (tmp_path / "new").exists()
