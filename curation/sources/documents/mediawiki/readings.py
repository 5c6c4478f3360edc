"""Templates for pronunciations and for names in other scripts.

Source: https://en.wikipedia.org/wiki/Template:IPA and of the same form Template:IPAc-en, Template:Respell,
Template:Nihongo, Template:Lang-zh, Template:Korean.
"""

import re

from curation.sources.documents.mediawiki.measures import Arguments, positional

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]+)*")
_BRACKETED = ("[", "/", "⟨")
_WORDS = frozenset(
    "lang local also us uk us also audio en-us icon pron pronunciation".split()
)  # what stands before the sounds
_CHINESE = {
    "c": "Chinese",
    "s": "simplified Chinese",
    "t": "traditional Chinese",
    "p": "pinyin",
    "w": "Wade–Giles",
    "j": "Jyutping",
    "y": "Yale",
    "poj": "Pe̍h-ōe-jī",
    "l": "lit.",
    "tr": "trans.",
}
_KOREAN = {"hangul": "", "hanja": "", "rr": "RR", "mr": "MR", "lit": "lit."}


def pronounced(arguments: Arguments) -> str:
    """`de|bɛʁˈliːn` and `bɛʁˈliːn` -> "[bɛʁˈliːn]"; what has its brackets keeps these."""
    values = positional(arguments)
    first = values[0] if values else ""
    sounds = values[1] if len(values) > 1 and _LANGUAGE.fullmatch(first) else first
    return sounds if not sounds or sounds.startswith(_BRACKETED) else f"[{sounds}]"


def letters(arguments: Arguments) -> str:
    """`b|r|uː|t` -> "/bruːt/"."""
    sounds = "".join(value for value in positional(arguments) if value.lower() not in _WORDS)
    return f"/{sounds.replace('_', ' ')}/" if sounds else ""


def respelled(arguments: Arguments) -> str:
    """`MAIR|kəl` -> "MAIR-kəl"; a part that is "_" is a space."""
    return "-".join(positional(arguments)).replace("-_-", " ").replace("_", " ")


def japanese(arguments: Arguments) -> str:
    """`Tea|茶|cha|note` -> "Tea (茶, cha, note)"; without the first, the second stands before the brackets."""
    values = [value for value in positional(arguments)[:4] if value]
    return f"{values[0]} ({', '.join(values[1:])})" if len(values) > 1 else "".join(values)


def chinese(arguments: Arguments) -> str:
    """`t=茶|p=chá` -> "traditional Chinese: 茶; pinyin: chá"."""
    return _labelled(arguments, _CHINESE) or arguments.get("1", "")


def korean(arguments: Arguments) -> str:
    """`hangul=차|hanja=茶|rr=cha` -> "차; 茶; RR: cha"."""
    return _labelled(arguments, _KOREAN) or arguments.get("1", "")


def _labelled(arguments: Arguments, labels: dict[str, str]) -> str:
    found = ((label, arguments.get(key)) for key, label in labels.items())
    return "; ".join(f"{label}: {value}" if label else value for label, value in found if value)
