"""The ids that an objective puts between tokens, and what it must know of all tokens, from a tokenizer.json.

A wanted id is that of an added token, where the tokenizer has one of the contents that the objective names. For the
others, ids behind the tokenizer's last one are appended: their contents belong to the tokenizer that is exported.
Words begin with a space in byte-level BPE and SentencePiece's pieces, and without the prefix of a continuation in
WordPiece. Added tokens are words of their own.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from curation.core import storage
from curation.core.errors import InputError
from curation.core.tokenizer_template import model_vocabulary
from curation.tokens.shards import TokenData
from training.batch import Ids, Marks, SpecialIds
from training.config.components import Objective
from training.data.token_bytes import sizes_of_tokens

SPACES = " \t\r\n▁"
CLOSING = ".!?…。！？।\n"  # what ends a sentence …
BEHIND = "\"'”’»)]」）"  # … and what may follow in the same token
_BYTE = re.compile("<0x[0-9A-F]{2}>")  # a piece of SentencePiece that stands for one byte
VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))  # bytes that byte-level BPE writes as such


class ResolvedIds(NamedTuple):
    """The ids of all rows, and the contents of the appended ones: the last ids, in this order."""

    ids: SpecialIds
    appended: tuple[str, ...]


def special_ids(objective: Objective, row: int, data: TokenData) -> ResolvedIds:
    """For rows of L = `row` of the data; the tokenizer is read only if the objective asks for something. Raises
    InputError if it does not show where words begin, or sentences end, and the objective must know."""
    wanted = objective.special(row)
    tables = objective.tables()
    stated = _stated(data.tokenizer_path) if wanted or tables else {}
    added = {token["content"]: int(token["id"]) for token in stated.get("added_tokens", ())}
    named: dict[str, int] = {}
    appended: list[str] = []
    for name, contents in wanted.items():
        known = [added[content] for content in contents if content in added]
        named[name] = known[0] if known else data.vocabulary + len(appended)
        appended += [] if known else contents[:1]
    size = data.vocabulary + len(appended)
    ids = SpecialIds(
        size=size,
        end_of_text=data.end_of_text,
        padding=data.padding,
        named=named,
        begin_of_text=data.begin_of_text,
    )
    ends = [data.end_of_text, data.padding, *([] if data.begin_of_text is None else [data.begin_of_text])]
    special = [*added.values(), *named.values(), *ends]
    made: dict[str, Any] = {}
    for table in tables:
        made[table] = _table(stated, size, _HOLDS[table](stated))
        if not made[table].any():
            raise InputError(
                f"{data.tokenizer_path} does not show {table} of any token, which the objective must know; give it "
                "other options, or tokenize with a tokenizer.json that marks spaces"
            )
        made[table][special] = table == "begins_word"
    return ResolvedIds(replace(ids, **made), tuple(appended))


def _stated(uri: str) -> dict[str, Any]:
    """What a tokenizer.json states; nothing for a model of SentencePiece."""
    content = storage.read_bytes(uri)
    stated: dict[str, Any] = json.loads(content) if content.lstrip().startswith(b"{") else {}
    return stated


def _table(stated: Mapping[str, Any], size: int, holds: Callable[[str], Any]) -> Marks:
    """bool[size]: for which pieces it holds."""
    table = np.zeros(size, bool)
    table[[number for name, number in model_vocabulary(stated).items() if holds(name)]] = True
    return table


def utf8_bytes(data: TokenData, end_of_text: int | None = None) -> Ids | None:
    """int64[V]: the bytes of text that each of the tokenizer's tokens stands for; None where they do not show. See
    `token_bytes`."""
    return sizes_of_tokens(_stated(data.tokenizer_path), data.vocabulary, end_of_text)


def _begins_word(stated: Mapping[str, Any]) -> Callable[[str], Any]:
    model = stated.get("model", {})
    if model.get("type") == "WordPiece":
        return lambda name: not name.startswith(model["continuing_subword_prefix"])
    return re.compile(_one_of(SPACES, stated)).match


def _ends_sentence(stated: Mapping[str, Any]) -> Callable[[str], Any]:
    return re.compile(f"{_one_of(CLOSING, stated)}{_one_of(BEHIND, stated)}*$").search


_HOLDS = {"begins_word": _begins_word, "ends_sentence": _ends_sentence}


def _is_byte_level(stated: Mapping[str, Any]) -> bool:
    return '"ByteLevel"' in json.dumps([stated.get("pre_tokenizer"), stated.get("decoder")])


def _one_of(characters: str, stated: Mapping[str, Any]) -> str:
    """The pattern of one of the characters, as the tokenizer's pieces spell them. Source of the spelling of bytes:
    Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"."""
    if not _is_byte_level(stated):
        return f"[{re.escape(characters)}]"
    hidden = [byte for byte in range(256) if byte not in VISIBLE]
    spelt = {byte: chr(byte) for byte in VISIBLE} | {byte: chr(0x100 + at) for at, byte in enumerate(hidden)}
    words = ("".join(spelt[byte] for byte in character.encode()) for character in characters)
    return f"(?:{'|'.join(map(re.escape, words))})"
