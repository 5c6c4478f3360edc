"""The command line, the clock and the files that all benchmarks share."""

import importlib
import json
from pathlib import Path

import pytest

import benchmarks
from benchmarks.figures import command_line, fastest, show, write_json

HOME = Path(benchmarks.__path__[0])
COMMANDS = sorted(
    ".".join(("benchmarks", *file.relative_to(HOME).with_suffix("").parts))
    for file in HOME.rglob("*.py")
    if "command_line(" in file.read_text() and file.name != "figures.py"
)


@pytest.mark.parametrize("module", COMMANDS)
def test_what_a_benchmark_imports_is_there(module: str) -> None:
    assert importlib.import_module(module).main


def test_help_shows_the_docstring_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command_line("dedup.bloom", "What it measures.\n\n    as it is written").parse_args(["--help"])
    printed = capsys.readouterr().out
    assert "python -m benchmarks.dedup.bloom" in printed
    assert "What it measures.\n\n    as it is written" in printed


def test_a_round_is_over_all_batches() -> None:
    batches: list[str] = []
    fastest(batches.append, ["a", "b"], 2)
    assert batches == ["a", "a", "b", "a", "b"]


def test_figures_are_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show({"rate": 1234.5678}, title="speed", path=tmp_path / "figures.json")
    assert "1,234.57" in capsys.readouterr().out
    assert json.loads((tmp_path / "figures.json").read_text()) == {"rate": 1234.5678}


def test_no_file_is_written_without_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_json({"rate": 1.0}, None)
    assert list(tmp_path.iterdir()) == []
