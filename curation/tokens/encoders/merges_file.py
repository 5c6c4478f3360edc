"""Reads `vocab.json` and `merges.txt`, the two files of a byte-level BPE, as GPT-2 and many since have them.

They become a tokenizer.json with the same ids. Text is cut as by GPT-2, or as by the model whose class
tokenizer_config.json names. Special tokens are names in brackets that no merge makes, and those that the config adds.
"""

from typing import Any

from curation.core.errors import InputError
from curation.core.json_files import parse_json
from curation.tokens.encoders.named_patterns import Stated, byte_level, named, with_special
from curation.tokens.encoders.tiktoken_path import GPT2
from curation.tokens.encoders.tokenizer_settings import TokenizerSettings

CLASSES = {"Qwen2Tokenizer": "qwen"}  # class of transformers -> pattern, where it is not GPT-2's
AROUND = {"RobertaTokenizer": ("<s>", "</s>"), "BartTokenizer": ("<s>", "</s>")}  # around each text
BRACKETS = {"<": ">", "[": "]"}


def stated_by_merges(vocabulary: bytes, merges: bytes, uri: str, pattern: str, beside: TokenizerSettings) -> Stated:
    """The tokenizer.json; `uri` names the two in messages. Raises InputError for files that do not fit together, and
    for words with a mark at their end, which are cut in a way of their own."""
    names = _vocabulary(vocabulary, uri)
    pairs = _pairs(merges, uri)
    made = {"".join(pair) for pair in pairs}
    if any(name.endswith("</w>") for name in made):
        raise InputError(
            f"{uri} marks the ends of words by </w>, which is no byte-level BPE; save it as tokenizer.json"
        )
    if missing := sorted({piece for pair in pairs for piece in (*pair, "".join(pair))} - names.keys()):
        raise InputError(f"{uri}: merges.txt has {missing[0]!r}, which vocab.json lacks; the two are not of one model")
    special = {name: number for name, number in names.items() if name not in made and _is_bracketed(name)}
    special |= beside.added
    plain = {name: number for name, number in names.items() if name not in special}
    if beside.prefix_space and named(pattern).pattern != GPT2:
        raise InputError(f"{uri}: by tokenizer_config.json a space is put before a text, which only pattern: gpt2 has")
    stated = byte_level(named(pattern), plain, pairs, prefix_space=beside.prefix_space)
    begin = beside.begin if isinstance(beside.begin, str) else AROUND.get(beside.kind, (None,))[0]
    return with_special(stated, special, begin if beside.adds_begin and begin in special else None)


def _vocabulary(content: bytes, uri: str) -> dict[str, int]:
    try:
        found: Any = parse_json(content)
    except ValueError as error:
        raise InputError(f"{uri}: vocab.json cannot be read: {error}") from error
    if not isinstance(found, dict) or not found or not all(type(one) is int and one >= 0 for one in found.values()):
        raise InputError(f"{uri}: vocab.json has no tokens with their ids; give the one beside merges.txt")
    return found


def _pairs(content: bytes, uri: str) -> list[list[str]]:
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{uri}: merges.txt is no UTF-8: {error}") from error
    pairs = []
    for number, line in enumerate(lines, 1):
        pair = line.rstrip("\r").split(" ")
        if pair == [""] or (number == 1 and line.startswith("#version")):
            continue
        if len(pair) != 2 or not all(pair):
            raise InputError(f"{uri}: line {number:,} of merges.txt is no pair of tokens with a space between")
        pairs.append(pair)
    return pairs


def _is_bracketed(name: str) -> bool:
    return len(name) > 2 and BRACKETS.get(name[0]) == name[-1]
