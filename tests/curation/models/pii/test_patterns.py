"""Recognizers over windows."""

import pyarrow as pa
import pytest

from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.patterns import Recognizer, Texts, is_of_kind, validity
from curation.models.pii.recognizers import chosen, make
from curation.text.kernels.buffers import text_buffers

pytest.importorskip("presidio_analyzer")


def found(kind: str, *texts: str) -> list[tuple[int, PiiSpan]]:
    (one,) = chosen([kind], "en")
    return list(Recognizer(one, make(one, "en")).find(Texts(*text_buffers(pa.array(texts)))))


@pytest.mark.parametrize(
    ("kind", "text", "spans"),
    [
        pytest.param("credit_card", "pay 4111 1111 1111 1111.", [(4, 23, 1.0)], id="a card that passes Luhn"),
        pytest.param("credit_card", "pay 4111 1111 1111 1112.", [], id="one that does not"),
        pytest.param("iban", "to DE89370400440532013000 2 days", [(3, 25, 1.0)], id="an IBAN before a number"),
        pytest.param("email", "é me@example.org", [(3, 17, 1.0)], id="an address"),
        pytest.param("ip", "at 203.0.113.7 or ::1", [(3, 14, 0.6), (18, 21, 0.6)], id="two addresses"),
    ],
)
def test_found(kind: str, text: str, spans: list[tuple[int, int, float]]) -> None:
    own = {(span.start, span.end, span.score) for _, span in found(kind, text) if span.score > 0.1}
    assert own == set(spans)


def test_documents_are_told_apart() -> None:
    assert [(document, span.start) for document, span in found("email", "a@b.org", "", "é a@b.org")] == [
        (0, 0),
        (2, 10),
    ]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        pytest.param("12345678Z", "es_nif", True, id="a right letter"),
        pytest.param("12345678A", "es_nif", False, id="a wrong letter"),
        pytest.param("x 12345678Z", "es_nif", False, id="only a part"),
        pytest.param("+47 23 45 67 89", "phone", True, id="a number with its country"),
        pytest.param("23 45 67 89", "phone", False, id="of a country that is not looked for"),
        pytest.param("212-736-5000", "phone", True, id="a number"),
        pytest.param("212\u00a0736\u201150\u06600", "phone", True, id="other spaces, hyphens and digits"),
        pytest.param("943\u00a0476\u00a05919", "uk_nhs", True, id="no-break spaces"),
        pytest.param("Ann Lee", "name", False, id="a kind without a form"),
    ],
)
def test_whole_values(value: str, kind: str, expected: bool) -> None:
    assert is_of_kind(value, kind) is expected
    assert (validity(value, kind) is not None) is expected
