"""Ids that a tokenizer's file sets apart as special tokens, so that no text becomes one of them.

The token for unknown text is not among them, because text does become it.
"""

import json
from typing import Any

from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from curation.core import storage
from curation.core.errors import InputError
from curation.models.piece_file import parsed
from curation.tokens.encoders.load_tokenizer import parse
from curation.tokens.encoders.piece_model import is_bracketed

_Piece: Any = ModelProto.SentencePiece


def never_text(content: bytes) -> tuple[int, ...]:
    """Ascending ids, of a tokenizer.json or a SentencePiece model; none for a file of another kind."""
    if content.lstrip().startswith(b"{"):
        return _of_json(json.loads(content))
    try:
        pieces = parsed(content).pieces
    except ValueError:
        return ()
    return tuple(
        number
        for number, piece in enumerate(pieces)
        if piece.type == _Piece.CONTROL or (piece.type == _Piece.USER_DEFINED and is_bracketed(piece.piece))
    )


def never_text_in(uri: str) -> tuple[int, ...]:
    """The same of the file that lies beside token shards; none for one that is missing or damaged."""
    try:
        content = storage.read_bytes(uri)
        parse(content, uri)
    except InputError:
        return ()
    return never_text(content)


def _of_json(stated: dict[str, Any]) -> tuple[int, ...]:
    model = stated.get("model") or {}
    unknown = model.get("unk_token")
    added = stated.get("added_tokens") or ()
    special = {token["id"] for token in added if token.get("special") and token["content"] != unknown}
    return tuple(sorted(special - {model.get("unk_id")}))
