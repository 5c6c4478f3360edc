"""Which attributes a start tag has."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.html.syntax import (
    CLASS,
    ENDS_NAME,
    EQUAL,
    EQUALS,
    FNV_OFFSET,
    FNV_PRIME,
    LOWER,
    SPACE,
    Html,
    name_hash,
    read_name,
    skip_value,
)
from curation.text.kernels.compiler.kernel import Int, kernel

AttributeNames: TypeAlias = npt.NDArray[np.uint64]

_OFFSET = np.uint64(FNV_OFFSET)
_PRIME = np.uint64(FNV_PRIME)


def attribute_names(names: str) -> AttributeNames:
    """uint64[N]: names, which are separated by spaces, for `has_attribute`."""
    return np.array([name_hash(name) for name in names.split()], np.uint64)


@kernel
def has_attribute(html: Html, start: Int, end: Int, wanted: AttributeNames) -> bool:
    """Whether the start tag html[start:end] has an attribute of these names."""
    _, place = read_name(html, start + 1)
    while place < end:
        if CLASS[html[place]] & (SPACE | ENDS_NAME):
            place += 1
            continue
        key = (_OFFSET ^ np.uint64(LOWER[html[place]])) * _PRIME  # a name may begin with "="
        place += 1
        while place < end and not CLASS[html[place]] & (SPACE | ENDS_NAME | EQUAL):
            key = (key ^ np.uint64(LOWER[html[place]])) * _PRIME
            place += 1
        for name in wanted:
            if key == name:
                return True
        while place < end and CLASS[html[place]] & SPACE:
            place += 1
        if place < end and html[place] == EQUALS:
            place = skip_value(html, place + 1)
    return False
