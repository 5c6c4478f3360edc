"""tokenizer.json files of byte-level BPE, small, with any pre-tokenizer: what tiktoken may stand in for."""

import json
from functools import cache
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from curation.tokens.encoders import byte_level
from curation.tokens.encoders.encoder_probe import CODE, NUMBERS, PROSE

CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
# Words with one sign before them, up to three digits, signs with the line ends after them, spaces up to the last one.
WORDS_3 = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# Small letters after capitals, marks with letters.
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + CONTRACTION + "?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lo}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Leaves control characters and digits over.
SIGNS = r"[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def byte_level_part(*, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}


def split(regex: str, *, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


def digits(*, individual: bool) -> dict[str, Any]:
    return {"type": "Digits", "individual_digits": individual}


GPT2 = byte_level_part(use_regex=True)
BYTES = byte_level_part(use_regex=False)
PRE_TOKENIZERS = {
    "GPT-2": GPT2,
    "up to three digits": sequence(split(WORDS_3), BYTES),
    "matches kept, the rest removed": sequence(split(WORDS_3, behavior="Removed", invert=True), BYTES),
    "cased": sequence(split(CASED), BYTES),
    "possessive": sequence(split(WORDS_3.replace(r"\p{L}+", r"\p{L}++")), BYTES),
    "single digits": sequence(digits(individual=True), GPT2),
    "runs of digits": sequence(digits(individual=False), GPT2),
    "single digits, then words": sequence(digits(individual=True), split(WORDS_3), BYTES),
    "three digits, Chinese, then signs": sequence(split(r"\p{N}{1,3}"), split("[一-龥ぁ-ヿ]+"), split(SIGNS), BYTES),
    "line ends": sequence({**split(""), "pattern": {"String": "\n"}}, GPT2),
    "rest left over": sequence(split(r"\p{L}+|\s+"), BYTES),
    "rest removed": sequence(split(r"\p{L}+|\s+", behavior="Removed", invert=True), BYTES),
}


@cache
def _fitted() -> str:
    """Merges across every border between words, so that a wrong cut shows in the ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = BYTE_LEVEL
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=3000,
        special_tokens=["<|endoftext|>", "<|padding|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=10,
        show_progress=False,
    )
    text = PROSE + CODE + NUMBERS + PROSE.upper()
    tokenizer.train_from_iterator([text[start : start + 50] for start in range(0, len(text), 7)], trainer)
    return str(tokenizer.to_str())


BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def stated(pre_tokenizer: dict[str, Any] | None = GPT2, **model: Any) -> dict[str, Any]:
    """A parsed tokenizer.json; options of the model as given."""
    found: dict[str, Any] = json.loads(_fitted())
    found["pre_tokenizer"] = pre_tokenizer
    found["model"] |= model
    return found


def content(given: dict[str, Any]) -> bytes:
    return json.dumps(given).encode()


def with_all_pairs(given: dict[str, Any]) -> dict[str, Any]:
    """The same tokens, and as merges every pair of tokens that makes one; words that are tokens are taken whole."""
    model = given["model"]
    ids = {name: at for name, at in model["vocab"].items() if byte_level.to_bytes(name) is not None and at > 1}
    made = ["".join(pair) for pair in model["merges"]]
    pairs = [
        [name[:at], name[at:]] for name in made for at in range(1, len(name)) if name[:at] in ids and name[at:] in ids
    ]
    others = {**model, "vocab": ids, "merges": pairs, "ignore_merges": True}
    return {**given, "model": others}


def renumbered(given: dict[str, Any]) -> dict[str, Any]:
    """The same tokens with their ids the other way round."""
    vocabulary = given["model"]["vocab"]
    last = max(vocabulary.values())
    added = [{**token, "id": last - token["id"]} for token in given["added_tokens"]]
    model = {**given["model"], "vocab": {name: last - number for name, number in vocabulary.items()}}
    return {**given, "added_tokens": added, "model": model}
