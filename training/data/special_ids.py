"""The ids that an objective puts between tokens, and what it must know of all tokens, from a tokenizer.json.

A wanted id is that of an added token, where the tokenizer has one of the contents that the objective names. For the
others, ids behind the tokenizer's last one are appended: their contents belong to the tokenizer that is exported.
Words begin with a space in byte-level BPE and SentencePiece's pieces, and without the prefix of a continuation in
WordPiece; `words` finds those of scripts without spaces. Added tokens are words of their own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from curation.core import storage
from curation.core.errors import InputError
from curation.core.token_names import bytes_of_tokens
from curation.core.tokenizer_template import model_vocabulary
from curation.tokens.shards import TokenData
from training.batch import Ids, Marks, SpecialIds
from training.config.components import Objective
from training.data.token_bytes import sizes_of_tokens
from training.objectives.words import UNSPACED

# What ends a sentence, and what may follow it in the same token.
END_OF_SENTENCE = re.compile("[.!?…。！？।\n][\"'”’»)\\]」）]*$")


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
    spelt = bytes_of_tokens(stated) if tables else {}
    texts = [spelt.get(number, b"") for number in range(size)]
    made: dict[str, Any] = {table: _TABLES[table](stated, texts) for table in tables}
    for table, marks in made.items():
        if not marks.any() and not (table == "begins_word" and any(map(_is_unspaced, texts))):
            raise InputError(
                f"{data.tokenizer_path} does not show {table} of any token, which the objective must know; give it "
                "other options, or tokenize with a tokenizer.json that marks spaces"
            )
        marks[special] = table == "begins_word"
    if "begins_word" in tables:
        nothing = dict.fromkeys(special, b"")
        made["texts"] = [nothing.get(number, text) for number, text in enumerate(texts)]
    return ResolvedIds(replace(ids, **made), tuple(appended))


def _stated(uri: str) -> dict[str, Any]:
    """What a tokenizer.json states; nothing for a model of SentencePiece."""
    content = storage.read_bytes(uri)
    stated: dict[str, Any] = json.loads(content) if content.lstrip().startswith(b"{") else {}
    return stated


def utf8_bytes(data: TokenData, end_of_text: int | None = None) -> Ids | None:
    """int64[V]: the bytes of text that each of the tokenizer's tokens stands for; None where they do not show. See
    `token_bytes`."""
    return sizes_of_tokens(_stated(data.tokenizer_path), data.vocabulary, end_of_text)


def _begins_word(stated: Mapping[str, Any], texts: Sequence[bytes]) -> Marks:
    """bool[V]: which tokens begin a word of a script with spaces."""
    model = stated.get("model", {})
    if model.get("type") != "WordPiece":
        return np.array([text[:1].isspace() for text in texts])
    prefix = model["continuing_subword_prefix"]
    begins = np.array([not _is_unspaced(text) for text in texts])
    begins[[number for name, number in model_vocabulary(stated).items() if name.startswith(prefix)]] = False
    return begins


def _ends_sentence(stated: Mapping[str, Any], texts: Sequence[bytes]) -> Marks:
    return np.array([END_OF_SENTENCE.search(text.decode(errors="replace")) is not None for text in texts])


def _is_unspaced(text: bytes) -> bool:
    return UNSPACED.match(text.decode(errors="replace")) is not None


_TABLES = {"begins_word": _begins_word, "ends_sentence": _ends_sentence}
