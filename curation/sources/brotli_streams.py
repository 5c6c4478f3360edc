"""Decodes a brotli stream, up to its damage or its missing end.

Source: RFC 7932.
"""

from collections.abc import Iterable
from typing import Any

import brotli

_PIECE = 1 << 12  # bytes of a damaged stream that are decoded at a time


def brotli_stream(body: bytes, limit: int) -> tuple[bytes, bool, bool]:
    """Decodes up to the end, damage or `limit`: the bytes, whether there was no damage, and whether the end came."""
    out, _, sound, whole = _parts([body], limit)
    if sound:
        return out, True, whole
    # A call that meets damage gives nothing. So first the piece with the damage is found, then its byte.
    pieces = [body[at : at + _PIECE] for at in range(0, len(body), _PIECE)]
    _, fed, _, _ = _parts(pieces, limit)
    last = pieces[fed] if fed < len(pieces) else b""
    out, _, _, whole = _parts([*pieces[:fed], *(last[i : i + 1] for i in range(len(last)))], limit)
    return out, False, whole  # the damage may be what a server put behind the end


def _parts(pieces: Iterable[bytes], limit: int) -> tuple[bytes, int, bool, bool]:
    """Decodes pieces up to the end, damage or `limit`: the bytes, how many pieces were taken, whether there was no
    damage, and whether the end was there."""
    decoder: Any = brotli.Decompressor()
    parts: list[bytes] = []
    left = limit
    fed = 0
    try:
        for piece in pieces:
            data = piece
            while left > 0 and not decoder.is_finished():
                out = decoder.process(data, output_buffer_limit=left)
                parts.append(out)
                left -= len(out)
                data = b""
                if decoder.can_accept_more_data():
                    break
            fed += 1
    except brotli.error:
        return b"".join(parts), fed, False, False
    return b"".join(parts), fed, True, decoder.is_finished()
