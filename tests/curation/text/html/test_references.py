"""References are read as the standard library reads them."""

import html

import numpy as np
import pytest

from curation.text.html.references import NOTHING, reference


@pytest.mark.parametrize(
    "text",
    [
        "&amp;",
        "&amp",
        "&notit;",
        "&#8212;",
        "&#x2014",
        "&#0;",
        "&#128;",
        "&#xD800;",
        "&nosuch;",
        "&;",
        "&",
        "&#;",
        "&NotEqualTilde;",
    ],
)
def test_as_the_standard_library(text: str) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    *codes, end = reference(data, 0, data.size)
    assert "".join(chr(code) for code in codes if code != NOTHING) + text[end:] == html.unescape(text)
