"""Finds attributes of a start tag by their names."""

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
    begins, key, place = next_attribute(html, place, end)
    while begins >= 0:
        if is_any(key, wanted):
            return True
        begins, key, place = next_attribute(html, place, end)
    return False


@kernel
def is_any(key: np.uint64, wanted: AttributeNames) -> bool:
    for name in wanted:  # noqa: SIM110  a generator does not compile
        if key == name:
            return True
    return False


@kernel
def next_attribute(html: Html, start: Int, end: Int) -> tuple[Int, np.uint64, Int]:
    """Where the next attribute of a start tag that ends at `end` begins, the hash of its name, and the place behind its
    value; -1 if there is none."""
    place = start
    while place < end and CLASS[html[place]] & (SPACE | ENDS_NAME):
        place += 1
    if place >= end:
        return -1, _OFFSET, end
    begins = place
    key = (_OFFSET ^ np.uint64(LOWER[html[place]])) * _PRIME  # a name may begin with "="
    place += 1
    while place < end and not CLASS[html[place]] & (SPACE | ENDS_NAME | EQUAL):
        key = (key ^ np.uint64(LOWER[html[place]])) * _PRIME
        place += 1
    while place < end and CLASS[html[place]] & SPACE:
        place += 1
    if place < end and html[place] == EQUALS:
        place = skip_value(html, place + 1)
    return begins, key, place
