"""The driver of all benchmarks: ours and the peer in turn, a ratio of their rates, and whether they agree."""

import ast
import importlib
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import benchmarks
from benchmarks import datatrove
from benchmarks.__main__ import SUBJECTS, main
from benchmarks.case import Case, DisagreementError, Figures, Timed, apart, drive, measured, package, shown

HOME = Path(benchmarks.__path__[0])


def case(**changes: Any) -> Case:
    """Ours takes a second of a clock that goes on by one each time it is read, the peer says that it took four."""
    clock = itertools.count()
    defaults: dict[str, Any] = {
        "name": "a",
        "amounts": {"MB": 10.0, "documents": 2},
        "ours": lambda: 1,
        "peer": lambda: Timed(1, 4.0),
        "clock": lambda: float(next(clock)),
    }
    return Case(**(defaults | changes))


def test_rates_and_their_ratio() -> None:
    found = measured(case(), 2)
    assert (found.seconds, found.peer_seconds, found.ratio) == (1.0, 4.0, 4.0)
    assert (found.rates, found.peer_rates) == ({"MB": 10.0, "documents": 2.0}, {"MB": 2.5, "documents": 0.5})
    assert measured(case(peer_amounts={"MB": 5.0}), 1).ratio == 8.0  # half of the text in the same time
    assert measured(case(peer=None), 1).ratio is None


def test_both_run_in_turn_after_one_round_of_ours() -> None:
    calls: list[str] = []
    run: Callable[[str], Callable[[], None]] = lambda name: lambda: calls.append(name)  # noqa: E731
    measured(case(ours=run("ours"), peer=run("peer"), peer_rounds=2), 3)
    assert calls == ["ours", "ours", "peer", "ours", "peer", "ours"]


def test_a_result_that_differs_is_told_and_ends_with_status_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def alike(ours: int, theirs: int) -> str:
        if ours != theirs:
            raise DisagreementError(f"{ours} is not {theirs}")
        return "alike"

    assert measured(case(agree=alike), 1).agreement == "alike"
    found = measured(case(agree=alike, ours=lambda: 2), 1)
    assert (found.agrees, found.agreement) == (False, "DISAGREE: 2 is not 1")
    module = type("module", (), {"__doc__": "", "run": lambda _: iter([case(agree=alike, ours=lambda: 2)])})
    monkeypatch.setattr(importlib, "import_module", lambda _: module)
    assert main(["tokens.encode", "--json", str(tmp_path / "figures.json")]) == 1
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["cases"][0]["ratio"] == 4.0
    assert {"numpy", "pyarrow"} <= figures["versions"].keys()
    assert "Python" in figures["machine"]


def test_a_table_has_a_column_for_each_figure_of_any_row(capsys: pytest.CaptureFixture[str]) -> None:
    table = Figures("lost", {"books": {"words": 12_345, "share": 0.123456}, "all": {"share": 2000.4, "why": "long"}})
    figures, agrees = drive(iter([table]), 1, Console(width=100))
    printed = capsys.readouterr().out
    assert agrees
    assert figures["tables"]["lost"] == table.rows
    assert all(word in printed for word in ("12,345", "0.1235", "2,000", "why", "long"))


def test_numbers_apart() -> None:
    assert apart(np.array([1.0, 2.0]), np.array([1.0, 2.5]), 0.5) == "largest difference 5.0e-01"
    for other in (1.6, float("nan")):
        with pytest.raises(DisagreementError, match="more than"):
            apart(np.array([1.0]), np.array([other]), 0.5)
    assert [shown(None), shown(True), shown(1234), shown(0.5)] == ["", "True", "1,234", "0.5"]


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_subject_can_be_asked_for_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert importlib.import_module(SUBJECTS[name]).run
    assert "--rounds" in capsys.readouterr().out


def test_the_readme_names_every_benchmark_and_no_other() -> None:
    named = re.findall(r"python -m benchmarks ([a-z_]+\.[a-z_]+)", (HOME / "README.md").read_text())
    assert set(named) == set(SUBJECTS)


def test_no_benchmark_needs_the_tests_or_what_only_they_need() -> None:
    """`make curate` installs neither."""
    for file in HOME.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        named |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        assert not {name.partition(".")[0] for name in named} & {"tests", "pytest", "hypothesis"}, file


def test_a_function_runs_in_another_environment() -> None:
    python = Path(sys.executable)
    assert datatrove.run(python, "splitters.words", text="a b") == ["a", "b"]
    with pytest.raises(SystemExit, match=r"No module named 'benchmarks\.peers\.nothing'"):
        datatrove.run(python, "nothing.at_all")


def test_what_is_absent_is_told_and_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity.verdicts", "--python", str(tmp_path / "python")]) == 0
    assert "skipped: no python at" in capsys.readouterr().out
    found = measured(case(peer=lambda: package("no_such_peer")), 2)
    assert (found.ratio, found.agreement) == (None, "skipped: no no_such_peer; run `pip install no_such_peer` first")


def test_the_command_line_lists_the_subjects() -> None:
    done = subprocess.run([sys.executable, "-m", "benchmarks", "--help"], capture_output=True, text=True, check=True)
    assert all(name.partition(".")[2] in done.stdout for name in SUBJECTS)
