"""The bytes that a token of a tokenizer.json stands for; its name may write them differently.

Byte-level tokenizers write each byte as one visible character. In others, "▁" may stand for a space, "<0x0A>" for a
byte, and a prefix such as "##" for the continuation of a word, depending on the file's decoder and model. A suffix such
as "</w>" marks the end of a word and stands for no byte. Added tokens are written as text.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", for the byte-level alphabet.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from curation.core.tokenizer_template import model_vocabulary

SPACE = "▁"
BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")
VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))  # bytes that stand for themselves
_OTHERS = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {chr(0x100 + at): byte for at, byte in enumerate(_OTHERS)}


def to_bytes(name: str) -> bytes | None:
    """The bytes of a byte-level token's name, or None if it has a character that stands for no byte."""
    values = [BYTES.get(character, -1) for character in name]
    return None if -1 in values else bytes(values)


def reader_of(stated: Mapping[str, Any]) -> Callable[[str], bytes]:
    """The function from a token's name to its bytes, for the parsed content of a tokenizer.json."""
    described = _described(stated)
    model = stated.get("model", {})
    prefix = model.get("continuing_subword_prefix") or ""
    suffix = model.get("end_of_word_suffix") or ""

    def in_bytes(name: str) -> bytes:
        text = name.removesuffix(suffix)
        spelt = to_bytes(text)
        return text.encode() if spelt is None else spelt

    def in_characters(name: str) -> bytes:
        byte = BYTE_NAME.fullmatch(name) if model.get("byte_fallback") else None
        if byte:
            return bytes([int(byte[1], 16)])
        text = name.removeprefix(prefix) if prefix and len(name) > len(prefix) else name.removesuffix(suffix)
        return (text.replace(SPACE, " ") if SPACE in described else text).encode()

    return in_bytes if '"ByteLevel"' in described else in_characters


def bytes_of_tokens(stated: Mapping[str, Any]) -> dict[int, bytes]:
    """The bytes of every token by its id, those of special tokens too."""
    read = reader_of(stated)
    read_added = str.encode if '"ByteLevel"' in _described(stated) else read
    known = {number: read(name) for name, number in model_vocabulary(stated).items()}
    return known | {token["id"]: read_added(token["content"]) for token in stated.get("added_tokens") or ()}


def _described(stated: Mapping[str, Any]) -> str:
    steps = [stated.get(step) for step in ("normalizer", "pre_tokenizer", "decoder")]
    return json.dumps(steps, ensure_ascii=False)
