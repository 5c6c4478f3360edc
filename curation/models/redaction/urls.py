"""Takes values out of URLs, which stay URLs of the same host.

A URL is read piece by piece: the values and names of its query, the segments of its path, its fragment. A URL inside
another is taken apart too. A piece is decoded until it has no escapes left; the name of a parameter stands before its
value, so that `?ssn=078051120` says what it is. Pieces in which nothing is found stay byte for byte; what takes the
place of others is escaped. Name and password before the host are always left out. Scheme and host stay as they are,
also where the host itself names somebody (`jane.example`) or is an IP address.

What becomes of a URL depends on nothing but the URL and the rewriter's options, so that equal URLs stay equal in every
stage, and a URL can be looked up by what it was.
"""

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.models.redaction.keyed import encoded

Redact = Callable[[Sequence[str]], Sequence[str]]  # texts -> the same texts without the values found in them

_PARTS = re.compile(
    r"(?P<scheme>(?:mailto|tel|urn):|[a-z][a-z0-9+.-]*:(?=//))?"
    r"(?://(?:[^/?#\\]*@)?(?P<host>[^/?#\\@]*)|(?P<bare>[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9-]+(?::\d+)?(?=[/?#]|$)))?"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_SEPARATOR = re.compile(r"((?:[/?&=;#\\]|%(?:25)*(?:2f|3f|26|3d|3b|23|5c))+)", re.IGNORECASE)
_IS = re.compile(r"=$|3d$", re.IGNORECASE)  # ends a separator between a name and a value
_PLACEHOLDER = "%3C[A-Z][A-Z0-9_]*%3E"
_NAMED = " = "
_ROUNDS = 4  # of escapes within escapes


def redacted_urls(urls: pa.Array, redact: Redact) -> pa.Array:
    """string[N] without what `redact` finds in them; nulls stay."""
    column = urls.dictionary_encode()
    known = column.dictionary.cast(pa.large_binary()).to_pylist()
    made = _redacted([url.decode("utf-8", "surrogateescape") for url in known], redact)
    return strings(made, urls.type).take(column.indices)


def has_placeholder(urls: pa.Array) -> npt.NDArray[np.bool_]:
    """bool[N]: the URLs in which a placeholder took a value's place."""
    found = pc.match_substring_regex(urls.cast(pa.large_binary()), _PLACEHOLDER)
    return np.asarray(pc.fill_null(found, False))


def strings(texts: Sequence[str], kind: pa.DataType) -> pa.Array:
    """string[N] or large_string[N] of texts that may hold bytes which are not UTF-8, as surrogate escapes."""
    binary = pa.large_binary() if kind == pa.large_string() else pa.binary()
    return pa.array([encoded(text) for text in texts], binary).view(kind)


def without_details(urls: pa.Array) -> pa.Array:
    """string[N]: scheme and host only, for URLs in which nothing can be looked for."""
    return pa.array([None if url is None else _head(_parts(url)) + "/" for url in urls.to_pylist()], urls.type)


def _redacted(urls: Sequence[str], redact: Redact) -> list[str]:
    parts = [_parts(url) for url in urls]
    pieces = [_SEPARATOR.split(part["rest"]) for part in parts]
    decoded = [
        (unquoted(piece), _name(own, at)) for own in pieces for at, piece in enumerate(own) if _is_piece(own, at)
    ]
    found = iter(_found(decoded, redact))
    made = []
    for part, own in zip(parts, pieces, strict=True):
        new = [_or_new(piece, next(found)) if _is_piece(own, at) else piece for at, piece in enumerate(own)]
        made.append(_head(part) + "".join(new))
    return made


def _found(pieces: Sequence[tuple[str, str]], redact: Redact) -> list[str | None]:
    """What becomes of each decoded piece, given with its name; None where nothing is found in it."""
    texts = [f"{name}{_NAMED}{piece}" if name else piece for piece, name in pieces]
    made = list(redact(texts))
    forms = [at for at, text in enumerate(made) if "+" in text]  # which stands for a blank too, as forms write it
    blanks = [made[at].replace("+", " ") for at in forms]
    for at, blank, new in zip(forms, blanks, redact(blanks), strict=True):
        made[at] = made[at] if new == blank else new
    whole = zip(pieces, texts, made, strict=True)
    return [None if new == text else _value(new) if name else new for (_, name), text, new in whole]


def _value(text: str) -> str:
    """What stands after the name; all of it where a value took in the name."""
    return text.partition(_NAMED)[2] or text


def _parts(url: str) -> re.Match[str]:
    match = _PARTS.fullmatch(url)
    assert match is not None, "every part may be empty"
    return match


def _head(parts: re.Match[str]) -> str:
    host = parts["bare"] or "" if parts["host"] is None else f"//{parts['host']}"
    return f"{parts['scheme'] or ''}{host}"


def _is_piece(own: Sequence[str], at: int) -> bool:
    return at % 2 == 0 and own[at] != ""


def _name(own: Sequence[str], at: int) -> str:
    """The name of the parameter whose value the piece is; "" where it is none."""
    return unquoted(own[at - 2]) if at and _IS.search(own[at - 1]) else ""


def unquoted(piece: str) -> str:
    """The piece without escapes; escapes of escapes are resolved too."""
    for _ in range(_ROUNDS):
        plain = unquote(piece, errors="surrogateescape")
        if plain == piece:
            break
        piece = plain
    return piece


def _or_new(piece: str, new: str | None) -> str:
    return piece if new is None else quote(new, safe="@", errors="surrogateescape")
