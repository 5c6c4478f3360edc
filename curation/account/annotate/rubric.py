"""A rubric: what a language model is asked about a document, what it sees of it, and where its answer has the score.

A rubric is a YAML file with the fields of `Rubric`:

    name: educational
    version: 1
    max_characters: 6000
    score: 'Score: *([0-5])\\b'
    prompt: |
      Rate the text from 0 to 5 … End with a line "Score: N".
      {text}

A longer document is cut to its beginning, a piece around its middle and its end, in the rubric's proportions, with
"[…]" between them.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from math import isclose

from curation.core.settings import build, load_yaml

TEXT = "{text}"
CUT = "\n[…]\n"
LONGEST_REASON = 2000  # characters


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """A prompt with the place of the document, and the pattern of the score in an answer."""

    name: str
    version: int  # raised when the wording changes
    prompt: str  # sent as the user's message; {text} stands for the document
    score: str  # regular expression with one group; its last match in an answer counts
    system: str = ""  # sent as the system's message, if any
    reminder: str = "End your answer with the score, exactly in the form asked for above."  # after a malformed answer
    max_characters: int = 6000  # of a document
    head: float = 0.5  # share of max_characters that is taken from the beginning of a longer document …
    middle: float = 0.25  # … around its middle …
    tail: float = 0.25  # … and from its end
    lowest: int = 0
    highest: int = 5

    def __post_init__(self) -> None:
        if self.prompt.count(TEXT) != 1:
            raise ValueError(f"prompt must have {TEXT} once, where the document goes")
        if not self.lowest < self.highest:
            raise ValueError(f"lowest is {self.lowest}; it must be below highest, which is {self.highest}")
        if self.max_characters < 1:
            raise ValueError(f"max_characters is {self.max_characters}; it must be at least 1")
        shares = (self.head, self.middle, self.tail)
        if min(shares) < 0 or not isclose(sum(shares), 1):
            raise ValueError(f"head, middle and tail are {shares}; they must be 0 or more and add up to 1")
        if self._pattern.groups != 1:
            raise ValueError(f"score has {self._pattern.groups} groups; it needs one, which holds the number")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        try:
            return re.compile(self.score)
        except re.error as error:
            raise ValueError(f"score is not a regular expression: {error}") from error

    def shown(self, text: str) -> str:
        """What the model is shown of a document."""
        if len(text) <= self.max_characters:
            return text
        head, middle, tail = (int(share * self.max_characters) for share in (self.head, self.middle, self.tail))
        start = max(head, (len(text) - middle) // 2)
        stop = max(start, min(start + middle, len(text) - tail))
        pieces = (text[:head], text[start:stop], text[len(text) - tail :])
        return CUT.join(piece for piece in pieces if piece)

    def messages(self, text: str, *, again: bool = False) -> list[dict[str, str]]:
        """The messages of a request; `again` after a malformed answer, with the reminder."""
        content = self.prompt.replace(TEXT, self.shown(text))
        if again:
            content = f"{content.rstrip()}\n\n{self.reminder}"
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": content}]

    def read(self, answer: str) -> tuple[int, str] | None:
        """(score, the answer without it); None if the answer has no score between lowest and highest."""
        matches = list(self._pattern.finditer(answer))
        if not matches or not re.fullmatch(r"[+-]?\d{1,9}", matches[-1][1] or ""):
            return None
        score = int(matches[-1][1])
        start, stop = matches[-1].span()
        if not self.lowest <= score <= self.highest:
            return None
        reason = f"{answer[:start].rstrip()} {answer[stop:].lstrip()}".strip()
        return score, reason[:LONGEST_REASON]

    def identity(self) -> dict[str, str | int | float]:
        """All that decides what the model is asked: not the name, nor how the answer is read."""
        asked = ("prompt", "system", "reminder", "max_characters", "head", "middle", "tail")
        return {name: getattr(self, name) for name in asked}


def parse_rubric(text: str, name: str) -> Rubric:
    """Raises RecipeError with the file's line for a mistake."""
    return build(Rubric, load_yaml(text, name))
