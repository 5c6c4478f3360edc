"""What a superscript stands at: a digit, a unit, a formula's bracket, a word of the sentence or the sentence's end.

A number behind `km` is an exponent and one behind `mill` the number of a note, so the rule of superscripts needs the
kind of the word before them. Words of four letters or more are prose unless they name a unit or a function.

Source: ours; names of units as the SI Brochure has them, in the larger European languages.
"""

import re
from enum import Enum, auto

LETTER = r"[^\W\d_]"
LOOK_BACK = 120  # characters that can matter
_LONGEST_WORD = 40  # characters of one that can matter
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"  # vowel signs and accents, which are no letters
_WORD_AT_END = re.compile(rf"(?:{LETTER}|(?!{LETTER})[{_MARKS}'’ʼ‐-])+\Z")  # in one way: some marks are letters too
_NAME_WITH_NUMBER = re.compile(rf"({LETTER}{{3,}})[-‐‑–]?\d+\Z")  # COVID-19, but not log2
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?")
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_CJK_UNIT = re.compile(r"(?:[米尺寸里丈码]|メートル|メーター|ヤード|フィート|インチ|マイル|미터|[\u3380-\u33df])\Z")
_UNIT_NAME = re.compile(
    r"(?:(?:kilo|ki?ló|quilô|chilo|hecto|hekto|deca|deci|dezi|centi|zenti|centí|milli|mili|micro|mikro|nano)?"
    r"m(?:eters?|etres?|ètres?|etern?|etros?|etri|etrów|etrar)"
    r"|(?:санти|кило|милли)?метр(?:а|ов|ы)?"
    r"|inch(?:es)?|foot|feet|yards?|miles?|acres?|hectares?|seconds?|minutes?|hours?|volts?|watts?|amp(?:ere)?s?"
    r"|kelvins?|(?:kilo|milli)?gram(?:me)?s?|newtons?|teslas?|pascals?|joules?|radians?|degrees?|pixels?|parsecs?"
    r"|[mkµn]?mol|k?cal|mmHg|kWh"
    r"|(?:arc|a)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|lg|grad|curl)\Z",
    re.IGNORECASE,
)
_UNIT_SYMBOL = re.compile(
    r"(?:[kcdmnµμhGMT]?(?:m|s|g|l|L|W|V|A|Hz|Pa|N|J|K|b|B)|ft|in|yd|mi|ha|sec|min|pc|px|eV|км|см|мм|м|с|г)\Z"
)
_ENDS_SENTENCE = frozenset(".,;:!?…\"'”’“»«›%‰&™®©℠。、，；：！？」』．")
_CLOSES = {")": "(", "]": "[", "}": "{", "）": "（", "］": "［", "⟩": "⟨", "⌋": "⌊", "⌉": "⌈"}
_SYMBOLS = frozenset("|‖∥∇∂∞°′″℃∆√Å₀₁₂₃₄₅₆₇₈₉")


class Base(Enum):
    """The kinds; LETTER is a word of one letter, SHORT one of two or three that is neither a unit nor a function."""

    NONE = auto()  # a space, a bracket that opens, a hyphen or an operator
    DIGIT = auto()
    LETTER = auto()
    SHORT = auto()
    UNIT = auto()
    WORD = auto()
    GROUP = auto()  # a bracket of a formula, or a symbol
    SENTENCE = auto()  # its end, a quotation mark, or a sign such as % or ™


def base_of(before: str) -> Base:
    """The kind of what the text ends with; only its last LOOK_BACK characters count."""
    before = before[-LOOK_BACK:]
    last = before[-1:]
    tail = before.rpartition(" ")[2][-_LONGEST_WORD:]
    if last.isdigit():
        named = _NAME_WITH_NUMBER.search(tail)
        return Base.WORD if named and not _UNIT_NAME.match(named[1]) else Base.DIGIT
    if last in _CLOSES:
        return _of_bracket(before, last)
    if last in _ENDS_SENTENCE and last:
        return Base.SENTENCE
    if last in _SYMBOLS or (not last.isascii() and _CJK_UNIT.search(tail)):
        return Base.GROUP
    if _CJK_CHARACTER.match(last):
        return Base.WORD
    word = _WORD_AT_END.search(tail)
    return _of_word(word[0]) if word and last not in "-‐ʼ" else Base.NONE


def _of_word(word: str) -> Base:
    """The kind of a word, which may have hyphens and apostrophes in it: kg-m ends in a unit, by-law does not."""
    last = re.split("[-‐]", word)[-1]
    if len(last) == 1:
        return Base.LETTER
    if _UNIT_NAME.match(last) or _UNIT_SYMBOL.match(last):
        return Base.UNIT
    letters = sum(character.isalpha() for character in word)
    return Base.LETTER if letters <= 1 else Base.SHORT if letters <= 3 else Base.WORD


def _of_bracket(before: str, closes: str) -> Base:
    """The kind of what stands between the brackets: with words in it, or as a year, it is a part of the sentence."""
    depth = 0
    for place in range(len(before) - 1, -1, -1):
        depth += (before[place] == closes) - (before[place] == _CLOSES[closes])
        if not depth:
            inside = before[place + 1 : -1].strip()
            words = any(not _UNIT_NAME.match(word) for word in re.findall(rf"{LETTER}{{4,}}", inside))
            prose = words or _YEAR.fullmatch(inside) or _CJK_CHARACTER.search(inside)
            return Base.WORD if prose else Base.GROUP
    return Base.GROUP
