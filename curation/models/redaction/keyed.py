"""A key that turns a value into the same surrogate everywhere and that no file of a run holds.

The recipe names where the key is, and gives it a name of the user's choice; only that enters addresses and manifests.
So another key must get another name, or stages that are sealed already keep the surrogates of the old one.
"""

import stat
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import count
from pathlib import Path

from curation.core.errors import InputError
from curation.core.storage_options import Secret

MIN_CHARACTERS = 16
_BLOCK = 64  # bytes of a BLAKE2b hash


@dataclass(frozen=True)
class KeyedDraws:
    """Draws that depend on a key and on the texts that they are made for."""

    _key: bytes

    def __repr__(self) -> str:
        return "KeyedDraws(***)"

    def stream(self, *texts: str, size: int) -> bytes:
        """`size` bytes; keyed BLAKE2b (RFC 7693) of the texts and a counter."""
        message = b"".join(len(part).to_bytes(8, "little") + part for part in (encoded(text) for text in texts))
        blocks = count()
        made = b""
        while len(made) < size:
            made += blake2b(message + next(blocks).to_bytes(8, "little"), key=self._key, digest_size=_BLOCK).digest()
        return made[:size]

    def below(self, limit: int, *texts: str) -> int:
        """A whole number in [0, limit), for limits up to 2^128."""
        return int.from_bytes(self.stream(*texts, size=32), "little") % limit

    def digits(self, size: int, *texts: str) -> str:
        """So many decimal digits; of more than 77 the first are 0."""
        return f"{self.below(10**size, *texts):0{size}d}" if size else ""


def encoded(text: str) -> bytes:
    """The text's bytes; it may hold bytes that are not UTF-8 as surrogate escapes."""
    return text.encode("utf-8", "surrogateescape")


def read_key(place: Secret) -> KeyedDraws:
    """The key at this place. Raises InputError for one that is missing or too short, and for a file that everyone may
    read."""
    if place.file:
        _check_file(place.file)
    key = place.value("key")
    if len(key) < MIN_CHARACTERS:
        held = f"holds {len(key)} characters" if key else "is empty"
        where = place.file or f"the environment variable {place.env}"
        raise InputError(f"key: {where} {held}; write at least {MIN_CHARACTERS}, e.g. those of `openssl rand -hex 32`")
    return KeyedDraws(blake2b(key.encode()).digest())


@lru_cache(maxsize=16)
def key_at(place: Secret) -> KeyedDraws:
    """As `read_key`, once per process."""
    return read_key(place)


def _check_file(file: str) -> None:
    try:
        mode = Path(file).stat().st_mode
    except OSError as error:
        make = f"(umask 077; openssl rand -hex 32 > {file})"
        raise InputError(f"key: no file {file} ({error.strerror}); put it on every node, or make it: {make}") from error
    if not stat.S_ISREG(mode):
        raise InputError(f"key: {file} is not a file")
    if mode & stat.S_IROTH:
        raise InputError(
            f"key: everyone on this machine may read {file}; run chmod 600 on it, and better change the key"
        )
