"""How a superscript is written in plain text: `10^6` and `m^2`, `21st` and `Mme` as they are, footnote marks omitted.

One rule for all sources and extractors, because without it 10 to the power of 6 reads as the number 106. Markup does
not say what a superscript means, so what stands in it and before it decides:

    footnote marks   whatever is in square brackets ([1], [citation needed]), a short link to a note, marks such as *
                     and †, and numbers behind a sentence's end, behind a word of four letters or more, and behind a
                     Chinese, Japanese or Korean one; they are left out
    exponents        numbers, charges and short expressions behind a digit, a bracket, a symbol, a unit, a function or a
                     word of up to three letters get a caret: 10^-5, km^2, sinh^2, Ca^2+, x^n; parentheses stand around
                     what would read differently without them: 2^(n-1)
    all else         ordinals (21st, 2e), abbreviations (No, Mlle, TM), prime and degree signs, and what has no base,
                     such as the 14 of an isotope or a note's own number: as it is

Where both readings are possible the text is kept, because a number too many harms less than a lost exponent: the mark
in `law<sup>3</sup>` becomes an exponent. Signs are kept as they are written.

Source: ours.
"""

import re
import unicodedata

from curation.text.html.superscript_bases import LETTER, LOOK_BACK, Base, base_of

MAX_MARK = 12  # characters of a link to a note
_NEAR = 12  # characters of a number with its currency, or of a time
_SIGNS = "+\\-−–‐‑＋－"
_MARKS = "*†‡§¶#‖※＊⁎"
_MARK = rf"(?:(?:\d{{1,3}}[a-z]?|[a-z])[{_MARKS}]*|[{_MARKS}]+)"
_BRACKETED = re.compile(r"(?=[\s,;–-]*[\[〔［【])(?:\[[^\[\]]*\]|〔[^〕]*〕|［[^］]*］|【[^】]*】|[\s,;–-])+")
_SIGN_MARK = re.compile(rf"[{_MARKS}]+\)?\d{{0,3}}|[注註]\d{{0,3}}|\?")
_PAGES = re.compile(r":\s?(?:pp?\.?\s?)?\d[\d\s,–-]*")  # of the book that a note names
_MARK_LIST = re.compile(rf"{_MARK}(?:(?:\s?[,;，、–-]\s?|\s){_MARK})+|\d{{1,3}}[{_MARKS}]+")
_SURE_LIST = re.compile(rf".*[,;，、{_MARKS}]|\d+\s?[–-]\s?\d+\Z")  # n-1 could be a list, but is an expression
_ENCLOSED = re.compile(r"[(（]?(?:\d{1,3}|[a-z]|\*+)[)）]")  # (1), and 1) as German books have it
_NOTE_NUMBER = re.compile(r"\d{1,3}")
_NOTE_LETTER = re.compile(r"[abcdfgh]")  # e, n, o, r, s, t and y end abbreviations
_ADJOINT = frozenset("*†‡＊⁎")  # z^* and A^† are mathematics
_NUMBER = re.compile(rf"(?:[{_SIGNS}]\s?)?\d+(?:[.,]\d+)?")
_CHARGE = re.compile(rf"\d{{0,2}}[•·]?[{_SIGNS}]{{1,3}}[•·]?|[•·][{_SIGNS}]")
_EXPRESSION = re.compile(r"[\w\s+\-−–*×·⋅∙/⁄^=<>≤≥(){}\[\],.|!′'∞±√∗]+")
_OPERATOR = re.compile(
    rf"[+\-−–*×·⋅∙/⁄^=<>≤≥(|!±√]|\d\s?{LETTER}|[α-ωϕϑπ]{LETTER}|{LETTER}[α-ωϕϑπ]|\b(?:log|ln|sin|cos|tan)\s*\w"
)
_ORDINAL = re.compile(r"st|nd|rd|th|er|re|de|[eè]me")
_ORDINAL_LETTER = re.compile(r"[aeoαηοа-я]")  # of Romance languages, French, Greek and Russian: 1a, 2e, 5й
_LONG_WORD = re.compile(rf"{LETTER}{{4}}")
_LONE_E = re.compile(rf"(?<!{LETTER})e\Z")
_ABBREVIATED = frozenset("No no Co Mr Me Ms Mc Dr St Sr Jr Pr Fr".split())
_POWERS_OF_FUNCTIONS = frozenset("nkmpqxyN")
_POWERS_OF_PRODUCTS = frozenset("nkTH")  # AB^T, but not XXe
_GRADES = frozenset("ABCD")
_PRICE = re.compile(r"[$€£¥]\s?\d{1,6}\Z")
_HOUR = re.compile(r"(?:^|\D)(?:[01]?\d|2[0-3])\Z")
_HOUR_FIRST = re.compile(r"\s*(?:1[1-9]|2[0-3]|[3-9])\Z")  # in a list of times; 2 and 10 have powers
_TIME = re.compile(r"\d\s?[hm]\s?\d{1,2}(?:\.\d+)?\Z")  # 5h 35
_FRACTION = re.compile(r"\s?(?:⁄|[/∕]\s?<sub\b)")
_SCALE = re.compile(r"\s?[CFNSEW](?![^\W\d_])")


def superscript(before: str, content: str, *, linked: bool, after: str = "") -> str:
    """Plain text that replaces `<sup>content</sup>`.

    `before` is the text before it in its block as it was written: at least its last word, "" where the block begins.
    `content` is text, in which superscripts are already written. `linked` says that it is a link to a place in the
    same page or to a note. `after` is the markup behind it, of which few characters matter: with it
    5<sup>1</sup>/<sub>2</sub> is `5 1/2` and 25<sup>o</sup>C is `25°C`.
    """
    written = " ".join(content.split())
    before = before[-LOOK_BACK:]
    if not before.strip():
        remark = _BRACKETED.fullmatch(written) and re.search(rf"{LETTER}{{3}}", written)
        return "" if remark else written  # [citation needed]; else an isotope, or a note that begins with its number
    base = base_of(before)
    if not written or _is_note(written, base, before, linked):
        return ""
    if base is Base.NONE:
        return written
    if base is Base.DIGIT and (special := _behind_digit(before[-_NEAR:], written, after)):
        return special
    return _raised(before, written, base)


def _is_note(written: str, base: Base, before: str, linked: bool) -> bool:
    """Whether it is the mark of a footnote, or several."""
    if _BRACKETED.fullmatch(written) or _PAGES.fullmatch(written) or (linked and len(written) <= MAX_MARK):
        return True
    if _SIGN_MARK.fullmatch(written):
        return base is not Base.LETTER or written not in _ADJOINT
    listed = _MARK_LIST.fullmatch(written)
    if base in (Base.SENTENCE, Base.WORD):
        return bool(listed or any(one.fullmatch(written) for one in (_NOTE_NUMBER, _ENCLOSED, _NOTE_LETTER)))
    if base is Base.SHORT:
        # Element symbols have their isotopes behind them in older texts: Co^60.
        large = re.fullmatch(r"\d\d\d?", written) and not re.fullmatch(r"\W?[A-Z][a-z]", before[-3:])
        first = written == "1"  # which no exponent is
        return bool(large or first or _ENCLOSED.fullmatch(written) or (listed and _SURE_LIST.match(written)))
    if base is Base.UNIT:
        return written == "1"
    if base is Base.DIGIT:
        decimal = re.search(r"\d\.\d+\Z", before[-_NEAR:]) and _NOTE_LETTER.fullmatch(written)  # 0.25 with a note a
        several = listed and not _NUMBER.fullmatch(written) and re.search(f"[,;{_MARKS}]", written)
        return bool(several or decimal or _ENCLOSED.fullmatch(written))
    return False


def _behind_digit(before: str, written: str, after: str) -> str:
    """Cents, times of day, fractions, degrees and ordinals behind a number; "" for an exponent."""
    if _PRICE.search(before) and re.fullmatch(r"\d\d", written):
        return f".{written}"
    minutes = re.fullmatch(r"[0-5]\d", written) is not None
    if minutes and (_HOUR_FIRST.match(before) or (written[0] == "0" and _HOUR.search(before))):
        return f":{written}"
    if _NOTE_NUMBER.fullmatch(written) and (_FRACTION.match(after) or (written == "1" and re.match(r"[/∕]\d", after))):
        return f" {written}"
    if re.fullmatch(r"\d+⁄\d+", written):
        return f" {written}"
    ten = re.search(r"(?<!\d)10\Z", before) and written == "0"
    if written in ("o", "O", "0") and _SCALE.match(after) and not ten:
        return "°"
    ordinal = _ORDINAL_LETTER.fullmatch(written) or (written == "d" and before[-1] in "23")
    decade = written == "s" and before[-1] == "0"
    hours = written == "h" and not re.search(r"(?<!\d)2\Z", before)
    if ordinal or decade or hours or (written in ("m", "s") and _TIME.search(before)):
        return written
    return ""


def _raised(before: str, written: str, base: Base) -> str:
    """An exponent with its caret, or what is no exponent as it is."""
    prose = base in (Base.WORD, Base.SENTENCE)
    core = written.rstrip(".,;:")
    tail = written[len(core) :]
    if _NUMBER.fullmatch(core):
        return written if prose and core[0].isdigit() else f"^{core.replace(' ', '')}{tail}"
    if _CHARGE.fullmatch(core):
        plain = prose or (base is Base.LETTER and before[-1] in _GRADES)  # A+ and Disney+
        return written if plain and not core[0].isdigit() else f"^{core}{tail}"
    if _LONG_WORD.match(written) and (prose or base is Base.SHORT):
        return f" {written}"  # a word by itself
    if prose:
        return written
    if len(written) == 1:
        return f"^{written}" if _is_variable(before, written, base) else written
    if _is_expression(before, written, base):
        enclosed = re.fullmatch(r"\([^()]*\)", written)
        return f"^{written}" if enclosed else f"^({written})"
    return written


def _is_variable(before: str, written: str, base: Base) -> bool:
    """Whether one character is an exponent."""
    if not written.isalpha():
        symbol = unicodedata.category(written) == "Sm" and base is not Base.DIGIT
        return symbol or written == "∞" or written in _ADJOINT
    if base is Base.UNIT:
        return written in _POWERS_OF_FUNCTIONS
    if base is Base.SHORT:
        return before[-2:].isupper() and written in _POWERS_OF_PRODUCTS
    last = before[-1]
    if base is Base.LETTER:
        return not (written in "oªº" or last + written in _ABBREVIATED or (last in "IVXLCM" and written == "e"))
    return written not in "ªº"


def _is_expression(before: str, written: str, base: Base) -> bool:
    """Whether it is a short expression such as n-1, 2n or iπ, and no abbreviation."""
    if not _EXPRESSION.fullmatch(written) or _LONG_WORD.search(written) or _ORDINAL.fullmatch(written):
        return False
    exponential = base is Base.LETTER and _LONE_E.search(before[-2:]) and len(written) <= 3
    return bool(exponential or _OPERATOR.search(written))
