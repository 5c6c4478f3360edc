r"""Files of n-gram models: ARPA or KenLM's binary, checked against how the text that they score is to be read.

An ARPA file of ours says in its first line, before \data\, how its text was read (`arpa.py`). Beside a binary file, the
same stands in a JSON file with ".json" appended to its name:

    {"format": 2, "half": 0, "language": "de", "normalization": "nfc", "order": 5, "pieces": "", "prune": [0, 0, 1]}

`pieces` is the SHA-256 of the SentencePiece model, empty for words; `language` is empty if it was not stated. What is
said there is only compared: the normalization of a binary file, and of a file from elsewhere, must be named.

A model of halves is two ARPA models in one file, `half` 1 and 2, of which each learned from half of the documents (see
`curation/fit/ngram_model.py`). Other programs read the first.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TypeAlias, get_args

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.models.ngram.arpa import read_arpa, read_facts, write_arpa
from curation.models.ngram.estimate import BackoffModel, Floats
from curation.models.ngram.halves import half_of
from curation.models.ngram.kenlm_binary import MAGIC, KenlmScorer, build_binary, try_out
from curation.models.ngram.normalization import Normalization
from curation.models.ngram.reading import Reading, load_pieces
from curation.models.ngram.scoring import NgramScorer, Scores
from curation.text.kernels.compiler.kernel import Grid

AnyScorer: TypeAlias = NgramScorer | KenlmScorer

FORMAT = 2
_BETWEEN = b"\\end\\\n"  # the end of a model, after which another may begin
FIRST_LINE = 1 << 16  # bytes in which the first line ends
NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a file says of its model."""

    normalization: str
    pieces: str = ""  # SHA-256 in hex
    language: str = ""
    order: int = 0
    prune: tuple[int, ...] = ()
    half: int = 0  # 1: two models follow each other, one for each half of the documents
    format: int = FORMAT


class LanguageModel:
    """A model, or one for each half of the documents, and how it reads text."""

    def __init__(self, scorers: Sequence[AnyScorer], reading: Reading) -> None:
        self._scorers = scorers
        self._reading = reading

    def measures(self, text: pa.Array | pa.ChunkedArray, *, least: int) -> Grid[Floats]:
        """float64[4, N] of text[N], as `Scores.measures`; a text is judged by the half that did not learn from it."""
        if len(self._scorers) == 1:
            return self.score(text).measures(least=least)
        values = np.full((4, len(text)), np.nan)
        halves = half_of(text)
        for half, scorer in enumerate(self._scorers):
            rows = np.flatnonzero(halves != half)
            values[:, rows] = self._score(scorer, text.take(pa.array(rows))).measures(least=least)
        return values

    def score(self, text: pa.Array | pa.ChunkedArray) -> Scores:
        """The lines of text[N], normalized and in tokens, by the first model. `characters` also has one for the space
        or line end after each word; pieces have "▁" for spaces."""
        return self._score(self._scorers[0], text)

    def _score(self, scorer: AnyScorer, text: pa.Array | pa.ChunkedArray) -> Scores:
        scores = scorer.score(self._reading.tokens(text))
        between = np.zeros_like(scores.tokens) if self._reading.pieces else scores.tokens - 1
        return Scores(scores.logarithms, scores.tokens, scores.characters + between, scores.first)


def file_of(
    model: BackoffModel, reading: Reading, *, language: str = "", prune: Sequence[int] = (), half: int = 0
) -> Iterator[bytes]:
    """The content of an ARPA file, piece by piece; of halves, that of the second follows that of the first."""
    facts = Facts(
        normalization=reading.normalization,
        pieces=reading.digest(),
        language=language,
        order=model.order,
        prune=tuple(prune),
        half=half,
    )
    return write_arpa(model, asdict(facts))


def write_binary(arpa: str, binary: str) -> bool:
    """Make KenLM's binary of a local ARPA file, and the JSON beside it. False where `build_binary` is not installed,
    and for halves, as a binary has one model."""
    facts = facts_of(arpa)
    if (facts is not None and facts.half) or not build_binary(arpa, binary):
        return False
    if facts is not None:
        storage.write_bytes(f"{binary}.json", json.dumps(asdict(facts), sort_keys=True).encode())
    return True


def locate(uri: str, *, normalization: str = "", pieces: str = "", language: str = "") -> str:
    """The path or URI itself. Raises InputError if the model is missing, damaged or of another kind, or was trained
    otherwise than on this language and this normalization ("": what the file says) of words or `pieces`."""
    _intact(uri)
    _reading(uri, normalization, pieces, language)
    return uri


@lru_cache(maxsize=256)  # a recipe may have a model for each language
def load(uri: str, *, normalization: str = "", pieces: str = "") -> LanguageModel:
    """Read once per process; arguments and errors as for `locate`."""
    return LanguageModel(_read(uri), _reading(uri, normalization, pieces, ""))


@lru_cache(maxsize=256)
def _intact(uri: str) -> None:
    """Read a model and forget it. Raises InputError if it cannot be read."""
    if storage.size(uri) >= 0 and not storage.in_store(uri) and is_binary(uri):
        try:
            try_out(uri)
        except ValueError as error:
            raise InputError(
                f"{uri} is a damaged n-gram model: {error}; copy it again, or give the ARPA file"
            ) from error
    _read(uri)


def _read(uri: str) -> tuple[AnyScorer, ...]:
    if storage.size(uri) < 0:
        raise InputError(f"no n-gram model at {uri}; give the path or URI of an ARPA file or a binary file of KenLM")
    try:
        if is_binary(uri):
            return (KenlmScorer(uri),)
        facts = facts_of(uri)
        content = storage.read_bytes(uri)
        return tuple(NgramScorer(read_arpa(own)) for own in (_halves(content) if facts and facts.half else [content]))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{uri} is no n-gram model in ARPA or KenLM's binary format: {error}") from error


def _halves(content: bytes) -> list[bytes]:
    """The content of both models. Raises ValueError where the second is missing."""
    first, between, second = content.partition(_BETWEEN)
    if not second.strip():
        raise ValueError("it has one of two halves: it is cut short")
    return [first + between, second]


def is_binary(uri: str) -> bool:
    return storage.read_start(uri, len(MAGIC)) == MAGIC


def facts_of(uri: str) -> Facts | None:
    """What a model's file, or the JSON beside it, says; None if that is nothing. Raises InputError."""
    where = uri
    try:
        if is_binary(uri):
            where = f"{uri}.json"
            values = json.loads(storage.read_bytes(where)) if storage.size(where) >= 0 else None
        else:
            values = read_facts(storage.read_start(uri, FIRST_LINE))
        return None if values is None else _parsed(values)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where} does not say how its model reads text: {error}") from error


def _parsed(values: dict[str, object]) -> Facts:
    version = values.get("format")
    normalization = values.get("normalization")
    if version != FORMAT or normalization not in NORMALIZATIONS:
        raise ValueError(
            f"it has format {version} and normalization {normalization!r}; this winnow reads format {FORMAT} with "
            f"{', '.join(NORMALIZATIONS)}"
        )
    return Facts(
        normalization=str(normalization),
        pieces=str(values.get("pieces", "")),
        language=str(values.get("language", "")),
        half=int(str(values.get("half", 0))),
    )


def _reading(uri: str, normalization: str, pieces: str, language: str) -> Reading:
    """How a model is to read text. Raises InputError if it was trained otherwise."""
    facts = facts_of(uri)
    stated = normalization or ("" if facts is None or is_binary(uri) else facts.normalization)
    name = next((name for name in NORMALIZATIONS if name == stated), None)
    if name is None:
        raise InputError(
            f"{uri} does not say how its text was normalized; set `normalization` to one of {', '.join(NORMALIZATIONS)}"
        )
    reading = Reading(normalization=name, pieces=pieces)
    if pieces:
        load_pieces(pieces)
    if facts is None:
        return reading
    if name != facts.normalization:
        raise InputError(
            f"{uri} was trained on text with normalization {facts.normalization}, not {name}; set `normalization` to "
            f"{facts.normalization}, or give another model"
        )
    if reading.digest() != facts.pieces:
        raise InputError(_other_tokens(uri, facts.pieces, pieces))
    if language and facts.language and language != facts.language:
        raise InputError(f"{uri} was trained on {facts.language}, not on {language}; give a model of that language")
    return reading


def _other_tokens(uri: str, trained_on: str, pieces: str) -> str:
    if not trained_on:
        return f"{uri} was trained on words; remove `pieces`, or give another model"
    if not pieces:
        return f"{uri} was trained on the pieces of a SentencePiece model; name that as `pieces`"
    return f"{uri} was trained on the pieces of another SentencePiece model than {pieces}; name that one as `pieces`"
