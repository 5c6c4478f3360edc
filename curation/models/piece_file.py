"""Checks the file of a SentencePiece model before the library uses it.

The library looks up characters in a table of the file, `precompiled_charsmap`, and checks none of its numbers: uint32
the size of a trie, the trie, then texts that end with a zero, by which characters are replaced. The trie is a double
array: unit u at place i has the offset o(u), its children lie at i ^ o(u) ^ byte, and the value of its own text, a
place among the texts, at i ^ o(u).

Source: Kudo and Richardson 2018, "SentencePiece" (arXiv:1808.06226); Yata, "Darts-clone", version 0.32, for the units.
"""

import struct
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

_LEAF = np.uint32(1 << 31)  # a unit that is a value
_HAS_VALUE = np.uint32(1 << 8)
_BLOCK = 256  # places among which the children of a unit lie


def parsed(content: bytes) -> Any:
    """The model's message, with at least one piece. Raises ValueError for bytes that are none, or a damaged one."""
    model: Any = ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise ValueError("it holds no pieces") from error
    if not model.pieces:
        raise ValueError("it holds no pieces")
    if not all(isinstance(piece.piece, str) for piece in model.pieces):
        raise ValueError("a piece is no UTF-8")
    if not isinstance(model.trainer_spec.unk_surface, str):
        raise ValueError("the text of its unknown piece is no UTF-8")
    if not all(abs(piece.score) < np.inf for piece in model.pieces):
        raise ValueError("the score of a piece is no number")
    for spec in (model.normalizer_spec, model.denormalizer_spec):
        if spec.precompiled_charsmap:
            _check_characters(spec.precompiled_charsmap)
    return model


def _check_characters(table: bytes) -> None:
    """Raises ValueError for a table of characters whose trie leads out of it, or out of its texts."""
    size = struct.unpack_from("<I", table)[0] if len(table) > 4 else 0
    texts = table[4 + size :]
    if not size or size % (4 * _BLOCK) or not texts or texts[-1]:
        raise ValueError("its table of characters is damaged")
    units = np.frombuffer(table, "<u4", size // 4, 4)
    nodes = units & _LEAF == 0
    offsets = (units >> np.uint32(10)) << ((units & np.uint32(1 << 9)) >> np.uint32(6))
    bases = np.arange(len(units), dtype=np.uint32) ^ offsets
    valued = nodes & (units & _HAS_VALUE != 0)
    if np.any(bases[nodes] >= len(units)) or np.any(units[bases[valued]] & ~_LEAF >= len(texts)):
        raise ValueError("its table of characters leads out of itself")
