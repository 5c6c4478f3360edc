"""Byte-level tokenizers whose files do not say how text is cut into words: their patterns and special tokens, by name.

The names are those of tiktoken and of the models. Ids of special tokens hold for the public file, which is known by the
number of its tokens; any other file gets end-of-text alone, behind its last id.

Sources: tiktoken 0.14, `tiktoken_ext/openai_public.py`; Meta's `llama3/llama/tokenizer.py`; Qwen's
`tokenization_qwen.py` and Qwen2's tokenizer.json; mistral-common, for tekken's pattern.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.core.tokenizer_template import Template, with_template
from curation.tokens.encoders.special_tokens import END_OF_TEXT
from curation.tokens.encoders.tiktoken_path import CL100K, GPT2, O200K, QWEN, TEKKEN

Stated = dict[str, Any]  # of a tokenizer.json


@dataclass(frozen=True)
class NamedPattern:
    """The expression that cuts text, and of the public file: how many tokens it has and its special tokens."""

    pattern: str
    tokens: int = 0
    special: Mapping[str, int] = field(default_factory=dict)
    begin: str | None = None  # before each text
    nfc: bool = False  # text is normalized so


CL100K_SPECIAL = {
    END_OF_TEXT: 100_257,
    "<|fim_prefix|>": 100_258,
    "<|fim_middle|>": 100_259,
    "<|fim_suffix|>": 100_260,
    "<|endofprompt|>": 100_276,
}
PATTERNS = {
    "gpt2": NamedPattern(GPT2, 50_256, {END_OF_TEXT: 50_256}),
    "r50k_base": NamedPattern(GPT2, 50_256, {END_OF_TEXT: 50_256}),
    "p50k_base": NamedPattern(GPT2, 50_280, {END_OF_TEXT: 50_256}),
    "cl100k_base": NamedPattern(CL100K, 100_256, CL100K_SPECIAL),
    "o200k_base": NamedPattern(O200K, 199_998, {END_OF_TEXT: 199_999, "<|endofprompt|>": 200_018}),
    "llama3": NamedPattern(
        CL100K, 128_000, {"<|begin_of_text|>": 128_000, "<|end_of_text|>": 128_001}, "<|begin_of_text|>"
    ),
    "qwen": NamedPattern(
        QWEN, 151_643, {END_OF_TEXT: 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645}, nfc=True
    ),
    "tekken": NamedPattern(TEKKEN),
}


def named(pattern: str) -> NamedPattern:
    """Raises InputError for a name that is not known."""
    if pattern not in PATTERNS:
        raise InputError(f"pattern: there is none named {pattern!r}{nearest(pattern, PATTERNS)}")
    return PATTERNS[pattern]


def byte_level(
    own: NamedPattern,
    vocabulary: Mapping[str, int],
    merges: list[list[str]],
    *,
    whole_words: bool = False,
    prefix_space: bool = False,
) -> Stated:
    """A tokenizer.json with these names of tokens and merges, without special tokens. `whole_words`: a word that is a
    token is not merged from its bytes; `prefix_space`: a text gets a space in front, which only GPT-2's pattern has."""
    cut = {"type": "Split", "pattern": {"Regex": own.pattern}, "behavior": "Isolated", "invert": False}
    spelt = {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True}
    by_gpt2 = {**spelt, "use_regex": True}
    by_cut = {**spelt, "add_prefix_space": False, "use_regex": False}
    model = {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": whole_words,
        "vocab": dict(vocabulary), "merges": merges,
    }  # fmt: skip
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "NFC"} if own.nfc else None,
        "pre_tokenizer": by_gpt2 if own.pattern == GPT2 else {"type": "Sequence", "pretokenizers": [cut, by_cut]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }


def with_special(stated: Stated, ids: Mapping[str, int], begin: str | None) -> Stated:
    """The tokenizer.json with these special tokens, of which `begin` stands before each text. The library numbers those
    that the model does not list by itself, so the model lists them too."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    order = sorted(ids, key=lambda name: ids[name])
    model = {**stated["model"], "vocab": {**stated["model"]["vocab"], **{name: ids[name] for name in order}}}
    tokens = [{"id": ids[name], "content": name, **plain} for name in order]
    made = {**stated, "added_tokens": tokens, "model": model}
    return with_template(made, Template((begin,)), ids) if begin is not None else made
