"""Trains supervised fastText models so that the same examples give the same bytes.

fastText 0.9.3 takes memory for its weights without clearing it. Thread i then sets the i-th tenth of them, so with
fewer than 11 threads (19 for the smallest models) some weights are whatever the memory held: one thread often ends with
"Encountered NaN". Several threads race, and give other weights each time. So training runs with one thread in a process
of its own, in which the C library (glibc) clears all memory that it hands out: nine tenths of the weights begin with 0,
the first tenth, those of the most frequent words, at random.

Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759).
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from curation.core.errors import InputError

CLEARED = {"MALLOC_PERTURB_": "255"}  # glibc fills memory with the complement of this byte
PREFIX = b"__label__"
END = b"</s>"
_BLANKS = bytes.maketrans(b"\n\r\v\f\0", b"     ")  # a line is one example; these are fastText's other blanks
_CHILD = """
import sys, fasttext
options = (option.split("=") for option in sys.argv[3:])
numbers = {name: float(value) if name == "lr" else int(value) for name, value in options}
fasttext.train_supervised(sys.argv[1], thread=1, verbose=0, **numbers).save_model(sys.argv[2])
"""


def train(examples: Iterable[tuple[pa.Array, pa.Array]], **options: int | float) -> bytes:
    """The model, from arrays of normalized text[N] and string[N] labels, by these options of fastText's.

    Words that fastText would take for a label or for the end of an example lose a character. Raises InputError for a
    label with a space, and where fastText finds nothing to learn.
    """
    with TemporaryDirectory(prefix="winnow-fasttext-") as folder:
        lines = Path(folder, "examples.txt")
        model = Path(folder, "model.bin")
        with lines.open("wb") as file:
            for texts, labels in examples:
                for text, label in zip(texts.cast(pa.large_binary()).to_pylist(), labels.to_pylist(), strict=True):
                    file.write(b"%b%b %b\n" % (PREFIX, _name(label), one_line(text)))
        numbers = [f"{name}={value}" for name, value in options.items()]
        command = [sys.executable, "-c", _CHILD, str(lines), str(model), *numbers]
        done = subprocess.run(command, env=os.environ | CLEARED, capture_output=True, text=True, check=False)
        if done.returncode:
            cause = (done.stderr.strip().splitlines() or [f"it ended with exit code {done.returncode}"])[-1]
            raise InputError(f"fastText could not learn from the examples: {cause}")
        return model.read_bytes()


def one_line(text: bytes) -> bytes:
    """The text with spaces for what ends a line, and without fastText's own marks."""
    return text.translate(_BLANKS).replace(PREFIX, PREFIX[1:]).replace(END, END[1:])


def _name(label: str) -> bytes:
    if not label or label.split() != [label]:
        raise InputError(f"the label {label!r} is empty or has a space in it, which fastText cannot learn; rename it")
    return label.encode()
