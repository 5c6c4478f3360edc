"""The bytes of text that a token of a tokenizer.json stands for, whose name may write them otherwise.

A byte-level name has one visible character per byte. Elsewhere "▁" may stand for a space, "<0x0A>" for a byte, and a
prefix such as "##" for a word that goes on; which of them, the file's decoder and model tell.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from curation.tokens.encoders import byte_level
from curation.tokens.encoders.pre_tokens import BYTE_NAME

SPACE = "▁"


def reader_of(stated: Mapping[str, Any]) -> Callable[[str], bytes]:
    """Of a tokenizer.json's content: what gives the bytes that the name of a token stands for."""
    described = json.dumps([stated.get("pre_tokenizer"), stated.get("decoder")], ensure_ascii=False)
    model = stated["model"]
    prefix = model.get("continuing_subword_prefix") or ""

    def in_bytes(name: str) -> bytes:
        spelt = byte_level.to_bytes(name)
        return name.encode() if spelt is None else spelt

    def in_characters(name: str) -> bytes:
        byte = BYTE_NAME.fullmatch(name) if model.get("byte_fallback") else None
        if byte:
            return bytes([int(byte[1], 16)])
        text = name.removeprefix(prefix) if prefix and len(name) > len(prefix) else name
        return (text.replace(SPACE, " ") if SPACE in described else text).encode()

    return in_bytes if '"ByteLevel"' in described else in_characters
