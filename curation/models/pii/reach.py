"""How far from a run of anchors a match may reach, in characters of UTF-8 without whitespace."""

from curation.models.pii.anchors import SPACE, WORD
from curation.models.pii.shape import UNBOUNDED
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import Classes, class_of, decode, last_character

# Where a match may reach up to whitespace, no window reaches further than this: an address of 50 MB is none.
FARTHEST = 1000  # characters


@kernel
def forward(data: Bytes, at: Int, stop: Int, count: Int, solid: Int, classes: Classes) -> Int:
    """The byte `count` characters after `at`, whitespace not counted; up to whitespace if that is UNBOUNDED. Then to
    the end of a run of word characters, by `solid` characters at most."""
    left = min(count, FARTHEST)
    inside = True
    while at < stop and (left > 0 or (inside and solid > 0)):
        code, size = decode(data, at, stop)
        kind = class_of(classes, code)
        if left > 0:
            if kind & SPACE == 0:
                left -= 1
            elif count >= UNBOUNDED:
                return at + size
        elif kind & WORD == 0:
            inside = False
            continue
        else:
            solid -= 1
        at += size
    return at


@kernel
def back(data: Bytes, begin: Int, at: Int, count: Int, solid: Int, classes: Classes) -> Int:
    """As `forward`, before `at`."""
    left = min(count, FARTHEST)
    inside = True
    while at > begin and (left > 0 or (inside and solid > 0)):
        first = last_character(data, begin, at)
        code, _ = decode(data, first, at)
        kind = class_of(classes, code)
        if left > 0:
            if kind & SPACE == 0:
                left -= 1
            elif count >= UNBOUNDED:
                return first
        elif kind & WORD == 0:
            inside = False
            continue
        else:
            solid -= 1
        at = first
    return at
