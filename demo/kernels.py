"""Compiles the kernels of a recipe by curating a few pages, in this process, into a folder that is deleted.

    python -m demo.kernels [RECIPE]

`make curate` does this while it crawls, which keeps one core busy: compiling takes 37 s of a core (November 2026), and
a run that needs a kernel which is being compiled waits for that one alone.
"""

import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from demo.crawl import make_crawl
from pipelines.api import Inline, curate

PACKAGES = ("json", "email")  # of Python itself: their pages and those written for the demo pass through every stage


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code. Raises what the recipe raises: a run of it would say the same."""
    recipe = arguments[0] if arguments else "demo"
    with tempfile.TemporaryDirectory() as folder:
        archives = make_crawl(Path(folder, "crawl"), packages=PACKAGES, projects=False, archives=1, processes=1)
        curate(recipe, Path(folder, "run"), inputs=[str(path) for path in archives], executor=Inline())
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))  # which a shell ignores for what runs in the background
    sys.exit(main(sys.argv[1:]))
