"""Fits a SentencePiece model, Unigram or BPE: tokenizer.model.

    - fit: {sentencepiece: {vocab_size: 32000, model_type: bpe}}
    - tokenize: {tokenizer: "@sentencepiece"}

A token never crosses a space, which is written "▁" and begins the word after it; runs of spaces may be tokens. A line
end and a tab are tokens of their own. Characters outside the alphabet are spelled in bytes, so every text can be
encoded and decodes to itself, except for normalization and for "▁" itself, which becomes a space. Without
`byte_fallback` such characters become <|unknown|>. <|endoftext|>, <|padding|>, <|unknown|> and the special tokens
(control symbols) have the ids 0, 1, 2, … and are never produced from text. A small sample gives fewer tokens than
`vocab_size`. Training uses one thread, gives the same bytes each time, and holds the sample several times in memory.

Source: Kudo and Richardson 2018, "SentencePiece: A simple and language independent subword tokenizer and detokenizer
for Neural Text Processing" (arXiv:1808.06226).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.fits import Learns
from curation.fit.sample.shares import Sampled
from curation.fit.vocabulary.piece_training import train_pieces
from curation.tokens.encoders.pre_tokens import texts_of
from curation.tokens.encoders.special_tokens import END_OF_TEXT, PADDING, UNKNOWN, special_names

BYTES = 256
ALONE = ("\n", "\t")  # tokens of their own; the trainer takes a tab for the end of a piece
LEAST_COVERAGE = 0.98  # the trainer's own limit
RULES = {"none": "identity", "nfkc": "nfkc", "nmt_nfkc": "nmt_nfkc"}
# The BPE trainer numbers the characters of a run without spaces with 16 bits.
_SENTENCE = re.compile(r"[^\n\t\0]{1,4096}")


@dataclass(frozen=True, kw_only=True)
class Sentencepiece(Sampled, Learns):
    """The model, the size of its vocabulary, and the normalization of text."""

    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine; Unigram takes about 20 times this in memory"] = (
        64 * 2**20
    )
    model_type: Annotated[Literal["unigram", "bpe"], "how pieces are learned"] = "unigram"
    vocab_size: Annotated[int, "tokens, special ones included"] = 32_768
    special_tokens: Annotated[tuple[str, ...], "after <|endoftext|>, <|padding|> and <|unknown|>"] = ()
    reserved_tokens: Annotated[int, "<|reserved_0|> and so on after these, for later use"] = 0
    split_digits: Annotated[Literal["none", "each"], "numbers whole or digit by digit"] = "none"
    normalization: Annotated[Literal["none", "nfkc", "nmt_nfkc"], "nmt_nfkc also turns unusual spaces into spaces"] = (
        "none"
    )
    lowercase: Annotated[bool, "case folding, with a normalization only"] = False
    max_token_length: Annotated[int, "characters"] = 16
    character_coverage: Annotated[float, "share of the text's characters that are in the alphabet, from 0.98"] = 0.9995
    byte_fallback: Annotated[bool, "characters outside the alphabet as bytes"] = True

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "tokenizer.model"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        super().__post_init__()
        names = special_names(self.special_tokens, self.reserved_tokens, unknown=True)
        if set(ALONE) & set(names):
            raise RecipeError("a line end and a tab are always tokens; leave them out of special_tokens")
        if self.lowercase and self.normalization == "none":
            raise RecipeError("lowercase has an effect only with normalization: nfkc or nmt_nfkc")
        if not LEAST_COVERAGE <= self.character_coverage <= 1:
            raise RecipeError(
                f"character_coverage is {self.character_coverage}; it must lie between {LEAST_COVERAGE} and 1"
            )
        if not 1 <= self.max_token_length <= 512:
            raise RecipeError(f"max_token_length is {self.max_token_length}; it must lie between 1 and 512")
        least = len(names) + len(ALONE) + (BYTES if self.byte_fallback else 0) + 1
        if self.vocab_size < least:
            of_bytes = f"{BYTES} bytes, " if self.byte_fallback else ""
            raise RecipeError(
                f"vocab_size is {self.vocab_size}; {of_bytes}{len(names)} special tokens, {len(ALONE)} of whitespace "
                f"and an alphabet need more"
            )

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of documents -> tokenizer.model.

        Raises RecipeError if the alphabet does not fit in the vocabulary, InputError if there is no text.
        """
        rule = RULES[self.normalization] + ("_cf" if self.lowercase else "")
        model = train_pieces(
            _sentences(batch.column("text") for batch in rows),
            vocab_size=self.vocab_size,
            model_type=self.model_type,
            normalization_rule_name=rule,
            max_sentencepiece_length=self.max_token_length,
            character_coverage=self.character_coverage,
            byte_fallback=self.byte_fallback,
            split_digits=self.split_digits == "each",
            eos_id=0,
            pad_id=1,
            unk_id=2,
            eos_piece=END_OF_TEXT,
            pad_piece=PADDING,
            unk_piece=UNKNOWN,
            unk_surface=UNKNOWN,
            control_symbols=special_names(self.special_tokens, self.reserved_tokens, unknown=True)[3:],
            user_defined_symbols=list(ALONE),
        )
        return {self.asset: model}


def _sentences(arrays: Iterable[pa.Array]) -> Iterator[str]:
    """The texts, cut where no token can be anyway and inside runs of thousands of characters."""
    for texts in texts_of(arrays):
        for text in texts:
            yield from _SENTENCE.findall(text)
