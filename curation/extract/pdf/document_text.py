"""The lines of all pages as one text: without what repeats at the edges of pages, words joined over line ends."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from curation.extract.pdf.page_lines import COLUMN, GOES_ON, LINE, SENTENCE_END, PageLine

EDGE = 2  # lines at the top and as many at the bottom that may be a page's head or foot
REPEATS = 3  # pages that have it
PLACE = 6.0  # points within which it stands on each
_NUMBER = re.compile(r"\d+|^[ivxlcdm]+$", re.IGNORECASE)
_HYPHENS = "-\u2010\u00ad\x02\ufffe"  # U+0002 and U+FFFE are what PDFium makes of one at the end of a line
# Ligatures, and what is no text: soft hyphens, control characters, noncharacters.
_ODD = re.compile("[\ufb00-\ufb06\u00ad\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_NOTHING = re.compile("[\u00ad\x00-\x20\x7f\ufffe\uffff]*")
_LIGATURES = dict(
    zip("\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)
)
_COMPOUND = re.compile(r"\w+-\w+")
_LAST_WORD = re.compile(r"\w+$")
_FIRST_WORD = re.compile(r"\w*")
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")  # Chinese and Japanese


def document_text(pages: Sequence[Sequence[PageLine]]) -> tuple[str, int]:
    """The text, and how many lines were cut because they repeat on several pages but for their numbers."""
    pages = [[line for line in page if not _NOTHING.fullmatch(line.text)] for page in pages]
    compounds = {word for page in pages for line in page if "-" in line.text for word in _COMPOUND.findall(line.text)}
    edges = [_edges(page) for page in pages]
    seen = Counter(key for page in edges for key in {*page.values()})
    parts: list[str] = []
    cut = 0
    for page, keys in zip(pages, edges, strict=True):
        kept = [line for at, line in enumerate(page) if at not in keys or seen[keys[at]] < REPEATS]
        cut += len(page) - len(kept)
        for at, line in enumerate(kept):
            _add(parts, line.text, COLUMN if at == 0 else line.follows, compounds)
    return _ODD.sub(lambda odd: _LIGATURES.get(odd[0], ""), "".join(parts)).strip(), cut


def _edges(page: Sequence[PageLine]) -> dict[int, tuple[str, int]]:
    """By its number on the page, what a line at an edge says but for numbers, and where."""
    order = sorted(range(len(page)), key=lambda at: page[at].middle)
    return {
        at: (_NUMBER.sub("#", page[at].text), round(page[at].middle / PLACE)) for at in (*order[:EDGE], *order[-EDGE:])
    }


def _add(parts: list[str], text: str, follows: int, compounds: Collection[str]) -> None:
    """Add a line, and before it what stands between it and the one before. A word's hyphen goes where a small letter
    follows, unless the word has it within a line elsewhere."""
    if not parts:
        parts.append(text)
        return
    before = parts[-1]
    if follows == COLUMN and text[0].islower() and not SENTENCE_END.search(before):
        follows = GOES_ON
    if follows != GOES_ON:
        parts += ["\n" if follows == LINE else "\n\n", text]
    elif before[-1] in _HYPHENS and (begun := _LAST_WORD.search(before[:-1])):
        ended = _FIRST_WORD.match(text)
        compound = f"{begun[0]}-{ended[0] if ended else ''}"
        parts[-1] = before[:-1] + ("" if text[0].islower() and compound not in compounds else "-")
        parts.append(text)
    else:
        parts += ["" if _UNSPACED.match(before[-1]) and _UNSPACED.match(text[0]) else " ", text]
