"""Writes the lists of datatrove's URL filter to a folder, one entry a line, so that ours reads the same.

PYTHON-OF-DATATROVE -m benchmarks.parity.lists FOLDER
"""

import argparse
from pathlib import Path

from datatrove.pipeline.filters import URLFilter

NAMES = ("block_listed_domains", "block_listed_url", "banned_words", "banned_subwords", "soft_banned_words")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    judge = URLFilter()
    judge.download_data()
    for name in NAMES:
        (folder / f"{name}.txt").write_text("\n".join(sorted(getattr(judge, name))) + "\n")


if __name__ == "__main__":
    main()
