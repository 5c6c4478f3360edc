"""Sets up datatrove in a virtual environment of its own, with every package at a stated version.

    python -m benchmarks.parity.environment [FOLDER]     prints the path of its python; FOLDER is .venv-datatrove

Of its own, because datatrove wants an older trafilatura and another build of fastText. Besides its extras `io` and
`processing` it needs `lxml_html_clean` (for trafilatura), spaCy (its word splitter for English) and aiohttp (its model
files have http addresses, wherever they lie). A set-up that is complete is left as it is; after a change of
requirements.txt it is brought up to date.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
FOLDER = Path(".venv-datatrove")
_INSTALLED = "installed-requirements.txt"  # a copy beside the packages, written last


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def set_up(folder: Path) -> Path:
    """The environment's python, once every package is there. Raises CalledProcessError where pip fails."""
    python, installed = python_of(folder), folder / _INSTALLED
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
    """`python` itself. Raises SystemExit that says what to run where there is none."""
    if not python.exists():
        raise SystemExit(f"no python at {python}; run `python -m benchmarks.parity.environment` first")
    return python.absolute()


def run(python: Path, module: str, *arguments: object, cache: Path) -> str:
    """What a module of this folder prints, run by datatrove's python; what it downloads or unpacks goes to `cache`."""
    command = [str(one) for one in (python, "-m", f"benchmarks.parity.{module}", *arguments)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HF_ASSETS_CACHE": str(cache / "assets"),
        "TLDEXTRACT_CACHE": str(cache / "suffixes"),
        "TLDEXTRACT_CACHE_TIMEOUT": "1",
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"datatrove failed:\n{done.stderr[-3000:]}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    print(set_up(parser.parse_args().folder))


if __name__ == "__main__":
    main()
