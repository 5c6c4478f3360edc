"""Sets up datatrove in a virtual environment of its own, and runs parts of it there.

    python -m benchmarks.datatrove [FOLDER]     prints the path of its python; FOLDER is .venv-datatrove

datatrove needs an older trafilatura and another build of fastText than winnow. Besides its extras `io` and `processing`
it needs `lxml_html_clean` (for trafilatura), spaCy (its word splitter for English) and aiohttp (the addresses of its
model files are http, even on this disk). A complete environment is left as it is. If datatrove.txt has changed, it
is brought up to date. What runs there is in `benchmarks/peers`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.case import AbsentError, Timed

ROOT = Path(__file__).parents[1]
REQUIREMENTS = Path(__file__).with_name("datatrove.txt")
FOLDER = Path(".venv-datatrove")
_INSTALLED = "installed-requirements.txt"  # a copy beside the packages, written last


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def set_up(folder: Path, requirements: Path = REQUIREMENTS) -> Path:
    """Installs what is missing and returns the environment's python. Raises CalledProcessError if pip fails."""
    python = python_of(folder)
    installed = folder / _INSTALLED
    wanted = requirements.read_text()
    if python.exists() and installed.exists() and installed.read_text() == wanted:
        return python
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps"]
    subprocess.run([*pip, "-r", str(requirements)], check=True, stdout=sys.stderr)
    installed.write_text(wanted)
    return python


def required(python: Path) -> Path:
    """The absolute path of `python`. Raises AbsentError if there is none."""
    if not python.exists():
        raise AbsentError(f"no python at {python}; run `python -m benchmarks.datatrove` first")
    return python.absolute()


def run(python: Path, name: str, *, cache: Path | None = None, packages: Path | None = None, **options: object) -> Any:
    """What the function `benchmarks.peers.<name>` returns for these options in the environment of `python`.

    What it downloads or unpacks goes to `cache`, by default to where the libraries usually put it. `packages` is a
    folder of packages that it may import besides. Raises AbsentError without such a python, and SystemExit with the end
    of its errors if it fails.
    """
    command = [str(required(python)), "-W", "ignore", "-m", "benchmarks.peers", name, json.dumps(options, default=str)]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, filter(None, (ROOT, packages))))}
    if cache:
        variables |= {
            "HF_ASSETS_CACHE": str(cache / "assets"),
            "TLDEXTRACT_CACHE": str(cache / "suffixes"),
            "TLDEXTRACT_CACHE_TIMEOUT": "1",
        }
    process = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    if process.returncode:
        raise SystemExit(f"{name} failed:\n{process.stderr[-3000:]}")
    return json.loads(process.stdout.splitlines()[-1])


def timings(python: Path, what: str, texts: pa.Array, items: pa.Table | None = None) -> dict[str, Callable[[], Timed]]:
    """Name -> what gives datatrove's result and CPU seconds over the texts, measured by `benchmarks.peers.timed`."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"texts": Path(folder, "texts.parquet")}
        pq.write_table(pa.table({"text": texts}), options["texts"])
        if items is not None:
            options["items"] = Path(folder, "items.parquet")
            pq.write_table(items, options["items"])
        found = run(python, f"timed.{what}", **options)
    return {name: partial(Timed, one.get("result"), one["seconds"]) for name, one in found.items()}


def add_python_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--python", type=Path, default=python_of(FOLDER), help="of an environment with datatrove")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    print(set_up(parser.parse_args().folder))


if __name__ == "__main__":
    main()
