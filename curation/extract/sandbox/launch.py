"""Starts a child process for a parser, with nothing of the caller's on its search path and pipes of its own.

Ray puts the folder that somebody works in on its workers' search path, in a job also into PYTHONPATH. A file in it must
not be taken for a module, so the child gets winnow and the parser's package by their folders (`start.py`).
"""

import contextlib
import fcntl
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from curation.core.errors import RecipeError, StageError

START = Path(__file__).with_name("start.py")
PIPE_BYTES = 1 << 20  # several pages wait in the pipe while one is parsed


@dataclass(frozen=True)
class Parsing:
    """What the child runs: "module:function", which takes `options` (JSON) and returns str -> str, and its limits. One
    that reads no `markup` returns bytes -> bytes."""

    parser: str
    options: str
    timeout_seconds: float
    memory_mb: int
    markup: bool = True


def check_limits(timeout_seconds: float, memory_mb: int) -> None:
    """Raises RecipeError for limits under which no child works."""
    if not timeout_seconds > 0:
        raise RecipeError(f"timeout_seconds is {timeout_seconds}; it must be above 0")
    if memory_mb < 256:
        raise RecipeError(f"memory_mb is {memory_mb}; a parsing process needs at least 256 MiB to start")


def launch(parsing: Parsing) -> "tuple[subprocess.Popen[bytes], int, int]":
    """A fresh interpreter, the pipe that it reads pages from and the one that it writes replies to. What a library
    prints is no reply: it goes to standard error."""
    packages = {name: _folder_of(name) for name in ("curation", parsing.parser.partition(".")[0])}
    pages, to_child = os.pipe()
    from_child, replies = os.pipe()
    settings = {
        "parser": parsing.parser,
        "options": json.loads(parsing.options),
        "timeout_seconds": parsing.timeout_seconds,
        "memory_mb": parsing.memory_mb,
        "markup": parsing.markup,
        "packages": packages,
        "pages": pages,
        "replies": replies,
    }
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", str(START), json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=(pages, replies),
            cwd="/",
            env={**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(_search_path())},
        )
    except BaseException:
        os.close(to_child)
        os.close(from_child)
        raise
    finally:
        os.close(pages)
        os.close(replies)
    for pipe in (to_child, from_child):
        with contextlib.suppress(OSError, AttributeError):  # a smaller pipe is slower, no more; Linux only
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return process, to_child, from_child


def _folder_of(package: str) -> str:
    """The folder that a package or module, by its first name, was or would be imported from here."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise StageError(f"the parser's package {package} is not installed here")
    package_folder = next(iter(spec.submodule_search_locations or ()), None)
    return str(Path(package_folder or spec.origin or "").parent)


def _search_path() -> list[str]:
    """What PYTHONPATH names, without the working folder, which a job of a Ray cluster adds, and what is relative to
    it."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [folder for folder in named if Path(folder).is_absolute() and Path(folder).resolve() != Path.cwd()]
