"""The bytes that a token of a tokenizer.json stands for; its name may write them differently.

Byte-level tokenizers write each byte as one visible character. In others, "▁" may stand for a space, "<0x0A>" for a
byte, and a prefix such as "##" for the continuation of a word, depending on the file's decoder and model.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", for the byte-level alphabet.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from curation.tokens.encoders.pre_tokens import BYTE_NAME

SPACE = "▁"
VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))  # bytes that stand for themselves
_OTHERS = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {chr(0x100 + at): byte for at, byte in enumerate(_OTHERS)}


def to_bytes(name: str) -> bytes | None:
    """The bytes of a byte-level token's name, or None if it has a character that stands for no byte."""
    values = [BYTES.get(character, -1) for character in name]
    return None if -1 in values else bytes(values)


def reader_of(stated: Mapping[str, Any]) -> Callable[[str], bytes]:
    """The function from a token's name to its bytes, for the parsed content of a tokenizer.json."""
    described = json.dumps([stated.get("pre_tokenizer"), stated.get("decoder")], ensure_ascii=False)
    model = stated["model"]
    prefix = model.get("continuing_subword_prefix") or ""

    def in_bytes(name: str) -> bytes:
        spelt = to_bytes(name)
        return name.encode() if spelt is None else spelt

    def in_characters(name: str) -> bytes:
        byte = BYTE_NAME.fullmatch(name) if model.get("byte_fallback") else None
        if byte:
            return bytes([int(byte[1], 16)])
        text = name.removeprefix(prefix) if prefix and len(name) > len(prefix) else name
        return (text.replace(SPACE, " ") if SPACE in described else text).encode()

    return in_bytes if '"ByteLevel"' in described else in_characters
