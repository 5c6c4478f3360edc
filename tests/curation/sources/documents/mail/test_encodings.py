"""Bodies whose encoding no header states."""

from base64 import b64encode, encodebytes

import pytest

from curation.sources.documents.mail.encodings import decoded

WORDS = b"The barley came in early this year, and the oats are late."
BIG5 = "大麥".encode("big5") * 60


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(encodebytes(WORDS * 3), WORDS * 3 + b"\n", id="base64"),
        pytest.param(
            b"\n" + b64encode(WORDS[:54]) + b"\n\n____\nTalk list",
            WORDS[:54] + b"\n\n____\nTalk list",
            id="with a footer",
        ),
        pytest.param(encodebytes(BIG5), BIG5 + b"\n", id="another charset"),
        pytest.param(b64encode(BIG5[:50]), None, id="a short text in no UTF-8"),
        pytest.param(b64encode(bytes(range(60))), None, id="no text"),
        pytest.param(b"Pneumonoultramicroscopicsilicovolcanoconiosis", None, id="a word"),
        pytest.param(
            b"caf=C3=A9 and a line=\n that goes on", "café and a line that goes on".encode(), id="quoted-printable"
        ),
        pytest.param(b"x = 1\nthe end=\n", None, id="code"),
        pytest.param(b"caf=C3=A9", None, id="no soft line break"),
        pytest.param(b"", None, id="nothing"),
    ],
)
def test_decoded(content: bytes, expected: bytes | None) -> None:
    assert decoded(content) == (content if expected is None else expected)
