"""Damaged UTF-8: how much of what is not ASCII is valid."""

import numpy as np

from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import decode

# From this share of valid sequences on, bytes are damaged UTF-8. Legacy text rarely has any: at most 0.28 of real pages
# that were transcoded (Japanese in EUC) and 0.38 of single sentences (Chinese, Thai), measured 2026-11.
MIN_VALID = 0.5
MIN_VALID_DECLARED = 0.4  # where UTF-8 is declared
MIN_VALID_BESIDE = 0.8  # where another encoding is declared that fits


def valid_share(content: bytes) -> float | None:
    """Share of valid UTF-8 sequences of two bytes or more among them and the bytes that are in none; None for ASCII."""
    valid, invalid = _sequences(np.frombuffer(content, np.uint8))
    return valid / (valid + invalid) if valid + invalid else None


@kernel
def _sequences(data: Bytes) -> tuple[Int, Int]:
    """How many valid sequences of several bytes there are, and how many bytes beyond ASCII in none."""
    valid: Int = 0
    invalid: Int = 0
    place: Int = 0
    while place < len(data):
        if data[place] < 0x80:
            place += 1
            continue
        _, size = decode(data, place, len(data))
        valid += size > 1
        invalid += size == 1
        place += size
    return valid, invalid
