"""Runs of text: white space folded, character references resolved, and what is counted of each block."""

import string

import numpy as np

from curation.extract.blocks.page import (
    BLANK,
    BLOCKS,
    BROKEN,
    CAPITALS,
    CHARACTERS,
    CLOSES,
    COLON,
    COLUMNS,
    COMMA,
    COMMAS,
    DIGIT,
    DIGITS,
    ENDS_SENTENCE,
    GAP,
    IN_BLOCK,
    IN_GAP,
    IN_WORD,
    LAST,
    LETTER,
    LINE_BREAKS,
    LINK,
    LINK_CHARACTERS,
    NODE,
    OPEN,
    OTHER,
    PRE,
    PREFORMATTED,
    SEPARATORS,
    START,
    STOP,
    STOPS,
    TEXT,
    WIDE,
    WORDS,
    Scan,
)
from curation.text.html.references import NOTHING, reference
from curation.text.html.syntax import Html
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import (
    CLOSING,
    DECIMAL,
    NUMBER,
    TERMINAL,
    UPPER,
    Classes,
    class_of,
    decode,
    encode,
)
from curation.text.kernels.unicode import LETTER as IS_LETTER

_AMPERSAND, _NEWLINE, _RETURN, _SPACE = b"&\n\r "
_NO_BREAK = 0xA0
_WORD = 1  # bits of _ASCII: letters and digits
_DIGIT = 2
_CAPITAL = 4
_WHITE = 8
_ASCII = np.zeros(256, np.uint8)
_ASCII[list(string.ascii_letters.encode())] = _WORD
_ASCII[list(string.ascii_uppercase.encode())] |= _CAPITAL
_ASCII[list(string.digits.encode())] = _WORD | _DIGIT
_ASCII[list(b" \t\n\f\r")] = _WHITE
_BLANKS = np.zeros(0xA1, np.bool_)
_BLANKS[[*b" \t\n\f\r", _NO_BREAK]] = True
_COMMAS = np.zeros(0x3100, np.bool_)
_COMMAS[[ord(","), 0x60C, 0x3001]] = True
_WIDE_COMMA = 0xFF0C
_SEPARATORS = np.zeros(0x100, np.bool_)
_SEPARATORS[[*b"|>/", 0xB7, 0xBB]] = True
_BULLET = 0x2022


@kernel
def _is_wide(code: Int) -> bool:
    """Whether a letter is one of the scripts that put no blanks between words and have a character a syllable."""
    return bool(0x3040 <= code < 0x3100 or 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or code >= 0x20000)


@kernel
def begin_block(scan: Scan) -> None:
    state = scan.state
    block = scan.blocks[state[BLOCKS]]
    for column in range(COLUMNS):
        block[column] = 0
    block[NODE] = scan.stack.node[state[OPEN] - 1]
    block[START] = state[TEXT]
    block[LAST] = -1
    block[GAP] = state[IN_GAP]
    block[PREFORMATTED] = state[PRE] > 0
    state[IN_BLOCK] = 1
    state[BLANK] = state[BROKEN] = state[IN_WORD] = state[IN_GAP] = 0


@kernel
def end_block(scan: Scan) -> None:
    """End the block of text, if one has begun."""
    state = scan.state
    block = scan.blocks[state[BLOCKS]]
    if state[IN_BLOCK] and block[LAST] < 0:  # preformatted blanks
        state[TEXT] = block[START]
        state[IN_GAP] |= block[GAP]
    elif state[IN_BLOCK]:
        block[STOP] = state[TEXT]
        block[LINE_BREAKS] += state[BROKEN]
        state[BLOCKS] += 1
    state[IN_BLOCK] = state[BLANK] = state[BROKEN] = 0


@kernel
def _put_blank(scan: Scan) -> None:
    """Write the white space or the break before a character."""
    state = scan.state
    block = scan.blocks[state[BLOCKS]]
    if state[BROKEN]:
        scan.text[state[TEXT]] = _NEWLINE
        state[TEXT] += 1
        block[LINE_BREAKS] += state[BROKEN]
    elif state[BLANK]:
        scan.text[state[TEXT]] = _SPACE
        state[TEXT] += 1
        block[CHARACTERS] += 1
    state[BLANK] = state[BROKEN] = 0


@kernel
def _count(scan: Scan, code: Int, kind: Int) -> None:
    """Count a character of the open block by its classes."""
    state = scan.state
    block = scan.blocks[state[BLOCKS]]
    block[CHARACTERS] += 1
    block[LINK_CHARACTERS] += state[LINK] > 0
    if kind & (IS_LETTER | DECIMAL | NUMBER):
        wide = kind & IS_LETTER and code >= 0x3040 and _is_wide(code)
        block[WORDS] += wide or not state[IN_WORD]
        block[WIDE] += wide
        state[IN_WORD] = not wide
        block[CAPITALS] += kind & UPPER != 0
        block[DIGITS] += kind & DECIMAL != 0
        block[LAST] = LETTER if kind & IS_LETTER else DIGIT
        return
    if code == ord("'") or code == 0x2019:
        block[LAST] = CLOSES
        return
    state[IN_WORD] = 0
    block[LAST] = OTHER
    if kind & TERMINAL:
        block[STOPS] += 1
        block[LAST] = ENDS_SENTENCE
    elif (code < _COMMAS.size and _COMMAS[code]) or code == _WIDE_COMMA:
        block[COMMAS] += 1
        block[LAST] = COMMA
    elif code == ord(":") or code == 0xFF1A:
        block[LAST] = COLON
    elif (code < _SEPARATORS.size and _SEPARATORS[code]) or code == _BULLET:
        block[SEPARATORS] += 1
    elif kind & CLOSING:
        block[LAST] = CLOSES


@kernel
def _put(scan: Scan, code: Int, classes: Classes) -> None:
    """Write a character into the open block, or begin one with it; white space is kept in mind."""
    state = scan.state
    blank = code < _BLANKS.size and _BLANKS[code]
    if blank and (not state[PRE] or code == _RETURN or (code == _NEWLINE and not state[IN_BLOCK])):
        state[BLANK] = not state[PRE]
        state[IN_WORD] = 0
        return
    if not state[IN_BLOCK]:
        begin_block(scan)
    elif state[BLANK] or state[BROKEN]:
        _put_blank(scan)
    state[TEXT] = encode(scan.text, state[TEXT], _SPACE if code == _NO_BREAK else code)
    if blank:
        scan.blocks[state[BLOCKS], CHARACTERS] += 1
        state[IN_WORD] = 0
    else:
        _count(scan, code, class_of(classes, code))


@kernel
def _put_word(html: Html, start: Int, stop: Int, scan: Scan) -> Int:
    """Write the letters and digits of ASCII that begin at `start`; returns where they end."""
    state = scan.state
    if not state[IN_BLOCK]:
        begin_block(scan)
    elif state[BLANK] or state[BROKEN]:
        _put_blank(scan)
    to = state[TEXT]
    place = start
    digits = 0
    capitals = 0
    kind: Int = 0
    while place < stop:
        kind = np.int64(_ASCII[html[place]])
        if not kind & _WORD:
            break
        digits += kind & _DIGIT != 0
        capitals += kind & _CAPITAL != 0
        scan.text[to] = html[place]
        to += 1
        place += 1
    block = scan.blocks[state[BLOCKS]]
    block[CHARACTERS] += place - start
    block[LINK_CHARACTERS] += place - start if state[LINK] else 0
    block[WORDS] += not state[IN_WORD]
    block[DIGITS] += digits
    block[CAPITALS] += capitals
    block[LAST] = DIGIT if _ASCII[html[place - 1]] & _DIGIT else LETTER
    state[IN_WORD] = 1
    state[TEXT] = to
    return place


@kernel
def _skip_blanks(html: Html, start: Int, stop: Int, scan: Scan) -> Int:
    place = start
    while place < stop and _ASCII[html[place]] & _WHITE:
        place += 1
    scan.state[BLANK] = 1
    scan.state[IN_WORD] = 0
    return place


@kernel
def read_text(html: Html, start: Int, stop: Int, scan: Scan, classes: Classes) -> None:
    """The run of text html[start:stop]."""
    place = start
    while place < stop:
        code: Int = np.int64(html[place])
        kind = _ASCII[code]
        if kind & _WORD:
            place = _put_word(html, place, stop, scan)
        elif kind & _WHITE and not scan.state[PRE]:
            place = _skip_blanks(html, place, stop, scan)
        elif code == _AMPERSAND:
            code, second, place = reference(html, place, stop)
            if code != NOTHING:
                _put(scan, code, classes)
            if second != NOTHING:
                _put(scan, second, classes)
        else:
            size: Int = 1
            if code >= 0x80:
                code, size = decode(html, place, stop)
            _put(scan, code, classes)
            place += size
