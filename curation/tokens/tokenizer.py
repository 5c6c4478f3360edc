"""Fits a byte-level BPE tokenizer on kept text, and loads any tokenizer.json for encoding.

Every byte is in the alphabet, so any text can be encoded and decoded without loss. The special tokens come first (ids
0, 1, …) and are never produced from text: a page that spells out "<|endoftext|>" is encoded as those characters.
Training is repeatable whatever the number of threads: counts are sums, and ties are broken by token id.

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units" (arXiv:1508.07909);
byte-level alphabet and word pattern of Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import pyarrow as pa
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from curation.core import storage
from curation.core.errors import InputError, RecipeError
from curation.tokens.manifests import checksum
from curation.tokens.token_files import Vocabulary

END_OF_TEXT = "<|endoftext|>"
PADDING = "<|padding|>"
KNOWN_ENDS = (END_OF_TEXT, "<|end_of_text|>", "</s>", "<eos>")


@dataclass(frozen=True, kw_only=True)
class Tokenizer:
    """Size and alphabet of the vocabulary; `special_tokens` follow END_OF_TEXT and PADDING (for masks, sentinels …)."""

    vocab_size: int = 32_768
    sample_bytes: int = 200 * 2**20  # of UTF-8 text, drawn by the engine
    special_tokens: tuple[str, ...] = ()
    min_frequency: int = 2  # of a pair of tokens that is merged

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "tokenizer.json"

    def __post_init__(self) -> None:
        specials = [END_OF_TEXT, PADDING, *self.special_tokens]
        if len(set(specials)) < len(specials) or not all(specials):
            raise RecipeError(f"special tokens must be distinct, not empty and not {END_OF_TEXT} or {PADDING}")
        if self.vocab_size < 256 + len(specials):
            raise RecipeError(
                f"vocab_size is {self.vocab_size}; 256 bytes and {len(specials)} special tokens need more"
            )

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        """large_string arrays, in order -> the bytes of tokenizer.json. Little text gives fewer than `vocab_size`."""
        tokenizer = tokenizers.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=self.vocab_size,
            min_frequency=self.min_frequency,
            special_tokens=[END_OF_TEXT, PADDING, *self.special_tokens],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator((array.drop_null().to_pylist() for array in texts), trainer)
        return bytes(tokenizer.to_str(pretty=True).encode())


@dataclass(frozen=True)
class LoadedTokenizer:
    """The `tokenizers.Tokenizer`, set to treat special tokens in text as text, and what token files must agree with."""

    encoder: Any
    vocabulary: Vocabulary


@lru_cache(maxsize=8)
def load(uri: str) -> LoadedTokenizer:
    """Read once per process. End-of-text is the first of KNOWN_ENDS that it has; where it has no PADDING token, the id
    one past its last becomes padding.

    Raises InputError where there is no such file, it is no tokenizer, or it has no end-of-text token.
    """
    content = storage.read_bytes(uri)
    try:
        encoder = tokenizers.Tokenizer.from_str(content.decode())
    except Exception as error:  # the library raises nothing narrower
        raise InputError(f"{uri} is no tokenizer.json of the tokenizers library: {error}") from error
    encoder.no_truncation()
    encoder.no_padding()
    encoder.encode_special_tokens = True
    end = next((encoder.token_to_id(name) for name in KNOWN_ENDS if encoder.token_to_id(name) is not None), None)
    if end is None:
        raise InputError(f"{uri} has no end-of-text token ({' or '.join(KNOWN_ENDS)}); add one as a special token")
    size = max(encoder.get_vocab(with_added_tokens=True).values()) + 1
    padding = encoder.token_to_id(PADDING)
    if padding is None:
        padding, size = size, size + 1
    vocabulary = Vocabulary(size=size, end_of_text=end, padding=padding, tokenizer=checksum(content))
    return LoadedTokenizer(encoder, vocabulary)


def vocabulary_of(uri: str) -> Vocabulary:
    """What `Pack.pack` and `tokens_section` need of a tokenizer.json; raises as `load`."""
    return load(uri).vocabulary
