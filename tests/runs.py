"""Whole runs for tests: the command line as a user calls it, in a process of its own or in the test's."""

import hashlib
import io
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from tests.crawl import make_archives

RECIPE = """
version: 1
name: small
shards: {group_mb: 0}
sources:
  web:
    - read: {warc: {paths: ["%s/*.warc.gz"]}}
    - extract: {resiliparse: {}}
    - filter: {language: {languages: [en]}}
    - filter: {gopher_quality: {}, gopher_repetition: {}}
      name: gopher
    - dedup: {exact: {}}
    - fit: {tokenizer: {vocab_size: 512}}
    - tokenize: {tokenizer: "@tokenizer", validation: 0.1}
    - pack: {sequence_length: 64}
    - mix: {}
"""

ENVIRONMENT = {
    **os.environ,
    "RAY_USAGE_STATS_ENABLED": "0",
    "PYTHONWARNINGS": "ignore",
    "COLUMNS": "120",
}


def hear_sigint() -> None:
    """Before a command is run: a shell's background job ignores SIGINT, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


COMMAND = [sys.executable, "-m", "pipelines.cli"]


def write_recipe(folder: Path, *, archives: int = 3, pages: int = 40) -> Path:
    """A crawl and a recipe that reads it, in `folder`."""
    make_archives(folder / "crawl", archives=archives, pages=pages)
    path = folder / "small.yaml"
    path.write_text(RECIPE % (folder / "crawl"))
    return path


def winnow(*arguments: str | Path, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Runs the command in a process of its own and returns what it printed and its exit code."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=cwd, timeout=300, check=False)


def winnow_here(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Runs the command in this process, which saves seconds of imports. Only for commands that do not start Ray."""
    from pipelines.cli import main  # here, because Python 3.12's test environment lacks its imports

    out = io.StringIO()
    err = io.StringIO()
    answer = signal.getsignal(signal.SIGTERM)
    given = ["winnow", *map(str, arguments)]
    try:
        with patch.object(sys, "argv", given), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        return subprocess.CompletedProcess(given, int(end.code or 0), out.getvalue(), err.getvalue())
    finally:
        signal.signal(signal.SIGTERM, answer)
    raise AssertionError("the command line leaves with an exit code")


def python(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs a script in a process of its own, at the project's root."""
    command = [sys.executable, "-c", script, *arguments]
    root = Path(__file__).resolve().parents[1]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=root, timeout=300, check=False)


def data_hashes(run: Path) -> dict[str, str]:
    """SHA-256 of every file that holds decisions or tokens: stage parts, token shards, assets and the mix index."""
    kinds = (".parquet", ".bin", ".idx", ".arrow", ".arpa", "tokenizer.json", "quantiles.json", "index.json")
    commits = "group-*.arrow"  # which say how long each unit took
    files = sorted(p for p in run.rglob("*") if p.is_file() and p.name.endswith(kinds) and not p.match(commits))
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
