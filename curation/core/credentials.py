"""Masks credentials in URIs: no file of a run, message or log may show one.

    s3://KEY:SECRET@bucket/a.gz                    s3://***@bucket/a.gz
    https://user:password@example.com/a.gz         https://***@example.com/a.gz
    https://example.com/a.gz?part=1&sig=SECRET     https://example.com/a.gz?part=1&sig=***

Masked are everything before the @ of a host, and the values of parameters that sign a URI or grant access. Parameters
that say when and for whom a signature was made are masked with it, so that a file that is signed anew keeps its name,
and stages made from it keep their address.
"""

import re
from collections.abc import Mapping

MASK = "***"
# Up to the last @ before a slash; or to the first, even if a password contains "/", unless what looks like a password
# is a port. Such a password has up to 1,000 characters: many URIs without an @ would each be searched to the end of the
# text. A URI that a message cuts off before the @ ends in "…".
_USER = re.compile(
    r"""(?<=://)(?:[^\s/'"]+@|[^\s/:@'"]+:(?!\d*(?:[/?#\s'"]|$))[^\s@'"]{1,1000}@|[^\s/:@'"]+:[^\s/@'"]*(?=…))"""
)
_SECRET = re.compile(
    r"""([?&;](?:x-(?:amz|goog)-[\w-]+|[\w.-]*(?:signature|credentials?|token|secret|passw(?:or)?d|api[-_]?key)"""
    r"""|awsaccesskeyid|googleaccessid|key-pair-id|policy|sig|key|auth|pwd)=)[^&;#\s'"]*""",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"""([?&](?:s[vtepr]|spr|ss|srt|sk[tesv]|skoid|sktid|expires)=)[^&#\s'"]*""", re.IGNORECASE)


def masked(text: str) -> str:
    """The text, with the credentials of any URIs in it masked."""
    if "://" not in text:
        return text
    shown = _SECRET.sub(rf"\g<1>{MASK}", _USER.sub(_user, text))
    signed = re.search(r"[?&](?:sig|signature)=\*", shown, re.IGNORECASE)
    return _BESIDE.sub(rf"\g<1>{MASK}", shown) if signed else shown


def _user(match: re.Match[str]) -> str:
    return MASK + "@" * match[0].endswith("@")


def masked_values(value: object) -> object:
    """A plain JSON value (or tuple) with every text in it masked, except the keys of mappings."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {key: masked_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(masked_values(inner) for inner in value)
    return value
