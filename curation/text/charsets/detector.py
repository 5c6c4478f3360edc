"""Which legacy encoding a text is in: chardet's judgement of a sample, and whether bytes fit an encoding.

Source: chardet 7, whose models of letter pairs score each encoding; the candidates are those of the WHATWG Encoding
Standard and a few older ones of Cyrillic and Korean pages, because each further one costs time and is rarely right.
A guess that reads the text as its usual neighbour does is that neighbour: text that ISO 8859-15 and Windows-1252 read
alike is Windows-1252, as on nearly all pages.
"""

import codecs
import re

import chardet

from curation.text.charsets.damage import MIN_VALID, valid_share
from curation.text.charsets.evidence import sample
from curation.text.charsets.labels import codec_of

MAX_REPLACED = 0.01  # of non-ASCII characters: up to this share of undecodable ones, a multi-byte encoding fits
MIN_TELLING = 8  # bytes beyond ASCII: fewer say nothing about a text of which nothing else is known
MIN_NULLS_BESIDE = 3  # times as many NULs as in the other bytes of the pairs; UTF-32 has at most twice as many
ESCAPED_BYTES = 32768  # read from the first escape on
LATIN_1 = "cp1252"  # what the web means by it
# by chardet's names
CANDIDATES = frozenset(
    """
    big5hkscs cp932 cp949 euc_jis_2004 euc_kr gb18030 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_ext iso2022_kr hz johab
    shift_jis_2004 cp874 tis-620 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u cp855
    cp866 iso8859-1 iso8859-2 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-13 iso8859-15
    mac-cyrillic mac-roman
    """.split()
)
CODECS = frozenset(codec_of(name) or name for name in CANDIDATES)  # that may be guessed
USUAL = {
    "iso8859-2": "cp1250",
    "iso8859-4": "cp1257",
    "iso8859-8": "cp1255",
    "iso8859-13": "cp1257",
    "mac-roman": "cp1252",
    "cp1250": "cp1252",
    "cp1254": "cp1252",
    "cp1257": "cp1252",
}
# An encoding of ISO, that of Windows beside it, and what is found where the text is in the first: the euro beside a
# figure; the ligature of French "œuvre" before a letter; of Greek, a capital alpha with an accent before a letter,
# and single quotation marks.
_EURO = rb"[0-9][ \xa0]?\xa4|\xa4[ \xa0]?[0-9]"
NEIGHBOURS = (
    ("iso8859-15", "cp1252", re.compile(_EURO + rb"|(?<![0-9\x80-\xff])\xbd[a-z]{2}")),
    ("iso8859-7", "cp1253", re.compile(_EURO + rb"|\xb6[\xdc-\xfe]|\xa1|\xa2(?![\xc1-\xfe])")),
)
ALBANIAN = b"\xc7\xcb\xe7\xeb"  # letters, in a language that the detector takes for a Baltic one
# Signs that all code pages of Windows but the Thai one have in one place: text with no others is Windows-1252.
SIGNS = bytes(
    (*range(0x84, 0x88), 0x82, 0x89, 0x8B, *range(0x91, 0x98), 0x99, 0x9B, 0xA0, 0xA7, 0xA9, *range(0xAB, 0xAF))
)
SIGNS += bytes((0xB0, 0xB1, 0xB5, 0xB6, 0xB7, 0xBB))
MIN_WORD = 4  # bytes
MIN_SCORE = 0.5  # of the best one's confidence, from which on another encoding may stand for one that lacks the bytes
# Accented letters beside an ASCII one: of Windows-1252, and of Mac Roman, whose others are capitals and rare.
_ACCENTED = re.compile(rb"(?<=[A-Za-z])[\xc0-\xd1\xd6\xd8-\xff]|[\xc0-\xd1\xd6\xd8-\xff](?=[A-Za-z])")
_ACCENTED_MAC = re.compile(rb"(?<=[A-Za-z])[\x80-\x9f]|[\x80-\x9f](?=[A-Za-z])")
_LATIN_WORD = re.compile(rb"[A-Za-z][\x80-\xff]|[\x80-\xff][A-Za-z]")
MIN_IN_WORDS = 0.5  # of bytes beyond ASCII: from this share beside an ASCII letter on, they are accented letters
NO_LATIN_LETTERS = frozenset(
    """
    cp1251 cp1253 cp1255 cp1256 cp855 cp866 cp874 iso8859-5 iso8859-6 iso8859-7 iso8859-8 koi8-r koi8-u mac-cyrillic
    tis-620
    """.split()
)
_MULTIBYTE = re.compile(r"utf|gb|big5|euc|shift|iso2022|johab|hz|cp9(32|49|50)")
_ASCII = bytes(range(128))
_HIGH = bytes(range(128, 256))
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")  # without U+0085, the line break of EBCDIC converters


def ranked(text: bytes) -> dict[str, float]:
    """Codec -> confidence in it relative to the best one's, which comes first; empty if none is found. The text is
    without markup, and not all ASCII."""
    if not text.translate(None, _ASCII + SIGNS):
        return {LATIN_1: 1.0}
    evidence = sample(text)
    scores: dict[str, float] = {}
    latin = is_latin(evidence)
    windows = fits(text, LATIN_1) and len(_ACCENTED.findall(text)) > len(_ACCENTED_MAC.findall(text))
    for guess in chardet.detect_all(evidence, ignore_threshold=True, include_encodings=CANDIDATES):
        name = guess["encoding"]
        codec = name and _superset(name, evidence)
        if codec == "mac-roman" and windows:
            codec = LATIN_1
        if codec and not (latin and codec in NO_LATIN_LETTERS):
            scores.setdefault(codec, guess["confidence"])
    if not scores:
        return {}
    best, most = next(iter(scores.items()))
    other = _beside(best, text)
    if other in (LATIN_1, "iso8859-1") and not fits(text, LATIN_1):
        other = next(
            (codec for codec, score in scores.items() if score >= MIN_SCORE * most and fits(text, codec)), other
        )
    if other != best:
        scores = {other: most} | {codec: score for codec, score in scores.items() if codec != other}
    return {codec: score / max(most, 1e-9) for codec, score in scores.items()}


def is_latin(text: bytes) -> bool:
    """Whether bytes beyond ASCII stand within words of ASCII letters, or are fewer than a word of another script."""
    telling = telling_bytes(text)
    return telling < MIN_WORD or len(_LATIN_WORD.findall(text)) >= MIN_IN_WORDS * telling


def _beside(codec: str, text: bytes) -> str:
    """The codec, or its neighbour that reads the text alike or by what only one of them has."""
    for standard, windows, telltale in NEIGHBOURS:
        if codec in (standard, windows):
            return standard if telltale.search(text) and fits(text, standard) else windows
    if codec == "cp1257" and not text.translate(None, _ASCII + SIGNS + ALBANIAN):
        return LATIN_1
    usual = USUAL.get(codec, codec)
    few = codec == "mac-roman" and telling_bytes(text) < MIN_TELLING
    return usual if fits(text, usual) and (few or _reads_alike(text, codec, usual)) else codec


def detected(text: bytes) -> str | None:
    """Codec of a text without markup that is not valid UTF-8: utf-8 if it is damaged, None if it is too short or
    no text."""
    share = valid_share(text)
    if share is None or share >= MIN_VALID:
        return "utf-8"
    if telling_bytes(text) < MIN_TELLING or b"\0" in text:
        return None
    best = next(iter(ranked(text)), None)
    return best if best and fits(text, best) else None


def detected_escaped(text: bytes) -> str | None:
    """Codec of ASCII text with escapes; None if it is none of ISO 2022."""
    start = text.index(b"\x1b")
    name = chardet.detect(text[start : start + ESCAPED_BYTES], include_encodings=CANDIDATES)["encoding"]
    codec = name and codec_of(name)
    return codec if codec and codec.startswith("iso2022") else None


def detected_wide(text: bytes) -> str | None:
    """Codec of text with many NULs; None if it cannot be determined."""
    codec = null_side(text)
    return codec or codec_of(chardet.detect(text, encoding_era=chardet.EncodingEra.MODERN_WEB)["encoding"] or "")


def null_side(text: bytes) -> str | None:
    """UTF-16's byte order if NULs are nearly all in the first or the second bytes of the pairs; None otherwise."""
    first = text[::2].count(0)
    second = text[1::2].count(0)
    if max(first, second) <= MIN_NULLS_BESIDE * min(first, second):
        return None
    return "utf-16-be" if first > second else "utf-16-le"


def fits(content: bytes, codec: str) -> bool:
    """Whether the bytes decode without C1 controls, or nearly so in a multi-byte encoding."""
    if _MULTIBYTE.match(codec):
        text = content.decode(codec, "replace")
        return text.count("\ufffd") <= MAX_REPLACED * (len(text) - ascii_bytes(content))
    distinct = bytes(sorted(set(content.translate(None, _ASCII))))
    try:
        return not _CONTROLS.search(distinct.decode(codec))
    except UnicodeDecodeError:
        return False


def _reads_alike(content: bytes, one: str, other: str) -> bool:
    """Whether two codecs of one byte a character give the same text."""
    distinct = bytes(sorted(set(content.translate(None, _ASCII))))
    return distinct.decode(one, "replace") == distinct.decode(other, "replace")


def ascii_bytes(content: bytes) -> int:
    return len(content.translate(None, _HIGH))


def telling_bytes(content: bytes) -> int:
    """How many bytes are beyond ASCII."""
    return len(content) - ascii_bytes(content)


def _superset(name: str, evidence: bytes) -> str | None:
    """The codec that the web means by a guess, where the bytes fit it: ISO 8859-9 text may hold bytes that its superset
    lacks."""
    codec = codec_of(name)
    own = codecs.lookup(name).name
    return codec if codec is None or codec == own or fits(evidence, codec) else own
