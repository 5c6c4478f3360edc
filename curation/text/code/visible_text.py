"""Counts the characters of HTML source that a reader would see. N documents.

Tags, comments, declarations and the contents of <script> and <style> do not count. Whitespace counts as written, and a
character reference (&amp;amp; or &amp;#8212;) as one character. The count is meant for a limit, not for extraction.
"""

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Byte, Int, kernel
from curation.text.phrases.line_phrases import lower_phrases, phrase_at

_LESS = 60
_MORE = 62
_AND = 38
_HASH = 35
_SEMICOLON = 59
_SLASH = 47
_EXCLAMATION = 33
_QUESTION = 63
_DOUBLE = 34
_SINGLE = 39
_EQUALS = 61
_LONGEST_REFERENCE = 32  # bytes
_COMMENT = 2  # its place among the openings


def visible_characters(array: pa.Array | pa.ChunkedArray) -> Indices:
    """int64[N]: visible characters of text[N]."""
    openings = lower_phrases(("<script", "<style", "<!--"))
    closings = lower_phrases(("</script", "</style", "-->"))
    return _count(*text_buffers(array), *openings, *closings)


@kernel
def _name_kind(byte: Byte) -> int:
    """2 for a letter, 1 for a digit, 0 for anything else."""
    return 1 if 0x30 <= byte <= 0x39 else 2 if 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A else 0


@kernel
def _reference_end(data: Bytes, at: Int, stop: Int) -> Int:
    """The end of the character reference at byte `at`; `at` if there is none."""
    end = at + 1
    if end < stop and data[end] == _HASH:
        end += 1
    begin = end
    while end < stop and end - at < _LONGEST_REFERENCE and _name_kind(data[end]):
        end += 1
    return end + 1 if begin < end < stop and data[end] == _SEMICOLON else at


@kernel
def _tag_end(data: Bytes, at: Int, stop: Int) -> Int:
    """The end of the tag at byte `at`; `at` if there is only a "<"."""
    if at + 1 >= stop:
        return at
    if _name_kind(data[at + 1]) < 2 and data[at + 1] not in (_SLASH, _EXCLAMATION, _QUESTION):
        return at
    quote = 0
    at += 2
    while at < stop:
        byte = np.int64(data[at])
        if quote == 0 and byte == _MORE:
            return at + 1
        if quote == 0 and byte in (_DOUBLE, _SINGLE) and data[at - 1] == _EQUALS:
            quote = int(byte)
        elif quote == byte:
            quote = 0
        at += 1
    return stop


@kernel
def _count(data: Bytes, texts: Indices, openings: Bytes, opens: Indices, closings: Bytes, closes: Indices) -> Indices:
    """An opening hides everything up to its closing; a closing tag is then skipped like any other tag."""
    counts = np.zeros(texts.size - 1, np.int64)
    for document in range(texts.size - 1):
        at = texts[document]
        stop = texts[document + 1]
        while at < stop:
            if data[at] == _LESS:
                end = at
                for hiding in range(opens.size - 1):
                    size = phrase_at(data, at, stop, openings, opens[hiding : hiding + 2])
                    if size and (hiding == _COMMENT or at + size == stop or not _name_kind(data[at + size])):
                        end = at + size
                        while end < stop and not phrase_at(data, end, stop, closings, closes[hiding : hiding + 2]):
                            end += 1
                        if hiding == _COMMENT:
                            end = min(end + 3, stop)
                        break
                end = _tag_end(data, at, stop) if end == at else end
                if end > at:
                    at = end
                    continue
            elif data[at] == _AND:
                end = _reference_end(data, at, stop)
                if end > at:
                    counts[document] += 1
                    at = end
                    continue
            counts[document] += (data[at] & 0xC0) != 0x80
            at += 1
    return counts
