"""The last line of a stopped command: what to paste to go on, where the command goes on at all."""

import signal
import sys
from pathlib import Path

import pytest

from pipelines.how_to_go_on import last_line, typed


@pytest.mark.parametrize(
    ("command", "number", "line"),
    [
        (["train", "demo"], signal.SIGINT, "stopped; what is finished stays. Continue with: bin/winnow train demo"),
        (["train", "demo"], signal.SIGTERM, "stopped; the same command resumes"),
        (["funnel", "runs/a"], signal.SIGINT, "stopped"),
        ([], signal.SIGINT, "stopped"),
    ],
)
def test_last_line(command: list[str], number: int, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "winnow"), *command])
    assert last_line(number) == line


def test_the_program_that_the_shell_finds_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "winnow"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert typed([str(program), "curate", "a b.yaml"]) == "winnow curate 'a b.yaml'"


def test_python_is_named_where_it_ran_a_module() -> None:
    assert typed(["/x/pipelines/cli.py", "plan"]) == f"{sys.executable} -m pipelines.cli plan"
    assert typed(["/x/winnow/__main__.py", "plan"]) == f"{sys.executable} -m winnow plan"


def test_credentials_are_not_repeated() -> None:
    assert "SECRET" not in typed(["/x/winnow", "curate", "r.yaml", "--output", "s3://KEY:SECRET@bucket/run"])
