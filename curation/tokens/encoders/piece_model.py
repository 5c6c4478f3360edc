"""Encodes text with a SentencePiece model file.

The library never produces control symbols from text, but takes user-defined symbols out of the text before anything
else. Those in brackets (<mask>, [SEP]) are special tokens here and become control symbols when the model is loaded; the
others (runs of spaces or line ends, digits) are text, as the model's authors meant them. A text is encoded whole: each
byte takes up to 37 bytes of memory with Unigram and 48 with BPE (7 to 10 GB for a book of 200 MB, 50 million tokens).

Source: Kudo and Richardson 2018, "SentencePiece" (arXiv:1808.06226).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sentencepiece import SentencePieceProcessor
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from curation.core.errors import InputError
from curation.models.piece_file import parsed

SPACE = "▁"
_Piece: Any = ModelProto.SentencePiece
BRACKETS = {"<": ">", "[": "]"}


class PieceModel:
    """A SentencePiece model. Raises InputError for bytes that are none."""

    def __init__(self, content: bytes, uri: str) -> None:
        try:
            model = parsed(content)
        except ValueError as error:
            raise InputError(
                f"{uri} is neither a tokenizer.json nor a SentencePiece model: {error}; give one of the two"
            ) from error
        for piece in model.pieces:
            if piece.type == _Piece.USER_DEFINED and is_bracketed(piece.piece):
                piece.type = _Piece.CONTROL
        try:
            self._processor = SentencePieceProcessor(model_proto=model.SerializeToString())
        except (RuntimeError, TypeError) as error:
            raise InputError(f"{uri} is a damaged SentencePiece model: {error}; copy it again") from error
        self._kinds: list[int] = [piece.type for piece in model.pieces]
        self.names: dict[str, int] = {piece.piece: number for number, piece in enumerate(model.pieces)}
        # Names of the tokens; None if the model has none, whose id is then -1.
        self.begin, self.end, self.padding = (
            model.pieces[number].piece if number >= 0 else None
            for number in (self._processor.bos_id(), self._processor.eos_id(), self._processor.pad_id())
        )

    def ids(self, texts: pa.Array) -> Iterator[npt.NDArray[np.int32]]:
        """Ids of each text, in order, without an end-of-text token; a null counts as empty."""
        for text in texts:
            yield self._processor.encode(text.as_py() or "", return_type="numpy")

    library_ids = ids

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self._processor.decode(list(ids)))

    def special_names(self) -> list[str]:
        """By id."""
        return [name for name, number in self.names.items() if self._kinds[number] == _Piece.CONTROL]

    def tokens(self) -> dict[int, bytes | str]:
        return {number: _token(name, self._kinds[number]) for name, number in self.names.items()}


def is_bracketed(name: str) -> bool:
    return len(name) > 2 and BRACKETS.get(name[0]) == name[-1]


def _token(name: str, kind: int) -> bytes | str:
    if kind == _Piece.BYTE:
        return bytes([int(name[1:-1], 16)])
    if kind in (_Piece.CONTROL, _Piece.UNKNOWN):
        return name
    return "" if kind == _Piece.UNUSED else name.replace(SPACE, " ").encode()
