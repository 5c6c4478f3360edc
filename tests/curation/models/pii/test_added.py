"""What Presidio misses, each beside what must not be found."""

import pyarrow as pa
import pytest

from curation.models.pii.added import CARDS, IBANS, PHONES, URLS, hidden_addresses
from curation.models.pii.patterns import Texts
from curation.text.kernels.buffers import text_buffers

pytest.importorskip("presidio_analyzer")


def values(text: str) -> list[str]:
    texts = Texts(*text_buffers(pa.array([text])))
    finds = [rule.find for rule in (*PHONES, *CARDS, *IBANS, *URLS)] + [hidden_addresses]
    content = text.encode()
    return sorted({content[span.start : span.end].decode() for find in finds for _, span in find(texts)})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("é jo (at) example dot org.", ["jo (at) example dot org"], id="brackets"),
        pytest.param("jo.lee [at] mail.example.org", ["jo.lee [at] mail.example.org"], id="brackets around at only"),
        pytest.param("write jo at example dot org", ["jo at example dot org"], id="both words"),
        pytest.param("we met at example.org today", [], id="no dot in words"),
        pytest.param("look at the dot com bubble", [], id="no domain"),
        pytest.param("(at) home dot nosuchtld", [], id="no name"),
        pytest.param("Phone: 451 5986", ["451 5986"], id="a label"),
        pytest.param("Room: 451 5986", [], id="another label"),
        pytest.param("Phone: 12", [], id="too short"),
        pytest.param("via +44-84-835-7725.", ["+44-84-835-7725"], id="a plus sign"),
        pytest.param("a +44-84.", [], id="a plus sign and too few digits"),
        pytest.param("2223 0031 2200 3222", ["2223 0031 2200 3222"], id="Mastercard's second range"),
        pytest.param("2223 0031 2200 3223", [], id="a wrong check digit"),
        pytest.param("card 6759649826438453", ["6759649826438453"], id="Maestro after a word"),
        pytest.param("id 6759649826438453", [], id="Maestro's range without the word"),
        pytest.param("gb82west12345698765432", ["gb82west12345698765432"], id="an IBAN in small letters"),
        pytest.param("gb82west12345698765433", [], id="one with a wrong check"),
        pytest.param("ftp://me:pw@a.org/x", ["me:pw@a.org"], id="a name and a password"),
        pytest.param("http://a.org:80/x@y", [], id="a port"),
    ],
)
def test_found(text: str, found: list[str]) -> None:
    assert values(text) == found
