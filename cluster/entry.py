"""Runs first in a job, on the head of the Ray cluster: checks that it has the winnow that submitted the job.

The file travels with the job and runs where winnow may be missing, so it imports only the standard library.
"""

import hashlib
import os
import socket
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

FACE = "winnow"
ROOMS = ("cluster", "curation", "pipelines", "training", FACE)
DISTRIBUTION = "winnow-corpus"  # as in curation/core/installation.py


def identity() -> str:
    """ "<version>, code <hash8>" of the winnow that this process would import; "" if there is none.

    The hash covers every source file, because many builds between two releases have the same version.
    """
    spec = find_spec(FACE)
    if spec is None or not spec.origin:
        return ""
    root = Path(spec.origin).parents[1]  # where winnow finds the others, whatever else has their names
    digest = hashlib.sha256()
    for folder in (root / room for room in ROOMS):
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    try:
        return f"{version(DISTRIBUTION)}, code {digest.hexdigest()[:8]}"
    except PackageNotFoundError:
        return f"no version, code {digest.hexdigest()[:8]}"


def mistake(expected: str) -> str:
    """Why this node cannot run a job that was submitted with the winnow `expected`; "" if it can."""
    here = f"the head {socket.gethostname()} ({sys.executable})"
    own = identity()
    remedy = (
        "install the same wheel on every node (`make wheel`), or submit it with the job: winnow submit --wheel FILE"
    )
    if not own:
        return f"{here} has no winnow; {remedy}"
    if expected and own != expected:
        return f"{here} has winnow {own}; the job was submitted with {expected}; {remedy}"
    return ""


def main(expected: str, *command: str) -> None:
    """Becomes the command `winnow …`, in the same process: a signal for the job is a signal for the command."""
    wrong = mistake(expected)
    if wrong:
        sys.stderr.write(f"error: {wrong}\n")
        sys.exit(2)
    os.execv(sys.executable, [sys.executable, "-m", "winnow", *command])


if __name__ == "__main__":
    main(*sys.argv[1:])
