"""Runs a sequence classifier over texts, such that a text's outputs depend on nothing but the text.

Kernels of matrix products differ by the shape of their arrays, so a text in batches of other shapes gives other last
bits: padded to its neighbours' length, a text's score differed by up to 1e-5 from its own. On a processor a text is
therefore run alone and without padding. That is exact by construction, and costs little: one text fills the matrix
products of a core. On a GPU the shape of a text's batch follows from the text's own length, rounded up to a multiple of
`step` tokens; the texts of one length are run in batches of always the same number of rows, of which the last ones are
filled, and padding is masked. That is exact as far as a kernel treats all rows of an array alike, which the tests ask
where there is a GPU. (Kernels of a processor do not for a few rows: three outputs of 5 rows differed by 5e-7.)

Of a text, the first READ bytes for each token of the limit are read at all, then the first `max_tokens` tokens, those
included that the tokenizer adds. N texts, L outputs.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError
from curation.models.sequence_classifier.described_weights import check_weights
from curation.models.sequence_classifier.folder import Model, Output, SequenceClassifier, opened

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

READ = 64  # bytes of text for a token; some 5 are usual
_FILLER = 1  # rows that are never a text's: with no padding at all in a batch, another kernel might run


@dataclass(frozen=True)
class Batching:
    """Lengths are multiples of `step`; a batch has as many rows as make `tokens`, at least one."""

    step: int
    tokens: int

    def length(self, tokens: int, most: int) -> int:
        """Of the batch that a text of so many tokens is in."""
        return min(-(-tokens // self.step) * self.step, most)

    def rows(self, length: int) -> int:
        """Of texts and filler in a batch; 1 without filler."""
        return max(1, self.tokens // length)


ALONE = Batching(1, 1)
ON_GPU = Batching(64, 1 << 14)


class SequenceScorer:
    """The model on a device. Raises InputError if it cannot be loaded."""

    def __init__(self, classifier: SequenceClassifier, *, gpu: bool, batching: Batching | None = None) -> None:
        self._batching = batching or (ON_GPU if gpu else ALONE)
        self._model, self._tokenizer = _loaded(classifier, gpu=gpu)
        self.labels = classifier.labels
        self._output = classifier.output
        self._padding = self._tokenizer.pad_token_id
        if self._padding is None and self._batching != ALONE:
            raise InputError(f"the tokenizer in {classifier.folder} has no padding token, which a GPU's batches need")
        if self._model.config.pad_token_id is None:
            self._model.config.pad_token_id = self._padding
        self.device = str(self._model.device)
        self.tokens = 0  # run so far, without padding

    def outputs(self, array: pa.Array, max_tokens: int, *, raw: bool = False) -> Floats:
        """float64[N, L] of text[N]: probabilities or, with `raw` and of a regression, the model's numbers. NaN for a
        text without a token."""
        encoded = self._encoded(array, max_tokens)
        added = self._tokenizer.num_special_tokens_to_add(pair=False)
        sizes = np.array([len(ids) for ids in encoded["input_ids"]], np.int64)
        lengths = np.array([self._batching.length(size, max_tokens) for size in sizes], np.int64)
        outputs = np.full((len(sizes), len(self.labels)), np.nan)
        with _one_thread():
            for length in np.unique(lengths[sizes > added]).tolist():
                rows = np.flatnonzero((lengths == length) & (sizes > added))
                step = max(1, self._batching.rows(length) - _FILLER)
                for first in range(0, len(rows), step):
                    own = rows[first : first + step]
                    outputs[own] = self._run(encoded, own, length)
        self.tokens += int(sizes[sizes > added].sum())
        return outputs if raw else _finished(outputs, self._output)

    def _encoded(self, array: pa.Array, max_tokens: int) -> Mapping[str, list[list[int]]]:
        """The tokenizer's lists by name of input, each [N][tokens]."""
        if not len(array):
            return {"input_ids": []}
        binary = array.cast(pa.large_string()).view(pa.large_binary())
        starts = pc.binary_slice(pc.fill_null(binary, b""), 0, READ * max_tokens).to_pylist()
        texts = [start.decode("utf-8", "replace") for start in starts]
        encoded: Mapping[str, list[list[int]]] = self._tokenizer(
            texts, truncation=True, max_length=max_tokens, verbose=False
        )
        return encoded

    def _run(self, encoded: Mapping[str, list[list[int]]], own: Ints, length: int) -> Floats:
        """float64[len(own), L]: the model's numbers for a batch; rows after the texts' hold one token."""
        import torch

        count = self._batching.rows(length)
        inputs: dict[str, Any] = {}
        for name, lists in encoded.items():
            values = np.zeros((count, length), np.int64)
            if name == "input_ids" and self._padding is not None:
                values[:] = self._padding
            for row in range(count):
                ids = lists[own[row]] if row < len(own) else lists[own[0]][:1]
                values[row, : len(ids)] = ids
            inputs[name] = torch.from_numpy(values).to(self._model.device)
        with torch.inference_mode():
            logits = self._model(**inputs).logits
        numbers: Floats = logits[: len(own)].float().cpu().numpy().astype(np.float64)
        return numbers


@lru_cache(maxsize=2)
def load(model: Model, *, gpu: bool) -> SequenceScorer:
    """Loaded once per process."""
    return SequenceScorer(opened(model), gpu=gpu)


def _loaded(classifier: SequenceClassifier, *, gpu: bool) -> tuple[Any, Any]:
    """The model and its tokenizer. Nothing is looked for outside the folder."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # is read once, when the library is imported
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils import logging

    if gpu and not torch.cuda.is_available():
        raise InputError("num_gpus asks for a GPU, and PyTorch finds none on this node; set num_gpus: 0")
    output: Any = logging
    output.disable_progress_bar()
    output.set_verbosity_error()
    place: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    folder = str(classifier.folder)
    try:
        check_weights(
            AutoConfig.from_pretrained(folder, **place), AutoModelForSequenceClassification, classifier.weights
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, **place)
        model, report = AutoModelForSequenceClassification.from_pretrained(
            folder,
            dtype=torch.bfloat16 if gpu else torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            **place,
        )
    except InputError:
        raise
    except Exception as error:  # of any kind, by what is wrong in the folder
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{folder} cannot be loaded by transformers: {reason}") from error
    missing = sorted(report["missing_keys"]) + sorted(map(str, report["mismatched_keys"]))
    if missing:
        raise InputError(
            f"{folder} lacks {len(missing)} of the weights of a {classifier.architecture}, such as {missing[0]}; give "
            "the folder of a model that was trained to classify"
        )
    return model.eval().to("cuda" if gpu else "cpu"), tokenizer


@contextmanager
def _one_thread() -> Iterator[None]:
    """The engine gives a task one core, and sums that threads share out are rounded otherwise."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _finished(numbers: Floats, output: Output) -> Floats:
    """float64[N, L] of the model's numbers."""
    if output == "value":
        return numbers
    if output == "sigmoid":
        return np.asarray(np.exp(-np.logaddexp(0, -numbers)))
    powers = np.exp(numbers - numbers.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
