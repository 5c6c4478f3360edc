"""How a module of the benchmarks runs in another environment."""

import sys
from pathlib import Path

import pytest

from benchmarks.parity import environment


def test_what_a_module_prints_is_returned() -> None:
    assert "usage" in environment.run(Path(sys.executable), "parity.environment", "--help")


def test_a_module_that_fails_says_why() -> None:
    with pytest.raises(SystemExit, match=r"No module named benchmarks\.parity\.nothing"):
        environment.run(Path(sys.executable), "parity.nothing")


def test_without_an_environment_the_command_that_makes_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"benchmarks\.parity\.environment` first"):
        environment.run(tmp_path / "python", "parity.child")
