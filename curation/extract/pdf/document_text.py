"""The lines of all pages as one text: without heads and feet, paragraphs joined over columns and pages.

Footnotes, and what stands between the end of a column and the lines that go on from there, as figures do, follow the
paragraph that they interrupt.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from curation.extract.pdf.document_words import HYPHENS, DocumentWords, is_broken
from curation.extract.pdf.line_flow import COLUMN, GOES_ON, LINE, PARAGRAPH
from curation.extract.pdf.page_lines import SENTENCE_END, UPWARDS, PageLine
from curation.extract.pdf.running_lines import without_running_lines

SMALL = 0.93  # of the text's size: letters of a footnote
LIKE = 1.06  # of the letters' size in both parts of a paragraph
FURTHEST = 200  # lines between both
LONG = 24  # characters of a line of a paragraph, where it stands behind others
MOSTLY = 0.5  # of a document's lines: a typewriter's font is not one for programs
# A caption, and a number or mark before an item or a heading.
_BEGINS = re.compile(
    r"(?:fig|tab|abb|list|algo|box|chart|plate|schem|图|表|図)\w*\.? ?\d|\d{1,2}[ \t.)]|\(\w{1,3}\)|\[\w+\]|- ",
    re.IGNORECASE,
)
_OPENING = "([\"'“‘«"
# Ligatures and other forms of letters, and what is no text: soft hyphens, control characters, noncharacters.
_ODD = re.compile("[\ufb00-\ufdff\ufe70-\ufefc\u00ad\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_NOTHING = re.compile("[\u00ad\x00-\x20\x7f\ufffe\uffff]*")


def document_text(pages: Sequence[Sequence[PageLine]]) -> tuple[str, int]:
    """The text, and how many lines were cut because they repeat on several pages but for their numbers."""
    pages = [[line for line in page if not _NOTHING.fullmatch(line.text)] for page in pages]
    pages, cut = without_running_lines(pages)
    pages = [[line._replace(follows=COLUMN) for line in page[:1]] + page[1:] for page in pages]
    words = DocumentWords(line.text for page in pages for line in page)
    usual = _usual_size([line for page in pages for line in page])
    lines = [line for page in _marked(pages, SMALL * usual) for line in page]
    programs = sum(line.typed for line in lines) < MOSTLY * len(lines)
    parts: list[str] = []
    before: PageLine | None = None
    for line in _in_order(lines, usual):
        _add(parts, before, line, words, programs)
        before = line
    return _ODD.sub(_plain, "".join(parts)).strip(), cut


def _plain(odd: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", odd[0]) if "\ufb00" <= odd[0] < "\ufffe" else ""


class _Note(PageLine):
    """A line of a footnote."""


def _marked(pages: Sequence[Sequence[PageLine]], limit: float) -> Iterator[list[PageLine]]:
    """The pages with their footnotes marked: lines in letters below `limit` at the end of a column that has others.
    Where the next column has small letters alone, they are the text, as a list of references is."""
    lasting = False
    marked: list[list[PageLine]] = []
    for page in reversed(pages):
        found = list(page)
        stop = len(found)
        while stop:
            start = stop - 1
            while start and found[start - 1].column == found[stop - 1].column:
                start -= 1
            first = stop
            while first > start and found[first - 1].size < limit:
                first -= 1
            if start < first < stop and not lasting:
                found[first:stop] = [_Note(*line) for line in found[first:stop]]
            if found[start].column != UPWARDS:
                lasting = first == start
            stop = start
        marked.append(found)
    return reversed(marked)


def _usual_size(lines: Sequence[PageLine]) -> float:
    """The size of letters of which no more than half of the characters are larger, and no more than half smaller."""
    left = sum(len(line.text) for line in lines) / 2
    for size, length in sorted((line.size, len(line.text)) for line in lines):
        left -= length
        if left <= 0:
            return size
    return 0.0


def _in_order(lines: Sequence[PageLine], usual: float) -> Iterator[PageLine]:
    """The lines, with those that interrupt a paragraph behind it, and the first of what goes on made to go on."""
    held: list[PageLine] = []
    before: PageLine | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        apart = line.follows == COLUMN or (isinstance(line, _Note) and not isinstance(before, _Note))
        goes_on = _goes_on(lines, at, before, usual) if apart and before else -1
        if goes_on >= 0:
            held += lines[at:goes_on]
            line = lines[goes_on]._replace(follows=GOES_ON)
            at = goes_on
        elif held and line.follows in (PARAGRAPH, COLUMN):
            yield from _begun(held)
            held = []
        yield line if goes_on >= 0 or not apart else line._replace(follows=PARAGRAPH)
        before = line
        at += 1
    yield from _begun(held)


def _begun(lines: Sequence[PageLine]) -> Iterator[PageLine]:
    for at, line in enumerate(lines):
        yield line._replace(follows=PARAGRAPH) if at == 0 or line.follows == COLUMN else line


def _goes_on(lines: Sequence[PageLine], at: int, before: PageLine, usual: float) -> int:
    """Where the paragraph of the line before goes on at or behind `at`, -1 if it has ended. `usual` is the size of the
    document's letters."""
    if before.row or not before.full or SENTENCE_END.search(before.text):
        return -1
    far = len(before.text) > LONG and before.size * LIKE >= usual
    for other in range(at, min(at + FURTHEST, len(lines)) if far else at + 1):
        line = lines[other]
        if line.follows not in (PARAGRAPH, COLUMN) or isinstance(line, _Note) or line.row:
            continue
        if line.typed != before.typed or not _is_alike(line.size, before.size):
            continue
        begins = _begins_small(line.text)
        long = len(line.text) > LONG and not _BEGINS.match(line.text)
        if begins and (long or other == at):
            return other
        if long and (other == at) and line.full and far:
            return other
        if long and before.text[-1] not in HYPHENS:
            return -1
    return -1


def _begins_small(text: str) -> bool:
    """Whether a line begins as no sentence does: with a small letter, a number or a bracket."""
    return text[0] == "(" or text.lstrip(_OPENING)[:1].islower() or text[0].isdecimal()


def _is_alike(size: float, other: float) -> bool:
    return max(size, other) <= LIKE * min(size, other)


def _add(parts: list[str], before: PageLine | None, line: PageLine, words: DocumentWords, programs: bool) -> None:
    """Add a line, and before it what stands between it and the one before."""
    if before is None:
        parts.append(line.text)
        return
    follows = line.follows
    if follows == LINE and is_broken(before.text, line.text) and not (line.row or before.row):
        follows = GOES_ON
    if follows == GOES_ON and programs and line.typed and before.typed:
        follows = LINE
    if follows == GOES_ON:
        parts[-1], between = words.between(parts[-1], line.text)
        parts += [between, line.text]
    else:
        parts += ["\n" if follows == LINE else "\n\n", line.text]
