"""Sets up datatrove in a virtual environment of its own, with every package at a stated version.

    python -m benchmarks.datatrove [FOLDER]     prints the path of its python; FOLDER is .venv-datatrove

datatrove needs an older trafilatura and another build of fastText than winnow. Besides its extras `io` and `processing`
it needs `lxml_html_clean` (for trafilatura), spaCy (its word splitter for English) and aiohttp (the addresses of its
model files are http, even on this disk). A complete environment is left as it is. If datatrove.txt has changed, it
is brought up to date.
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

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.case import Timed

ROOT = Path(__file__).parents[1]
REQUIREMENTS = Path(__file__).with_name("datatrove.txt")
FOLDER = Path(".venv-datatrove")
_INSTALLED = "installed-requirements.txt"  # a copy beside the packages, written last


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def set_up(folder: Path) -> Path:
    """Installs what is missing and returns the environment's python. Raises CalledProcessError if pip fails."""
    python = python_of(folder)
    installed = folder / _INSTALLED
    wanted = REQUIREMENTS.read_text()
    if python.exists() and installed.exists() and installed.read_text() == wanted:
        return python
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps"]
    subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True, stdout=sys.stderr)
    installed.write_text(wanted)
    return python


def required(python: Path) -> Path:
    """The absolute path of `python`. Raises SystemExit, which says what to run, if there is none."""
    if not python.exists():
        raise SystemExit(f"no python at {python}; run `python -m benchmarks.datatrove` first")
    return python.absolute()


def run(python: Path, module: str, *arguments: object, cache: Path | None = None) -> str:
    """What `benchmarks.<module>` prints when datatrove's python runs it.

    What it downloads or unpacks goes to `cache`, by default to where the libraries usually put it. Raises SystemExit
    without such a python, and with the end of its errors if it fails.
    """
    command = [str(part) for part in (required(python), "-m", f"benchmarks.{module}", *arguments)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache:
        variables |= {
            "HF_ASSETS_CACHE": str(cache / "assets"),
            "TLDEXTRACT_CACHE": str(cache / "suffixes"),
            "TLDEXTRACT_CACHE_TIMEOUT": "1",
        }
    process = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    if process.returncode:
        raise SystemExit(f"datatrove failed:\n{process.stderr[-3000:]}")
    return process.stdout


def timings(python: Path, what: str, texts: pa.Array, *more: pa.Table) -> dict[str, Callable[[], Timed]]:
    """Name -> what gives datatrove's result and CPU seconds over the texts, measured by `benchmarks.parity.timed`."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.parquet") for number in range(1 + len(more))]
        for file, table in zip(files, (pa.table({"text": texts}), *more), strict=True):
            pq.write_table(table, file)
        found = json.loads(run(python, "parity.timed", what, *files).splitlines()[-1])
    return {name: partial(Timed, one.get("result"), one["seconds"]) for name, one in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    print(set_up(parser.parse_args().folder))


if __name__ == "__main__":
    main()
