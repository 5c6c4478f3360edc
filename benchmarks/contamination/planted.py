"""Leaks as the benchmark makes them: an item, changed in one way, in the middle of a page that holds none."""

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import regex

Item = Mapping[str, Any]
_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]")
_LIGATURES = (("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("ff", "ﬀ"))
_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def shown(item: Item, *, backwards: bool = False) -> str:
    """The item as a test would print it: question, lettered choices, answer."""
    options = sorted([item["answer"], *item["choices"]], reverse=backwards) if item["choices"] else []
    lines = [f"({label}) {option}" for label, option in zip(_LABELS, options, strict=False)]
    return "\n".join([item["question"], *lines, f"Answer: {item['answer']}" if options else item["answer"]])


def _quoted(text: str) -> str:
    text = re.sub(r"(^|\s)\"", r"\1“", text).replace('"', "”")
    return re.sub(r"(^|\s)'", r"\1‘", text).replace("'", "’")


def _ligated(text: str) -> str:
    for plain, ligature in _LIGATURES:
        text = text.replace(plain, ligature)
    return text


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _hidden(text: str) -> str:
    """A zero-width space, joiner or soft hyphen within every word."""
    marks = ("\u200b", "\u200d", "\u00ad")
    return re.sub(r"(\w)(\w)", lambda at: at[1] + marks[at.start() % 3] + at[2], text)


def _spaced(text: str) -> str:
    blanks = ("\n", "\t ", "\u00a0", "  ", "\u2003")
    return re.sub(r"\s+", lambda at: blanks[at.start() % 5], text)


def _half(text: str) -> str:
    """The first half of the characters, to the end of a word."""
    middle = len(text) // 2
    return text[: middle + len(re.match(r"\w*", text[middle:])[0])]  # type: ignore[index]  # it matches always


def _swapped(text: str) -> str:
    """Every fourth pair of words the other way round: a stand-in for another order of words."""
    words = text.split()
    for at in range(0, len(words) - 1, 4):
        words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def _thinned(text: str) -> str:
    """Without every fifth word: a stand-in for a text that is told again."""
    return " ".join(word for at, word in enumerate(text.split()) if at % 5 != 4)


CHANGES: Mapping[str, Callable[[str], str]] = {
    "verbatim": str,
    "upper case": str.upper,
    "other punctuation": lambda text: _PUNCTUATION.sub(" – ", text),
    "other white space": _spaced,
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "full width": _wide,
    "smart quotes": _quoted,
    "ligatures": _ligated,
    "zero-width characters": _hidden,
    "cut in half": _half,
    "words swapped": _swapped,
    "every 5th word gone": _thinned,
}


def halved(item: Item) -> str:
    """What the half has of the question."""
    half = _half(shown(item))
    return half[: len(item["question"])]


def planted(items: Sequence[Item], pages: Sequence[str], seed: int) -> dict[str, list[str]]:
    """Kind of leak -> a page with the leak for each item; no page where the kind does not concern the item."""
    draw = random.Random(seed)
    hosts = [pages[draw.randrange(len(pages))] for _ in items]
    long = "\n\n".join(pages)[:1_000_000]
    made = {
        kind: [_within(host, change(shown(item))) for item, host in zip(items, hosts, strict=True)]
        for kind, change in CHANGES.items()
    }
    made["in a page of a million characters"] = [_within(long, shown(item)) for item in items[:50]]
    made["choices reordered"] = [
        _within(host, shown(item, backwards=True)) for item, host in zip(items, hosts, strict=True) if item["choices"]
    ]
    return made


def _within(page: str, leak: str) -> str:
    middle = page.find("\n", len(page) // 2) + 1
    return f"{page[:middle]}\n\n{leak}\n\n{page[middle:]}"
