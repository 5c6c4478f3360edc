"""Encodes text with a tokenizer.json of the `tokenizers` library, through tiktoken where that gives the same ids.

tiktoken is used if the file is of a kind that `TiktokenPath` knows and both libraries encode a sample (`encoder_probe`)
alike; each process decides once, and all decide the same. As a check, both encode the first texts of a process and one
document in CHECKED, the same ones in every run. A difference ends the stage, because earlier documents may differ too.

Memory, measured on books: tiktoken takes up to 6 bytes for each byte of one text, 1.1 GB for one of 200 MB (48 million
tokens). `tokenizers` takes up to 120, so a text of more than PIECE characters is encoded in pieces, cut before a space
between two words where the WINDOW characters on both sides have the same ids apart as together: 0.6 GB for any text. If
none of TRIES places is such a one, the text is encoded whole.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import tokenizers

from curation.core.errors import InputError, StageError
from curation.core.token_names import bytes_of_tokens
from curation.core.tokenizer_template import template_of
from curation.text.kernels.hashing import hash64
from curation.tokens.encoders import encoder_probe
from curation.tokens.encoders.tiktoken_path import Ids, Inexpressible, TiktokenPath

CHECKED = 1024  # one document in so many, chosen by the hash of its text …
CHECKED_CHARACTERS = 1 << 18  # … unless it is longer, which would take `tokenizers` a second
FIRST_CHARACTERS = 1 << 16  # of a process, in which every document is checked
NAMES = 50  # names of special tokens in the sample
PIECE = 1 << 22  # characters that `tokenizers` encodes at once, or a few more
WINDOW = 2000
TRIES = 100  # places tried before a text is encoded without a cut

_BETWEEN_WORDS = re.compile(r"\w(?=\s\w)")

MOST_NAME = 1000  # characters of a special token
MOST_GROWTH = 1000  # times the text that a normalizer may make of it; Unicode's forms make 18 of some characters

log = logging.getLogger(__name__)


class TokenizerJson:
    """A tokenizer.json. Raises InputError for bytes that are none."""

    def __init__(self, content: bytes, uri: str) -> None:
        with _told(f"{uri} is not a tokenizer.json of the tokenizers library"):
            self._library = tokenizers.Tokenizer.from_str(content.decode())
        stated = json.loads(content)
        _check_growth(stated, uri)
        with _told(f"{uri} does not say clearly how a text begins and ends"):
            self.template = template_of(stated)
        self.padding_name: str | None = (stated.get("padding") or {}).get("pad_token")
        self._library.no_truncation()
        self._library.no_padding()
        self._library.encode_special_tokens = True
        self._uri = uri
        self._content = content
        self.names: dict[str, int] = self._library.get_vocab(with_added_tokens=True)
        self._added = self._library.get_added_tokens_decoder()
        self._special = frozenset(number for number, token in self._added.items() if token.special)
        self._check_names()
        self._spelt: Ids = np.empty(0, np.uint32)  # `_spelt_specials` encodes, which reads it
        with _told(f"{uri} cannot encode the names of its own special tokens; give another tokenizer"):
            self._spelt = self._spelt_specials()
        self._unchecked = FIRST_CHARACTERS
        self._decided = False
        self._path: TiktokenPath | None = None

    def ids(self, texts: pa.Array) -> Iterator[Ids]:
        """Ids of each text, in order, without an end-of-text token; a null counts as empty. Raises StageError if
        tiktoken gives other ids for one of the documents that both encode."""
        path = self._tiktoken()
        if path is None:
            yield from self.library_ids(texts)
            return
        chosen = hash64(texts) % np.uint64(CHECKED) == 0
        for scalar, able, check in zip(texts, path.able(texts), chosen, strict=True):
            text = scalar.as_py() or ""
            encoded = path.encode(text) if able else None
            if encoded is None:
                (encoded,) = self.library_ids(pa.array([text], pa.large_string()))
            elif check or self._unchecked > 0:
                self._check(text, encoded)
            yield encoded

    def _check(self, text: str, ids: Ids) -> None:
        self._unchecked -= len(text)
        if len(text) <= CHECKED_CHARACTERS and not np.array_equal(ids, self._encode(text)):
            raise StageError(
                f"with {self._uri}, tiktoken and tokenizers encode a document differently; set `fast: false` in "
                f"`tokenize` and run again. The document begins: {text[:200]!r}"
            )

    def library_ids(self, texts: pa.Array) -> Iterator[Ids]:
        """Ids from `tokenizers` alone."""
        for text in texts:
            yield np.concatenate([self._encode(piece) for piece in self._pieces(text.as_py() or "")])

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._library.decode(list(ids), skip_special_tokens=False))

    def unknown_letters(self) -> tuple[str, int]:
        """Those of many scripts' letters that become no token, so that encoding drops them without a trace; and how
        many letters were tried."""
        letters = sorted({letter for letter in encoder_probe.PROSE if letter.isalpha()})
        with _told(f"{self._uri} cannot encode every text"):
            return "".join(letter for letter in letters if not len(self._encode(letter))), len(letters)

    def special_names(self) -> list[str]:
        """By id."""
        return [self._added[number].content for number in sorted(self._special)]

    def tokens(self) -> dict[int, bytes | str]:
        special = {number: self._added[number].content for number in self._special}
        return {**bytes_of_tokens(json.loads(self._content)), **special}

    def _encode(self, text: str) -> Ids:
        # A list of one: the library would spread a longer one over every core of the machine.
        ids = np.array(self._library.encode_batch_fast([text], add_special_tokens=False)[0].ids, np.uint32)
        return self._encode_apart(text, ids) if len(self._spelt) and np.isin(ids, self._spelt).any() else ids

    def _encode_apart(self, text: str, ids: Ids) -> Ids:
        """Ids of the text, cut behind the first character of each special token that it spells out."""
        known = self._library.encode(text, add_special_tokens=False)
        spans = [span for number, span in zip(known.ids, known.offsets, strict=True) if number in self._spelt]
        cuts = [start + 1 for start, stop in spans if stop - start > 1]
        if not cuts:
            return ids
        return np.concatenate([self._encode(text[i:j]) for i, j in pairwise([0, *cuts, len(text)])])

    def _check_names(self) -> None:
        """Raises InputError for the name of a special token that takes long to encode by a slow pattern."""
        for token in self._added.values():
            if len(token.content) > MOST_NAME:
                raise InputError(
                    f"{self._uri} has a special token of {len(token.content):,} characters, which begins "
                    f"{token.content[:40]!r}; at most {MOST_NAME:,} are allowed"
                )

    def _spelt_specials(self) -> Ids:
        """Special tokens that are also ordinary pieces of the model (mostly Unigram): text that spells one out would
        become it. The token for unknown text is not among them."""
        spelt = [number for number in sorted(self._special) if number in self._encode(self._added[number].content)]
        if spelt:
            model = json.loads(self._content)["model"]
            unknown = model.get("unk_id"), self.names.get(model.get("unk_token") or "")
            spelt = [number for number in spelt if number not in unknown]
        return np.array(spelt, np.uint32)

    def _pieces(self, text: str) -> Iterator[str]:
        start = 0
        while len(text) - start > PIECE and (cut := self._cut(text, start + PIECE)):
            yield text[start:cut]
            start = cut
        yield text[start:]

    def _cut(self, text: str, start: int) -> int | None:
        """The first place from `start` on where the text may be cut."""
        for word in islice(_BETWEEN_WORDS.finditer(text, start), TRIES):
            cut = word.end()
            before = text[cut - WINDOW : cut]
            after = text[cut : cut + WINDOW]
            apart = np.concatenate([self._encode(before), self._encode(after)])
            if np.array_equal(apart, self._encode(before + after)):
                return cut
        return None

    def _tiktoken(self) -> TiktokenPath | None:
        if not self._decided:
            try:
                self._path = self._proven()
                log.info("%s: encoding with tiktoken, which gives the same ids as tokenizers", self._uri)
            except Inexpressible as reason:
                log.info("%s: encoding with tokenizers, not with tiktoken: %s", self._uri, reason)
            self._decided = True
        return self._path

    def _proven(self) -> TiktokenPath:
        if len(self._spelt):
            raise Inexpressible("text would become special tokens")
        path = TiktokenPath(json.loads(self._content))
        names = [token.content for token in self._added.values()][:NAMES]
        for text in encoder_probe.sample(names):
            ids = path.encode(text) if path.able(pa.array([text], pa.large_string()))[0] else None
            if ids is not None and not np.array_equal(ids, self._encode(text)):
                raise Inexpressible(f"it gives other ids for {text[:100]!r}")
        return path


@contextmanager
def _told(problem: str) -> Iterator[None]:
    """Raises InputError, which begins with the problem, for whatever the library raises."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the library raises nothing narrower, and its panics are no Exception
        raise InputError(f"{problem}: {error}") from error


def _check_growth(stated: Mapping[str, Any], uri: str) -> None:
    """Raises InputError for a normalizer of replacements that make a text too long: each may double what the one before
    has made. One by a regular expression counts as if it replaced single characters, and one that puts characters
    before a text as if the text had one."""
    growth = 1.0
    for step in _steps(stated.get("normalizer")):
        if step.get("type") == "Replace":
            replaced = step["pattern"].get("String") or "x"
            growth *= max(1.0, len(step["content"]) / len(replaced))
        elif step.get("type") == "Prepend":
            growth *= max(1, len(step["prepend"]))
    if growth > MOST_GROWTH:
        raise InputError(f"{uri} replaces text by up to {growth:.0e} times as much; give a tokenizer that does not")


def _steps(normalizer: Any) -> Iterator[dict[str, Any]]:
    """The steps of nested sequences, in order."""
    if isinstance(normalizer, dict):
        yield normalizer
        for step in normalizer.get("normalizers") or ():
            yield from _steps(step)
