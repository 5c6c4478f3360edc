"""The alphabet of byte-level tokenizers: each byte is written as one visible character of a token's name.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".
"""

VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))  # bytes that stand for themselves
_OTHERS = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {chr(0x100 + at): byte for at, byte in enumerate(_OTHERS)}


def to_bytes(name: str) -> bytes | None:
    """What the token stands for, or None where its name has a character that no byte is written as."""
    values = [BYTES.get(character, -1) for character in name]
    return None if -1 in values else bytes(values)
