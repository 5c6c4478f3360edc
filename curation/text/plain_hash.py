"""`hash64` of one text in plain Python, for whoever has few texts and little time.

Importing compiled code takes a second, longer than a look-up in a run. `curation.text.kernels.hashing` has the hash of
many texts and its source.
"""

MULTIPLIER = 0xC6A4A7935BD1E995
BITS = (1 << 64) - 1


def plain_hash64(text: str) -> int:
    """The same number as `hash64` gives for the text."""
    content = text.encode()
    value = len(content) * MULTIPLIER & BITS
    whole = len(content) & ~7
    for at in range(0, whole, 8):
        block = int.from_bytes(content[at : at + 8], "little") * MULTIPLIER & BITS
        value = (value ^ (_shifted(block) * MULTIPLIER & BITS)) * MULTIPLIER & BITS
    if whole < len(content):
        value = (value ^ int.from_bytes(content[whole:], "little")) * MULTIPLIER & BITS
    return _shifted(_shifted(value) * MULTIPLIER & BITS)


def _shifted(value: int) -> int:
    return value ^ value >> 47
