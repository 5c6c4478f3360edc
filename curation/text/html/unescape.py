"""Characters for the references of a text, for numbers of any length.

Python reads no number of more than 4,300 digits, so `html.unescape` fails at `&#` and many digits.
"""

import html
import re

_ZEROS = re.compile("&#0+(?=[0-9])")
_TOO_LARGE = re.compile("&#[0-9]{8,};?")  # for a code point


def unescaped(text: str) -> str:
    """As `html.unescape`."""
    if "&#" in text:
        text = _TOO_LARGE.sub("\ufffd", _ZEROS.sub("&#", text))
    return html.unescape(text)
