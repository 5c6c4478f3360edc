"""Decodes a body that an archive kept as it was sent, without the header that states its encoding."""

import binascii
import re

MIN_LETTERS = 40  # of base64; fewer may be a word
MIN_BYTES = 200  # that are taken for text though they are not UTF-8
_BASE64 = re.compile(rb"\s*((?:[A-Za-z0-9+/]{56,76}\n)*[A-Za-z0-9+/]{2,76}={0,2})[ \t]*(?:\n|\Z)")
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SOFT_BREAK = re.compile(rb"[^=\s] ?=\n")
_QUOTED = re.compile(rb"=(?:[0-9A-F]{2}|\n)")


def decoded(content: bytes) -> bytes:
    """The body as it reads: decoded where all of it can only be quoted-printable, or where it begins with base64 of
    text; a line of an archive or a list may follow that. Other bodies come back as they are."""
    encoded = None if b" " in content[:MIN_LETTERS].strip() else _BASE64.match(content)
    if encoded and len(encoded[1]) >= MIN_LETTERS:
        text = _text(encoded[1])
        return content if text is None else text + b"\n" + content[encoded.end() :]
    if b"=\n" in content and _SOFT_BREAK.search(content) and content.count(b"=") == len(_QUOTED.findall(content)):
        return binascii.a2b_qp(content)
    return content


def _text(letters: bytes) -> bytes | None:
    try:
        text = binascii.a2b_base64(letters)
        if _NOT_TEXT.search(text):
            return None
        text.decode()
    except UnicodeDecodeError:
        return text if len(text) >= MIN_BYTES else None
    except binascii.Error:
        return None
    return text
