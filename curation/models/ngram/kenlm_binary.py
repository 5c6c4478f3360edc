"""Scores text with a binary file of KenLM, and makes one with KenLM's `build_binary` where that is installed.

The file's formats (probing, trie, quantized or not) are read by the package `kenlm` alone. Its fastest exact way is one
call of `Model.score` per line, which runs over the line's words in C++; `full_scores` comes back to Python for every
word. The sum of a line is a float32 there.
"""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError, StageError
from curation.core.installation import remedy
from curation.models.ngram.reading import SPECIAL, sentences_of
from curation.models.ngram.scoring import Scores

MAGIC = b"mmap lm http://kheafield.com/code"
BUILDER = "build_binary"
TRIAL = """
import sys
import kenlm
model = kenlm.Model(sys.argv[1])
for line in ("the people of the town have to read and be kind .", "x", "", "a b " * 500, "<unk> qzxv 1 2 3"):
    model.score(line)
"""
_MARKED = [name.encode() for name in SPECIAL]


class KenlmScorer:
    """A binary file of KenLM, mapped into memory."""

    def __init__(self, path: str) -> None:
        """Raises InputError if the package is missing or the file is in an object store, ValueError if it is broken."""
        if storage.in_store(path):
            raise InputError(f"{path} is a binary file of KenLM, which is mapped into memory; copy it to a local disk")
        try:
            kenlm: Any = importlib.import_module("kenlm")
        except ImportError as error:
            raise InputError(
                f"{path} is a binary file of KenLM; run {remedy(['kenlm'])} to read it, or give the model's ARPA file"
            ) from error
        try:
            self._model: Any = kenlm.Model(storage.resolve(path)[1])
        except OSError as error:
            raise ValueError(f"KenLM cannot read it: {str(error).splitlines()[0]}") from error

    def score(self, text: pa.Array | pa.ChunkedArray) -> Scores:
        """The lines of text[N], whose tokens are separated by whitespace."""
        sentences = sentences_of(text)
        content = sentences.data.tobytes().replace(b"\0", b" ")
        score = self._model.score
        bounds = zip(sentences.begins.tolist(), sentences.stops[sentences.ends].tolist(), strict=True)
        logarithms = [score(_unmarked(content[start:stop])) for start, stop in bounds]
        return Scores.of(sentences, np.array(logarithms, np.float64))


def try_out(path: str, *, program: str = TRIAL, seconds: float = 60) -> None:
    """Load a file and score a few lines in a process of its own. Raises ValueError if that dies or does not end: the
    package checks sizes alone, and follows the places in a file wherever they lead."""
    command = [sys.executable, "-I", "-c", program, storage.resolve(path)[1]]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"KenLM does not finish a few lines by it in {seconds:.0f} s") from error
    if done.returncode < 0:
        raise ValueError(f"KenLM dies by it (signal {-done.returncode})")


def build_binary(arpa: str, binary: str) -> bool:
    """Write KenLM's probing model of a local ARPA file; False where `build_binary` is not on PATH. Raises StageError
    if it fails."""
    program = shutil.which(BUILDER)
    if program is None:
        return False
    done = subprocess.run([program, "probing", arpa, binary], capture_output=True, text=True, check=False)
    if done.returncode:
        Path(binary).unlink(missing_ok=True)
        raise StageError(f"{BUILDER} could not read {arpa}", details=done.stderr)
    return True


def _unmarked(line: bytes) -> bytes:
    """The line with tokens that KenLM would take for marks made unknown words."""
    if not any(name in line for name in _MARKED):
        return line
    return b" ".join(_MARKED[0] if token in _MARKED else token for token in line.split())
