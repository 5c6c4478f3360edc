"""The texts that encoding and packing are timed on: files of a folder, or generated ones."""

from pathlib import Path

import numpy as np

from benchmarks import data

TEXT_BYTES = 6_000_000
ROWS_OF_TEXT = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


def generated_text(seed: int = 0) -> list[str]:
    """Documents of made-up words whose frequencies fall as in natural text (Zipf)."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    vocabulary = ["".join(rng.choice(letters, rng.integers(1, 11), p=_zipf(26))) for _ in range(30_000)]
    words = np.array(vocabulary)[rng.choice(len(vocabulary), TEXT_BYTES // 6, p=_zipf(len(vocabulary)))]
    return [" ".join(words[start : start + 600]) + "." for start in range(0, len(words), 600)]


def _zipf(count: int) -> "np.typing.NDArray[np.float64]":
    weights = 1.0 / np.arange(1, count + 1)
    shares: np.typing.NDArray[np.float64] = weights / weights.sum()
    return shares


def texts_of(folder: Path | None) -> dict[str, list[str]]:
    """File -> its texts: the rows of JSON lines and Parquet, any other file as one; without a folder, generated."""
    if folder is None:
        return {"generated": generated_text()}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.name: data.texts_in([path]).to_pylist()
        if path.name.endswith(ROWS_OF_TEXT)
        else [path.read_text(errors="replace")]
        for path in files
    }
