"""What the test file of a source states for the contract of all sources."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A file of some texts (short HTML without line ends), and the options by which a text of 5,000 bytes, and none of
    100, is too long for a document; those that it needs; and what a document makes of a text."""

    write: Callable[[Sequence[str]], bytes]
    limited: dict[str, Any]
    needed: Mapping[str, Any] = MappingProxyType({})
    becomes: Callable[[str], str] = str
