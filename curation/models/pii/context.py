"""The words before a value that raise its score, read only around the value.

Presidio looks at the token that holds the first character of a value and at the five tokens before it, of those that
are neither stop words nor punctuation, and compares them with the recognizer's words. Tokens do not reach over
whitespace, so those near a value are the same in a piece of the text that begins after whitespace. A stop word counts
nevertheless where it is a part of a token with a colon anywhere in the text; then, and only then, all such tokens are
read.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from curation.models.pii.recognizers import blank

WORDS = 6  # the value's own token and five before it
# of a score, as Presidio's LemmaContextAwareEnhancer has them
RAISE = 0.35
LEAST = 0.4
MOST = 1.0
_REACH = 240  # bytes read at first
_LONGEST = 1000  # bytes of a piece without whitespace that are read on either side of a value
_FARTHEST = 1 << 16  # bytes before a value
_MOST_READ = 1 << 24  # bytes read before all values of a text; a text of nothing but values may have far more
_SPACE = re.compile(r"\s")
_CHUNKS = 12  # between whitespace, before a value: those whose tokens are looked at first
_NOT_WORDS = ("-PRON-", "be")


class ContextWords:
    """The words before the values of one text, in UTF-8."""

    def __init__(self, content: bytes, language: str) -> None:
        self.content = content
        self.language = language
        self.pipeline = blank(language)
        self.unread = _MOST_READ
        self._before: dict[int, _Before] = {}
        self._counting: dict[str, bool] = {}
        self._text = ""
        self._chunks: list[str] | None = None

    def raises(self, start: int, words: Sequence[str]) -> bool:
        """Whether one of the `words`, in lower case, is part of a word before the value at byte `start`."""
        before = self._before.get(start)
        if before is None:
            if self.unread <= 0:
                return False
            before = self._before[start] = _Before(self, start)
        return before.has(words)

    def counts(self, word: str) -> bool:
        """Whether a word in lower case counts although it is a stop word or punctuation."""
        known = self._counting.get(word)
        if known is None:
            known = self._counting[word] = self._is_part(word)
        return known

    def _is_part(self, word: str) -> bool:
        if self._chunks is None:
            self._text = self.content.decode("utf-8", "replace")
            self._chunks = list(dict.fromkeys(chunk for chunk in self._text.split() if ":" in chunk))
        written = re.search(r"\bB[eE]\b|\bbE\b", self._text) if word == "be" else None
        if written and word not in self.pipeline.Defaults.stop_words:
            return True
        sides = (f":{_folded(word)}", f"{_folded(word)}:")
        held = (chunk for chunk in self._chunks if any(side in _folded(chunk) for side in sides))
        return any(
            ":" in token.text and _counts(token) and word in token.text.lower().split(":")
            for chunk in held
            for token in self.pipeline(chunk)
        )


class _Before:
    """The words before one value."""

    def __init__(self, context: ContextWords, start: int) -> None:
        self.context = context
        self.start = start
        self._piece = ""
        self._reach = 0
        self._words: list[str] | None = None
        self._enough = False

    def has(self, words: Sequence[str]) -> bool:
        while self._words is None:
            if not self._reach:
                self._read(_REACH)
            if any(word in self._piece for word in words):
                self._words = self._tokens()
            elif self._enough:
                return False
            if self._words is None:
                self._read(2 * self._reach)
        return any(word in found for found in self._words for word in words)

    def _read(self, reach: int) -> None:
        """Take the text from whitespace on that is `reach` bytes before the value, up to whitespace after it."""
        content = self.context.content
        start = self.start
        first = max(start - reach, 0)
        text = content[first:start].decode("utf-8", "replace")
        space = _SPACE.search(text) if first else None
        if space and text[space.start() :].strip():
            rest = text[space.start() :]
            text = rest.lstrip()
            begun = False
        else:
            begun = first == 0 or (space is None and reach >= _LONGEST)
        self.context.unread -= reach
        begun = begun or reach >= _FARTHEST or self.context.unread <= 0
        after = content[start : start + _LONGEST].decode("utf-8", "replace")
        own = re.match(r"\s*\S*", after)
        self._text = text + (own.group() if own else "")
        self._at = len(text)
        self._piece = self._text.lower()
        self._reach = reach
        self._begun = begun
        self._enough = begun or self._holds_enough(text)

    def _holds_enough(self, text: str) -> bool:
        """Whether `text` certainly has all the words that count. A chunk of letters is a word or several."""
        found = 0
        for chunk in text.split()[1:]:
            found += _is_plain(chunk, self.context.language)
            if found == WORDS:
                return True
        return False

    def _tokens(self) -> list[str] | None:
        """The words that count, in lower case; None if the piece of text may lack some."""
        earlier = self._text[: self._at].rsplit(maxsplit=_CHUNKS)
        if len(earlier) > _CHUNKS:  # spaCy makes the tokens of each chunk between whitespace by itself
            rest = self._text[len(earlier[0]) :].lstrip()  # white space that a text begins with would count as a word
            found = self._last(rest, self._at - len(self._text) + len(rest))
            if len(found) == WORDS:
                return found
        found = self._last(self._text, self._at)
        return found if len(found) == WORDS or self._begun else None

    def _last(self, text: str, at: int) -> list[str]:
        """The last words up to the token that holds text[at], as many as count."""
        tokens = list(self.context.pipeline(text))
        own = next((i for i, token in enumerate(tokens) if at < token.idx + len(token)), len(tokens) - 1)
        found: list[str] = []
        for token in reversed(tokens[: own + 1]):
            if len(found) == WORDS:
                break
            if self._is_word(token):
                found.append(token.text.lower())
        return found

    def _is_word(self, token: Any) -> bool:
        text = token.text
        if ":" in text:
            return False
        return _counts(token) or self.context.counts(text.lower())


def _counts(token: Any) -> bool:
    return not (token.is_stop or token.is_punct or token.text in _NOT_WORDS)


@lru_cache(maxsize=1 << 15)
def _is_plain(chunk: str, language: str) -> bool:
    """Whether a chunk between whitespace is certainly a word that counts, or several."""
    pipeline = blank(language)
    word = chunk.lower()
    rules = pipeline.tokenizer.rules or {}
    return chunk.isalpha() and not (word in pipeline.Defaults.stop_words or chunk in rules or word in _NOT_WORDS)


def _folded(text: str) -> str:
    return text.lower().replace("ς", "σ")  # as lower() has a capital sigma at the end of a word
