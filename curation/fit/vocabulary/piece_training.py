"""Calls SentencePiece's trainer so that it writes no files, prints nothing, and gives the same bytes each time.

It runs on one thread, because several threads add up numbers in another order each time.
"""

import io
from collections.abc import Iterable
from itertools import chain
from typing import Any

from sentencepiece import SentencePieceTrainer

from curation.core.errors import InputError, RecipeError

LONGEST = 1 << 30  # bytes of a sentence: the trainer silently drops longer ones
QUIET = 3  # log only fatal errors


def train_pieces(sentences: Iterable[str], *, vocab_size: int, **options: Any) -> bytes:
    """A SentencePiece model that leaves text as it is: no normalization, spaces kept, none added.

    Little text gives fewer than `vocab_size` pieces. `options` are the trainer's own and override the settings here.
    Raises RecipeError if the alphabet does not fit in the vocabulary, InputError if there is no text.
    """
    rest = iter(sentences)
    first = next(rest, None)
    if first is None:
        raise InputError("there is no text to learn a tokenizer from")
    model = io.BytesIO()
    settings: dict[str, Any] = {
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
        "hard_vocab_limit": False,
        "max_sentence_length": LONGEST,
        "bos_id": -1,
        "eos_id": -1,
        "pad_id": -1,
        "unk_id": 0,
        "num_threads": 1,
        "minloglevel": QUIET,
    }
    try:
        SentencePieceTrainer.train(
            sentence_iterator=chain([first], rest), model_writer=model, vocab_size=vocab_size, **settings | options
        )
    except (RuntimeError, OSError) as error:
        raise _clear(str(error), vocab_size) from error
    return model.getvalue()


def _clear(error: str, vocab_size: int) -> RecipeError:
    if "required_chars" in error:
        return RecipeError(
            f"vocab_size is {vocab_size}, too few for the alphabet alone: raise it or lower character_coverage"
        )
    return RecipeError(f"SentencePiece cannot learn a model: {' '.join(error.split())}")
