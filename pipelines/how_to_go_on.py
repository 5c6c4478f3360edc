"""The line that a stopped command leaves: what was typed, as one can paste it to go on."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from curation.core.credentials import masked
from pipelines.ending import LAST_LINE

RESUMING = ("annotate", "curate", "takedown", "train")  # commands that go on where they were stopped


def last_line(number: int) -> str:
    """The last line of the command that the signal `number` has ended. A person who pressed Ctrl-C gets the command; a
    program that sent SIGTERM, such as a scheduler, has its own."""
    if sys.argv[1:2] and sys.argv[1] in RESUMING:
        if number == signal.SIGINT:
            return f"{LAST_LINE}; what is finished stays. Continue with: {typed(sys.argv)}"
        return f"{LAST_LINE}; the same command resumes"
    return LAST_LINE


def typed(arguments: Sequence[str]) -> str:
    """The command line as a shell reads it. The program is `winnow` where the shell finds this one by that name."""
    return masked(shlex.join([*_program(Path(arguments[0])), *arguments[1:]]))


def _program(path: Path) -> list[str]:
    if path.suffix == ".py":
        return [sys.executable, "-m", "winnow" if path.stem == "__main__" else "pipelines.cli"]
    found = shutil.which(path.name)
    if found is not None and path.exists() and path.samefile(found):
        return [path.name]
    return [os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)]
