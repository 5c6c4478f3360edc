"""Surrogates of Bitcoin addresses: valid ones that nobody holds a key of, but for a chance of 2^-96 or less.

Source: en.bitcoin.it/wiki/Base58Check_encoding; BIP 173 and BIP 350 (Bech32 and Bech32m).
"""

from collections.abc import Sequence
from hashlib import sha256

from curation.models.redaction.alike import alike
from curation.models.redaction.keyed import KeyedDraws

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32M = 0x2BC830A3  # of witness versions above 0; 1 of version 0
_CHECK = 6  # symbols
_MARK = 8  # symbols, or bytes, that are a keyed hash of those before: so a surrogate is known again


def crypto(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of an address; of the same type and, in Bech32, of the same length."""
    if value.startswith("bc1") and set(value[3:]) <= set(_BECH32) and len(value) > 4 + _MARK + _CHECK:
        return _bech32([_BECH32.index(sign) for sign in value[3:-_CHECK]], kind, key, value)
    if set(value) <= set(_BASE58) and len(value) > 1:
        return _base58(value, kind, key)
    return alike(value, kind, key)


def _bech32(data: Sequence[int], kind: str, key: KeyedDraws, seed: str) -> str:
    version = data[0]
    size = len(data) - 1 - _MARK
    free = data[1 : 1 + size]
    if list(data[1 + size :]) != _symbols(key, "mark", kind, _words(free), size=_MARK):
        free = _symbols(key, "value", kind, seed, size=size)
    body = [version, *free, *_symbols(key, "mark", kind, _words(free), size=_MARK)]
    sought = _polymod([3, 3, 0, 2, 3, *body, *[0] * _CHECK]) ^ (_BECH32M if version else 1)  # 3 3 0 2 3 is bc
    check = [sought >> 5 * (_CHECK - 1 - place) & 31 for place in range(_CHECK)]
    return "bc1" + _words([*body, *check])


def _symbols(key: KeyedDraws, *texts: str, size: int) -> list[int]:
    return [byte % len(_BECH32) for byte in key.stream(*texts, size=size)]


def _words(symbols: Sequence[int]) -> str:
    return "".join(_BECH32[symbol] for symbol in symbols)


def _polymod(values: Sequence[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate(_GENERATOR):
            check ^= generator if top >> place & 1 else 0
    return check


def _base58(value: str, kind: str, key: KeyedDraws) -> str:
    """21 bytes, of which the first says the type, and four of SHA-256 twice."""
    number = 0
    for sign in value:
        number = number * len(_BASE58) + _BASE58.index(sign)
    old = (number % (1 << 200)).to_bytes(25, "big")
    kept = old[:1]
    free = old[1 : 21 - _MARK]
    if old[21 - _MARK : 21] != key.stream("mark", kind, free.hex(), size=_MARK):
        kept = b"\x05" if value[0] == "3" else b"\0"
        free = key.stream("value", kind, value, size=20 - _MARK)
    payload = kept + free + key.stream("mark", kind, free.hex(), size=_MARK)
    whole = payload + sha256(sha256(payload).digest()).digest()[:4]
    signs = ""
    number = int.from_bytes(whole, "big")
    while number:
        number, rest = divmod(number, len(_BASE58))
        signs = _BASE58[rest] + signs
    return "1" * (len(whole) - len(whole.lstrip(b"\0"))) + signs
