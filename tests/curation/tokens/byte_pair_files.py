"""tokenizer.json files of byte-level BPE, small, with any pre-tokenizer: what tiktoken may stand in for."""

import json
from functools import cache
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from curation.core import token_names
from curation.tokens.encoders import tiktoken_path
from curation.tokens.encoders.encoder_probe import CODE, NUMBERS, PROSE


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
    "GPT-2 as a split": sequence(split(tiktoken_path.GPT2), BYTES),
    "each digit": sequence(split(tiktoken_path.GPT2_EACH), BYTES),
    "three digits": sequence(split(tiktoken_path.GPT2_THREE), BYTES),
    "up to three digits": sequence(split(tiktoken_path.CL100K), BYTES),
    "matches kept, the rest removed": sequence(split(tiktoken_path.CL100K, behavior="Removed", invert=True), BYTES),
    "words, then single digits": sequence(split(tiktoken_path.QWEN), BYTES),
    "cased": sequence(split(tiktoken_path.O200K), BYTES),
    "cased, without contractions": sequence(split(tiktoken_path.TEKKEN), BYTES),
    "single digits": sequence(digits(individual=True), GPT2),
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
    ids = {name: at for name, at in model["vocab"].items() if token_names.to_bytes(name) is not None and at > 1}
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
