"""Accents, ligatures and named characters of TeX's text as Unicode.

Source: Knuth 1984, "The TeXbook", chapter 9; Lamport 1994, "LaTeX: A Document Preparation System", tables 3.1 and 3.2.
"""

import re
import unicodedata

ACCENTS = {  # as the combining character
    **{rf"\{sign}": mark for sign, mark in zip("`'^~\"=.", "\u0300\u0301\u0302\u0303\u0308\u0304\u0307", strict=True)},
    **{rf"\{name}": mark for name, mark in zip("uvHcdbrk", "\u0306\u030c\u030b\u0327\u0323\u0331\u030a\u0328", strict=True)},  # noqa: E501
}  # fmt: skip
SYMBOLS = {
    **{rf"\{sign}": sign for sign in "&%$#_{}"},
    **dict.fromkeys(("\\ ", "\\\n", r"\,", r"\;", r"\:", r"\>", r"\quad", r"\qquad", r"\space", r"\enspace"), " "),
    r"\ss": "ß", r"\ae": "æ", r"\AE": "Æ", r"\oe": "œ", r"\OE": "Œ", r"\o": "ø", r"\O": "Ø", r"\l": "ł", r"\L": "Ł",
    r"\aa": "å", r"\AA": "Å", r"\i": "ı", r"\j": "ȷ", r"\dh": "ð", r"\th": "þ", r"\S": "§", r"\P": "¶",
    r"\copyright": "©", r"\pounds": "£", r"\euro": "€", r"\dag": "†", r"\ddag": "‡", r"\dots": "…", r"\ldots": "…",
    r"\textellipsis": "…", r"\textendash": "–", r"\textemdash": "—", r"\textquoteleft": "‘", r"\textquoteright": "’",
    r"\textquotedblleft": "“", r"\textquotedblright": "”", r"\textbackslash": "\\", r"\textasciitilde": "~",
    r"\textasciicircum": "^", r"\textbar": "|", r"\textless": "<", r"\textgreater": ">", r"\textdegree": "°",
    r"\textregistered": "®", r"\texttrademark": "™", r"\textbullet": "•", r"\slash": "/", r"\textmu": "µ",
    r"\TeX": "TeX", r"\LaTeX": "LaTeX", r"\LaTeXe": "LaTeX2e", r"\BibTeX": "BibTeX", r"\nobreakspace": " ",
    r"\lq": "‘", r"\rq": "’", r"\guillemotleft": "«", r"\guillemotright": "»",
}  # fmt: skip
_LIGATURES = {
    "---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’", "~": " ", "?`": "¿", "!`": "¡", ",,": "„",
}  # fmt: skip
_LIGATURE = re.compile("---?|[?!]`|``?|''?|~|,,")
_DOTLESS = {"ı": "i", "ȷ": "j"}


def ligatures(text: str) -> str:
    """Text as TeX prints it: dashes, quotes, and the tie as a blank."""
    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], text)


def accented(base: str, mark: str) -> str:
    """Text with an accent on its first character, in one character where there is one."""
    letter = _DOTLESS.get(base[:1], base[:1])
    return unicodedata.normalize("NFC", (letter or " ") + mark) + base[1:]
