"""Learns BPE, WordPiece and Unigram models on characters, and writes each as a tokenizer.json.

Tokens hold spaces as they are: no character stands for another one. Tokens that continue a WordPiece word begin with
"##", and each character has such a form. In WordPiece, "#" is always a piece of its own, which keeps the two apart, and
no piece is longer than LONGEST characters, because its cost grows with its square.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import tokenizers
from sentencepiece import SentencePieceProcessor
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers

from curation.core.errors import InputError, RecipeError
from curation.fit.vocabulary.piece_training import train_pieces
from curation.tokens.encoders import pre_tokens
from curation.tokens.encoders.special_tokens import UNKNOWN

CONTINUED = "##"
LONGEST = 100
# SentencePiece's space; a stand-in for the tab, which ends a piece in its input
SPACE = "▁"
TAB = "\uf8ff"


def learn(options: Any, texts: Sequence[pa.Array]) -> dict[str, Any]:
    """The content of a tokenizer.json; `options` is a `tokenizer.Tokenizer` of one of these models.

    Raises RecipeError if the alphabet does not fit in the vocabulary, InputError if there is no text.
    """
    names = options.special_names()
    pattern = pre_tokens.regular_expression(options.pattern, options.split_digits)
    normalizer = pre_tokens.normalizer(options.normalization, lowercase=options.lowercase)
    chars = pre_tokens.alphabet(texts, normalizer, options.character_coverage)
    if options.model == "unigram":
        chars = [char for char in chars if char not in (SPACE, TAB, "\0")]
    if not chars:
        raise InputError("there is no text to learn a tokenizer from")
    byte_names = pre_tokens.BYTE_NAMES if options.in_bytes else ()
    # All of them, in this order: the trainer numbers those that it meets itself in another order each time.
    forms = [CONTINUED + char for char in chars] if options.model == "wordpiece" else []
    _check_room(options, len(names) + len(byte_names) + len(chars) + len(forms), len(chars))
    guard = pre_tokens.guard([*names, *byte_names], pattern)
    hashes = [pre_tokens.split("#")] if options.model == "wordpiece" else []
    cut = [*hashes, pre_tokens.split(pattern)]
    if options.model == "wordpiece":
        cut.append(pre_tokenizers.FixedLength(length=LONGEST))
    tokenizer = tokenizers.Tokenizer(models.BPE())
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokens.in_sequence(
        [*guard, pre_tokens.split(pre_tokens.outside(chars), "removed"), *cut]
    )
    model = _LEARN[options.model](options, tokenizer, texts, names, [*byte_names, *forms])
    # BPE cannot make what it has not learned to merge; the others look pieces up, so the cut must stay.
    tokenizer.pre_tokenizer = pre_tokens.in_sequence(cut if options.model == "bpe" else [*guard, *cut])
    tokenizer.decoder = _decoder(options)
    return _described(tokenizer, model, names)


def _check_room(options: Any, least: int, chars: int) -> None:
    if least > options.vocab_size:
        raise RecipeError(
            f"vocab_size is {options.vocab_size}; the {chars} characters that make up {options.character_coverage:.2%} "
            f"of the text and the other tokens need {least}: raise it or lower character_coverage"
        )


def _described(tokenizer: Any, model: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    stated: dict[str, Any] = json.loads(tokenizer.to_str())
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return stated | {
        "added_tokens": [{"id": number, "content": name, **flags} for number, name in enumerate(names)],
        "model": model,
    }


def _decoder(options: Any) -> Any:
    if options.model == "wordpiece":
        return decoders.Sequence([decoders.Replace(Regex(f"^{CONTINUED}"), ""), decoders.Fuse()])
    return decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()]) if options.in_bytes else decoders.Fuse()


def _merged(
    options: Any, tokenizer: Any, texts: Iterable[pa.Array], names: list[str], others: list[str]
) -> dict[str, Any]:
    """BPE's vocabulary, in which `others` follow the special tokens, and its merges."""
    words: dict[str, Any] = {"continuing_subword_prefix": CONTINUED} if options.model == "wordpiece" else {}
    trainer = trainers.BpeTrainer(
        vocab_size=options.vocab_size,
        min_frequency=options.min_frequency,
        special_tokens=[*names, *others],
        max_token_length=pre_tokens.below(options.max_token_length),
        show_progress=False,
        **words,
    )
    tokenizer.train_from_iterator(pre_tokens.texts_of(texts), trainer)
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    unknown = UNKNOWN if UNKNOWN in names else None
    return model | {"unk_token": unknown, "byte_fallback": options.in_bytes}


def _word_pieces(
    options: Any, tokenizer: Any, texts: Iterable[pa.Array], names: list[str], others: list[str]
) -> dict[str, Any]:
    return {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": CONTINUED,
        "max_input_chars_per_word": LONGEST,
        "vocab": _merged(options, tokenizer, texts, names, others)["vocab"],
    }


def _unigram(
    options: Any, tokenizer: Any, texts: Iterable[pa.Array], names: list[str], others: list[str]
) -> dict[str, Any]:
    """Learned from the pieces and their counts. Tokens that no text becomes get the score of the least likely one."""
    content = train_pieces(
        _weighted(_counted(tokenizer, texts)),
        vocab_size=options.vocab_size - len(names) - len(others) + 1,  # plus SentencePiece's own unknown token
        max_sentencepiece_length=options.max_token_length or 16,
        character_coverage=1.0,
        input_format="tsv",
        split_by_unicode_script=False,
        split_by_number=False,
    )
    trained = SentencePieceProcessor(model_proto=content)
    numbers = [number for number in range(trained.get_piece_size()) if not trained.is_unknown(number)]
    pieces = [trained.id_to_piece(number).replace(SPACE, " ").replace(TAB, "\t") for number in numbers]
    scores: list[float] = [trained.get_score(number) for number in numbers]
    vocabulary = [(name, min(scores)) for name in (*names, *others)] + list(zip(pieces, scores, strict=True))
    return {"type": "Unigram", "unk_id": names.index(UNKNOWN), "byte_fallback": options.in_bytes, "vocab": vocabulary}


def _weighted(words: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Pieces and their counts as the trainer reads them, so that whole pieces may become tokens.

    The trainer tries only what occurs in two of its sentences, however often a sentence counts. So a piece that occurs
    twice gets a second sentence, in which another piece follows; the trainer splits them at the space between.
    """
    follower = max((word for word in words if word[0].startswith(" ")), key=lambda word: word[1], default=("", 0))[0]
    for word, count in words:
        if count == 1 or not follower:
            yield f"{word}\t{count}"
        else:
            yield f"{word}\t{count - 1}"
            yield f"{word}{follower}\t1"


def _counted(tokenizer: Any, texts: Iterable[pa.Array]) -> list[tuple[str, int]]:
    """The pieces and their counts, sorted."""
    counts = Counter[str]()
    normalize = tokenizer.normalizer
    cut = tokenizer.pre_tokenizer
    for array in pre_tokens.texts_of(texts):
        for text in array:
            normal = text if normalize is None else normalize.normalize_str(text)
            counts.update(piece for piece, _ in cut.pre_tokenize_str(normal))
    return sorted((word.replace("\t", TAB), count) for word, count in counts.items())


_LEARN = {"bpe": _merged, "wordpiece": _word_pieces, "unigram": _unigram}
