"""Finds links to terms of use in RSL, which are no licences: `rel=license` with the media type of RSL.

Source: RSL Collective 2025, "Really Simple Licensing (RSL) 1.0" (rslstandard.org/rsl); RFC 8288, "Web Linking".
"""

import re

MEDIA_TYPE = "application/rsl+xml"

_LINK = re.compile(r"<([^<>]{0,2000})>([^<]{0,2000})")
_PARAMETER = re.compile(r";\s*(rel|type)\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)


def is_rsl(kind: str, address: str) -> bool:
    """Whether a link of a media type leads to terms in RSL; one without a type by the name of its file."""
    kind = kind.partition(";")[0].strip().lower()
    return kind == MEDIA_TYPE or (not kind and address.partition("?")[0].lower().endswith("/rsl.xml"))


def rsl_links(header: str) -> str:
    """The addresses of terms in a header field Link, with spaces between them; "" if there are none."""
    found = []
    for link in _LINK.finditer(header):
        parameters = {name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(link[2])}
        address = "".join(link[1].split())
        if "license" in parameters.get("rel", "").lower().split() and is_rsl(parameters.get("type", ""), address):
            found.append(address)
    return " ".join(dict.fromkeys(filter(None, found)))
