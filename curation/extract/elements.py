"""What the HTML Standard says of each element as far as nesting goes, as a hash table that compiled code can read.

Source: WHATWG HTML Standard, "Parsing HTML documents" (void elements, special elements, scopes, implied end tags).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from curation.text.kernels.compiled import kernel

VOID = 1  # has no content
RAW = 2  # holds text up to its own end tag, no markup
SPECIAL = 4  # an end tag of an ordinary element never reaches past it
SCOPE = 8  # an end tag of another element never reaches past it
CLOSES_P = 16  # ends an open paragraph
FORMATTING = 32  # opened again by the parser after a block cut it off
MARKER = 64  # formatting opened outside is not opened again inside
HEADING = 128
SECTION = 256  # tbody, thead, tfoot
CELL = 512
ROOT = 1024  # html, head, body: there is one of each whatever the page says
RUBY = 2048
LIST = 4096  # <li> looks for its predecessor up to here
INTEGRATION = 8192  # HTML inside SVG or MathML
BREAKOUT = 1 << 14  # ends SVG or MathML
BUTTON_SCOPE = 1 << 15  # </p> and what implies it look no further than here
FOREIGN = 1 << 20  # set on an open element inside <svg> or <math>

_MEMBERS = {
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    RAW: "iframe noembed noframes script style textarea title xmp",
    SPECIAL: "address applet area article aside base basefont bgsound blockquote body br button caption center col"
    " colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6"
    " head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes"
    " noscript object ol p param plaintext pre script search section select source style summary table tbody td"
    " template textarea tfoot th thead title tr track ul wbr xmp",
    SCOPE: "applet caption html marquee object table td template th foreignobject",
    CLOSES_P: "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary"
    " table ul xmp",
    FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    MARKER: "applet caption marquee object td template th",
    HEADING: "h1 h2 h3 h4 h5 h6",
    SECTION: "tbody tfoot thead",
    CELL: "td th",
    ROOT: "body head html",
    RUBY: "rb rp rt rtc",
    LIST: "ol ul",
    BREAKOUT: "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing"
    " menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var",
    BUTTON_SCOPE: "button",
    INTEGRATION: "annotation-xml desc foreignobject mi mn mo ms mtext title",
}
_SLOTS = 1024
FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def name_hash(name: str) -> int:
    """FNV-1a, 64 bits, of a lower-case name."""
    value = FNV_OFFSET
    for byte in name.encode():
        value = ((value ^ byte) * FNV_PRIME) % (1 << 64)
    return value


def _table(members: dict[int, str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    flags: dict[str, int] = {}
    for flag, names in members.items():
        for name in names.split():
            flags[name] = flags.get(name, 0) | flag
    return _open_addressing(sorted((name_hash(name), flag) for name, flag in flags.items()))


def _open_addressing(entries: Iterable[tuple[int, int]]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    keys, values = np.zeros(_SLOTS, np.uint64), np.zeros(_SLOTS, np.int64)
    for key, value in entries:
        slot = key % _SLOTS
        while keys[slot]:
            slot = (slot + 1) % _SLOTS
        keys[slot], values[slot] = key, value
    return keys, values


_KEYS, _FLAGS = _table(_MEMBERS)


@kernel(types.int64(types.uint64))
def flags_of(name: Any) -> Any:
    """The flags of an element by the hash of its name; 0 for a name without rules of its own."""
    slot = np.int64(name % np.uint64(_SLOTS))
    while _KEYS[slot] != 0:
        if _KEYS[slot] == name:
            return _FLAGS[slot]
        slot = (slot + 1) % _SLOTS
    return 0
