"""Texts of one document that make a careless filter, rewriter or dedup method slow: repetition of many kinds."""

import random
from collections.abc import Callable, Mapping

REPEATED: Mapping[str, str] = {
    "one letter": "a",
    "one letter, capital": "A",
    "one word": "word ",
    "one capitalised word": "Word ",
    "one word on a line": "word\n",
    "one sentence": "The people of the town have to read and be kind. ",
    "one line": "The people of the town have to read and be kind.\n",
    "one paragraph": "The people of the town have to read.\n\n",
    "two letters": "ab",
    "two words": "one two ",
    "blanks": " ",
    "tabs": "\t",
    "wide blanks": "\u2003",
    "blanks and a letter": "      a",
    "blank lines": "\n",
    "returns": "\r",
    "returns and newlines": "\r\n",
    "blank and newline": " \n",
    "line separators": "\u2028",
    "next lines": "\x85",
    "letter and newline": "a\n",
    "dots": ".",
    "words and dots": "a.",
    "dots and blanks": ". ",
    "dashes": "-",
    "words and dashes": "a-",
    "underscores": "_",
    "words and underscores": "a_",
    "at-signs": "@",
    "letters and at-signs": "a@",
    "at-signs and dots": "a@a.",
    "addresses": "ann@example.org ",
    "addresses in one piece": "ann@example.org",
    "at in words": "ann (at) host dot ",
    "digits": "1",
    "zeros": "0",
    "digits and dots": "1.",
    "digits and dashes": "1-",
    "digits and blanks": "1 ",
    "digits and slashes": "1/",
    "digits and colons": "1:",
    "colons": ":",
    "digits and commas": "1,",
    "hexadecimal": "a1",
    "IP addresses": "10.20.30.40 ",
    "public IP addresses": "81.2.69.142 ",
    "IP addresses of version 6": "2001:db8::1 ",
    "telephone numbers": "+1 415 555 0132, ",
    "telephone numbers in one piece": "+14155550132",
    "plus signs and digits": "+1",
    "brackets and digits": "(1)",
    "card numbers": "4111 1111 1111 1111 ",
    "card numbers in one piece": "4111111111111111",
    "account numbers": "DE89 3704 0044 0532 0130 00 ",
    "account numbers in one piece": "DE89370400440532013000",
    "social security numbers": "SSN 219-09-9999, ",
    "labels": "phone: ",
    "labels and digits": "tel 1 ",
    "URLs": "https://example.org/a?b=c ",
    "URLs in one piece": "https://example.org/a",
    "URLs with names": "https://ann:secret@example.org/ ",
    "schemes": "http://",
    "schemes and www": "www.",
    "slashes": "/",
    "words and slashes": "a/",
    "backslashes": "\\",
    "percent signs": "%20",
    "quotes": '"',
    "single quotes": "'",
    "apostrophes": "a'",
    "assignments": "key = 'a",
    "assignments of secrets": "api_key = 'q8Zr2Lw0Vn5Tx7Jb' ",
    "equals signs": "=",
    "letters and equals signs": "a=",
    "beginnings of keys": "AKIA",
    "beginnings of tokens": "eyJ",
    "beginnings of tokens with dots": "eyJa.",
    "beginnings of private keys": "-----BEGIN PRIVATE KEY-----\n",
    "base64": "QUJD",
    "opening brackets": "(",
    "closing brackets": ")",
    "nested brackets": "([{",
    "square brackets": "[",
    "citations": "[1]",
    "open citations": "[1",
    "citation needed": "[citation needed",
    "curly brackets": "{",
    "angle brackets": "<",
    "tags": "<a>",
    "ends of tags": "</a",
    "placeholders": "<EMAIL>",
    "special tokens": "<|endoftext|>",
    "halves of special tokens": "<|",
    "commas": ",",
    "semicolons": ";",
    "ellipses": "…",
    "bullets": "• a\n",
    "hash marks": "#",
    "stars": "*",
    "tables": "| a | b |\n",
    "code fences": "```\n",
    "code": "def f(x): return {x: [x]}\n",
    "comments": "/* ",
    "lines of comments": "// a\n",
    "licences": "Copyright (c) 2020 Ann. All rights reserved.\n",
    "TeX": "$x^2$ ",
    "dollars": "$",
    "two dollars": "$$",
    "TeX brackets": "\\(",
    "TeX environments": "\\begin{equation} ",
    "TeX commands": "\\frac{",
    "CJK": "中",
    "CJK sentences": "没有空格的一行文字。",
    "kana": "あ",
    "Hangul": "한",
    "Hangul letters": "ᄒ",
    "Thai": "ก",
    "Khmer": "ក្",
    "Devanagari": "क्",
    "Arabic": "ا",
    "Hebrew": "א",
    "Cyrillic": "ж",
    "Greek": "Σ",
    "Latin with accents": "é",
    "dotted capitals": "İ",
    "sharp s": "ß",
    "ligatures": "ﷺ",
    "combining marks": "\u0301",
    "letters and marks": "a\u0301",
    "two kinds of marks": "\u0301\u0323",
    "mojibake": "Ã©",
    "mojibake twice": "ÃƒÂ©",
    "mojibake of quotes": "â€œ",
    "zero-width": "\u200b",
    "joiners": "\u200d",
    "marks of direction": "\u202e",
    "emoji": "😀",
    "chains of emoji": "👩\u200d",
    "flags": "🇩🇪",
    "half a flag": "🇩",
    "skin tones": "👍🏽",
    "tag characters": "\U000e0041",
    "private use": "\ue000",
    "replacement characters": "\ufffd",
    "NUL": "\0",
    "mixed scripts": "aжא中",
    "mixed scripts in words": "a ж א 中 ",
    "lorem ipsum": "lorem ipsum ",
    "policies": "privacy policy ",
    "stop words": "the of and to ",
}
HALVES = ("(", "[", "{", "<", '"', "$", "/*", "[1", "https://")


def _repeated(unit: str) -> Callable[[int], bytes]:
    return lambda size: unit.encode() * (size // len(unit.encode()) + 1)


def _opened_and_closed(opening: str) -> Callable[[int], bytes]:
    """As many openings as closings, all openings first."""
    closing = {"(": ")", "[": "]", "{": "}", "<": ">", "/*": "*/"}.get(opening, opening)
    return lambda size: (opening * (size // 2 // len(opening)) + closing * (size // 2 // len(closing))).encode()


def _distinct_words(size: int) -> bytes:
    return b" ".join(b"w%x" % number for number in range(size // 7))


def _distinct_lines(size: int) -> bytes:
    return b"\n".join(b"w%x is a line" % number for number in range(size // 17))


def _random(alphabet: str) -> Callable[[int], bytes]:
    def text(size: int) -> bytes:
        return "".join(random.Random(7).choices(alphabet, k=size // len(alphabet[0].encode()))).encode()

    return text


def _invalid(size: int) -> bytes:
    return b"\xe2\x80" * (size // 2)


def _growing_lines(size: int) -> bytes:
    """Lines of 1, 2, 3 … letters."""
    return b"\n".join(b"a" * number for number in range(int((2 * size) ** 0.5)))


TEXTS: Mapping[str, Callable[[int], bytes]] = {
    **{name: _repeated(unit) for name, unit in REPEATED.items()},
    **{f"{one} opened, then closed": _opened_and_closed(one) for one in HALVES},
    "distinct words": _distinct_words,
    "distinct lines": _distinct_lines,
    "growing lines": _growing_lines,
    "random letters": _random("abcdefghijklmnopqrstuvwxyz"),
    "random words": _random("abcdefghijklmnopqrstuvwxyz    "),
    "random digits": _random("0123456789"),
    "random groups of digits": _random("0123456789 -"),
    "random digits and dots": _random("0123456789."),
    "random addresses": _random("ab@.-"),
    "random hexadecimal": _random("0123456789abcdef"),
    "random base64": _random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    "random punctuation": _random("()[]{}<>\"'.,;:!?-_/\\|@#$%^&*~`+="),
    "bytes that are no UTF-8": _invalid,
}
"""Shape -> a function from a number of bytes to a text of about that many."""
