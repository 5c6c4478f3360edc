"""Documents without a character that shows are dropped as empty; those with another reason keep it."""

import pyarrow as pa
import pytest

from curation.core.document import DOCUMENT
from curation.engine.run.blank_texts import drop_blank


def reason(text: str | None, before: str | None = None) -> str | None:
    row = dict.fromkeys(DOCUMENT.names) | {"text": text, "drop_reason": before}
    after = drop_blank(pa.RecordBatch.from_pylist([row], schema=DOCUMENT))
    assert after.schema == DOCUMENT
    found: str | None = after["drop_reason"][0].as_py()
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "extract:empty", id="nothing"),
        pytest.param("  \n\t\r", "extract:empty", id="ASCII whitespace"),
        pytest.param("\u00a0\u2003\u3000\u2028", "extract:empty", id="other whitespace"),
        pytest.param("\u200b\ufeff\x00", "extract:empty", id="characters that do not show"),
        pytest.param(" \n.\n ", None, id="a full stop"),
        pytest.param("\u200b字", None, id="a letter behind one that does not show"),
        pytest.param(None, None, id="no text: whoever made the row says why"),
    ],
)
def test_blank_texts(text: str | None, expected: str | None) -> None:
    assert reason(text) == expected


def test_another_reason_stays() -> None:
    assert reason("", "takedown") == "takedown"
