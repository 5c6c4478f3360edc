"""Turns the merges of a byte-level BPE tokenizer.json into tiktoken's ranks, where both mean the same.

The `tokenizers` library merges the pairs on its list, tiktoken any two neighbours whose bytes together are a token, the
one of lowest rank first. Both end in the same tokens where every token that a merge makes is what its own bytes are
merged into: were two neighbours joined that are no pair on the list, their bytes alone would come to those neighbours
too, and stay there. A list may also hold every pair that makes a token, each token's pairs together: then both
libraries have the same choices. Everything else is refused (`Inexpressible`).

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units" (arXiv:1508.07909).
"""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import tokenizers

from curation.tokens.encoders import byte_level
from curation.tokens.encoders.word_pattern import Inexpressible

Pairs = list[tuple[str, str]]


def ranks(stated: dict[str, Any]) -> tuple[dict[bytes, int], npt.NDArray[np.uint32]]:
    """Of a parsed tokenizer.json: rank by bytes, single bytes first and then in the order of the merges; id by rank."""
    model = stated["model"]
    _check_options(model)
    vocabulary: dict[str, int] = model["vocab"]
    pairs = _pairs(model["merges"])
    made = [name for name, _ in groupby(left + right for left, right in pairs)]
    names = [*byte_level.BYTES, *made]
    if len(set(names)) < len(names):
        raise Inexpressible("its merges make a token twice")
    missing = [name for name in names if name not in vocabulary]
    if missing:
        raise Inexpressible(f"its vocabulary lacks {missing[0]!r}, a byte or what a merge makes")
    whole = bool(model.get("ignore_merges"))
    if whole and len(vocabulary) > len(names):
        raise Inexpressible(f"it takes words whole that no merge makes ({len(vocabulary) - len(names)} tokens)")
    if len(made) < len(pairs):
        _check_complete(set(pairs), made, vocabulary)
    if len(made) == len(pairs) or not whole:
        _check_reached(stated, names)
    written = [byte_level.to_bytes(name) for name in names]
    ids = np.array([vocabulary[name] for name in names], np.uint32)
    return {value: rank for rank, value in enumerate(written) if value is not None}, ids


def _check_options(model: dict[str, Any]) -> None:
    if model.get("type", "BPE") != "BPE" or "merges" not in model:  # older files do not say
        raise Inexpressible(f"its model is {model.get('type', 'another one')}, not BPE")
    # With every byte in the vocabulary nothing is unknown, so the options for what is have no effect.
    for option in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(option):
            raise Inexpressible(f"its model has the option {option}")


def _pairs(merges: Iterable[str | list[str]]) -> Pairs:
    """Older files write a pair as one text with a space, which no name of a byte-level token has."""
    found = [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in merges]
    if any(len(pair) != 2 for pair in found):
        raise Inexpressible("it merges other than pairs")
    return [(pair[0], pair[1]) for pair in found]


def _check_complete(pairs: set[tuple[str, str]], made: list[str], vocabulary: dict[str, int]) -> None:
    for name in made:
        for at in range(1, len(name)):
            left, right = name[:at], name[at:]
            if left in vocabulary and right in vocabulary and (left, right) not in pairs:
                raise Inexpressible(f"it merges some pairs that make {name!r}, but not {left!r} and {right!r}")


def _check_reached(stated: dict[str, Any], names: list[str]) -> None:
    """Every token is what its own bytes are merged into: all of them merged as words of one text."""
    alone = {
        **stated,
        "model": {**stated["model"], "ignore_merges": False},
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "truncation": None,
        "padding": None,
    }
    library = tokenizers.Tokenizer.from_str(json.dumps(alone))
    ids = np.array(library.encode(" ".join(names), add_special_tokens=False).ids)
    expected = np.array([stated["model"]["vocab"][name] for name in names])
    if len(ids) != len(expected) or (ids != expected).any():
        at = int(np.argmin(ids[: len(expected)] == expected[: len(ids)]))
        raise Inexpressible(f"its merges do not lead to its token {names[at]!r}")
