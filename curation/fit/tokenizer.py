"""Fits a tokenizer.json: byte-level BPE or, on characters, BPE, WordPiece or Unigram.

    - fit: {tokenizer: {vocab_size: 65536, split_digits: three, reserved_tokens: 64}}
    - tokenize: {tokenizer: "@tokenizer"}

The alphabet of `byte_bpe` has every byte, so every text can be encoded and decodes to itself. The other models know the
characters that make up `character_coverage` of the text. `bpe` and `unigram` spell other characters in bytes, so they
too give every text back; in `wordpiece`, and without `byte_fallback`, such characters become <|unknown|>. Normalized
text decodes to its normalized form. Special tokens come first (ids 0, 1, …) and are never produced from text: a page
that spells out "<|endoftext|>" is encoded as those characters. A small sample gives fewer tokens than `vocab_size`.

Training gives the same bytes for any number of threads. Unigram is learned by SentencePiece's trainer on one thread,
because that of `tokenizers` gives another vocabulary each time.

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units" (arXiv:1508.07909);
byte-level alphabet and word pattern of Radford et al. 2019, "Language Models are Unsupervised Multitask Learners";
Schuster and Nakajima 2012, "Japanese and Korean Voice Search" (WordPiece); Kudo 2018, "Subword Regularization"
(arXiv:1804.10959, Unigram).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Learns
from curation.fit.sample.shares import Sampled
from curation.fit.vocabulary import character_models
from curation.tokens.encoders import pre_tokens
from curation.tokens.encoders.special_tokens import special_names

BYTES = 256
SPELT = ("bpe", "unigram")  # models that can spell a character in bytes
EFFECT = {  # option -> the models in which it has an effect
    "character_coverage": ("bpe", "wordpiece", "unigram"),
    "byte_fallback": SPELT,
    "min_frequency": ("byte_bpe", "bpe", "wordpiece"),
}


@dataclass(frozen=True, kw_only=True)
class Tokenizer(Sampled, Learns):
    """The model, the size of its vocabulary, and how text is normalized and cut; tokens never cross pieces."""

    model: Annotated[Literal["byte_bpe", "bpe", "wordpiece", "unigram"], "see above"] = "byte_bpe"
    vocab_size: Annotated[int, "tokens, special ones included"] = 32_768
    special_tokens: Annotated[
        tuple[str, ...], "after <|endoftext|> and <|padding|>: masks, sentinels, roles of a chat …"
    ] = ()
    reserved_tokens: Annotated[int, "<|reserved_0|> and so on after these, for later use"] = 0
    pattern: Annotated[str, "or a regular expression whose matches are the pieces, e.g. ' ?\\S+|\\s+'"] = "gpt2"
    split_digits: Annotated[Literal["none", "each", "three"], "numbers whole, digit by digit, or by up to three"] = (
        "none"
    )
    normalization: Annotated[Literal["none", "nfc", "nfd", "nfkc", "nfkd"], "Unicode form"] = "none"
    lowercase: Annotated[bool, "after the normalization"] = False
    min_frequency: Annotated[int, "of a pair of tokens that is merged"] = 2
    max_token_length: Annotated[int | None, "characters, for byte_bpe bytes; None: no limit, for unigram 16"] = None
    character_coverage: Annotated[float, "share of the text's characters in the alphabet; not for byte_bpe"] = 0.9995
    byte_fallback: Annotated[bool, "bpe and unigram: characters outside the alphabet as bytes"] = True

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "tokenizer.json"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self.special_names()
        for option, effective in EFFECT.items():
            if getattr(self, option) != getattr(type(self), option) and self.model not in effective:
                raise RecipeError(f"{option} has no effect with model: {self.model}, only with {', '.join(effective)}")
        if self.min_frequency < 1 or (self.max_token_length is not None and self.max_token_length < 2):
            raise RecipeError(
                f"min_frequency is {self.min_frequency} and max_token_length is {self.max_token_length}; give a "
                "min_frequency of 1 or more and a max_token_length of 2 or more"
            )
        if not 0 < self.character_coverage <= 1:
            raise RecipeError(f"character_coverage is {self.character_coverage}; it must be above 0 and at most 1")
        pre_tokens.regular_expression(self.pattern, self.split_digits)
        least = len(names) + (BYTES if self.in_bytes else 1)
        if self.vocab_size < least:
            alphabet = f"{BYTES} bytes" if self.in_bytes else "an alphabet"
            raise RecipeError(f"vocab_size is {self.vocab_size}; {alphabet} and {len(names)} special tokens need more")

    @property
    def in_bytes(self) -> bool:
        """Whether there is a token for each byte."""
        return self.model == "byte_bpe" or (self.model in SPELT and self.byte_fallback)

    def special_names(self) -> list[str]:
        """Names of the special tokens by id. Unigram has UNKNOWN even if it spells everything in bytes."""
        unknown = not self.in_bytes or self.model == "unigram"
        return special_names(self.special_tokens, self.reserved_tokens, unknown=unknown)

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of documents -> tokenizer.json.

        Raises RecipeError if the alphabet alone exceeds `vocab_size`, InputError if there is no text.
        """
        texts = (batch.column("text") for batch in rows)
        description = self._byte_bpe(texts) if self.model == "byte_bpe" else character_models.learn(self, list(texts))
        return {self.asset: json.dumps(description, indent=2, ensure_ascii=False).encode()}

    def _byte_bpe(self, texts: Iterator[pa.Array]) -> Any:
        """The library's own description of the tokenizer."""
        names = self.special_names()
        pattern = pre_tokens.regular_expression(self.pattern, self.split_digits)
        tokenizer = tokenizers.Tokenizer(models.BPE())
        normalizer = pre_tokens.normalizer(self.normalization, lowercase=self.lowercase)
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        if self.pattern == pre_tokens.GPT2 and self.split_digits == "none":
            steps = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
        else:
            steps = [pre_tokens.split(pattern), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        # Only in training: merges that were not learned across the cut cannot form a special token later.
        tokenizer.pre_tokenizer = pre_tokens.in_sequence([*pre_tokens.guard(names, pattern), *steps])
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=self.vocab_size,
            min_frequency=self.min_frequency,
            special_tokens=names,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            max_token_length=pre_tokens.below(self.max_token_length),
            show_progress=False,
        )
        arrays = pre_tokens.texts_of(texts)
        first = next(arrays, None)
        if first is None:
            raise InputError("there is no text to learn a tokenizer from")
        tokenizer.train_from_iterator(chain([first], arrays), trainer)
        tokenizer.pre_tokenizer = pre_tokens.in_sequence(steps)
        return json.loads(tokenizer.to_str())
