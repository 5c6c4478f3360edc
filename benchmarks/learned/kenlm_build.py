"""Builds KenLM's programs and its Python package from its source distribution.

    python -m benchmarks.learned.kenlm_build [FOLDER]     prints the folder; FOLDER is build/kenlm

It needs cmake, a C++ compiler and Boost; on Debian: `apt-get install cmake g++ libboost-program-options-dev
libboost-system-dev libboost-thread-dev libboost-test-dev zlib1g-dev`. What is complete is left as it is.
"""

import argparse
import subprocess
import sys
import tarfile
from pathlib import Path

from benchmarks.case import AbsentError

VERSION = "0.3.0"
FOLDER = Path("build/kenlm")
PROGRAMS = ("lmplz", "build_binary")


def programs_of(folder: Path) -> Path:
    """The folder of KenLM's programs."""
    return folder / f"kenlm-{VERSION}" / "build" / "bin"


def package_of(folder: Path) -> Path:
    """The folder to import `kenlm` from."""
    return folder / "site"


def set_up(folder: Path) -> None:
    """Build what is missing. Raises CalledProcessError where a step fails."""
    source = folder / f"kenlm-{VERSION}"
    archive = folder / f"{source.name}.tar.gz"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        only_source = ["--no-binary", "kenlm", "--no-deps", "--dest", str(folder)]
        _run(*pip, "download", *only_source, f"kenlm=={VERSION}")
    if not source.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    if not all((programs_of(folder) / name).exists() for name in PROGRAMS):
        _run("cmake", "-S", str(source), "-B", str(source / "build"), "-DCMAKE_BUILD_TYPE=Release")
        _run("cmake", "--build", str(source / "build"), "--target", *PROGRAMS)
    if not package_of(folder).exists():
        _run(*pip, "install", "--no-deps", "--target", str(package_of(folder)), str(archive))


def required(folder: Path) -> Path:
    """`folder` itself. Raises AbsentError where it is not complete."""
    if not package_of(folder).exists() or not (programs_of(folder) / PROGRAMS[0]).exists():
        raise AbsentError(f"no KenLM in {folder}; run `python -m benchmarks.learned.kenlm_build` first")
    return folder


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    set_up(folder)
    print(folder)


if __name__ == "__main__":
    main()
