"""What Presidio misses, each beside what must not be found."""

import pyarrow as pa
import pytest

from curation.models.pii.added import CARDS, IBANS, NUMBERS, PHONES, URLS, hidden_addresses
from curation.models.pii.patterns import Texts
from curation.text.kernels.buffers import text_buffers

pytest.importorskip("presidio_analyzer")


def values(text: str) -> list[str]:
    texts = Texts(*text_buffers(pa.array([text])))
    finds = [rule.find for rule in (*PHONES, *CARDS, *IBANS, *NUMBERS, *URLS)] + [hidden_addresses]
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
        pytest.param("é jo (at) a.org, é al (at) b.org", ["al (at) b.org", "jo (at) a.org"], id="two"),
        pytest.param("a dot " * 20_000 + "b (at) a.org", ["a dot " * 16 + "b (at) a.org"], id="many words"),
        pytest.param("(at) home dot nosuchtld", [], id="no name"),
        pytest.param("Phone: 451 5986", ["451 5986"], id="a label"),
        pytest.param("Room: 451 5986", [], id="another label"),
        pytest.param("Phone: 12", [], id="too short"),
        pytest.param("via +44-84-835-7725.", ["+44-84-835-7725"], id="a plus sign"),
        pytest.param("a +44-84.", [], id="a plus sign and too few digits"),
        pytest.param("via +12 345 678", [], id="an amount"),
        pytest.param("4111.1111.1111.1111", ["4111.1111.1111.1111"], id="a card with dots"),
        pytest.param("3782 - 822463 - 10005", ["3782 - 822463 - 10005"], id="a card of three groups"),
        pytest.param("6011.1111.1111.1117", ["6011.1111.1111.1117"], id="another brand"),
        pytest.param("4111.1111.1111.1112", [], id="dots and a wrong check digit"),
        pytest.param("4111.1111/1111.1111", [], id="different signs"),
        pytest.param("visa 4111\t1111\t1111\t1111", ["4111\t1111\t1111\t1111"], id="tabs after a word"),
        pytest.param("4111\t1111\t1111\t1111", [], id="tabs without the word"),
        pytest.param("DE89.3704.0044.0532.0130.00", ["DE89.3704.0044.0532.0130.00"], id="an IBAN with dots"),
        pytest.param("DE89.3704.0044.0532.0130.01", [], id="dots and a wrong check"),
        pytest.param("SSN 536/22/8726", ["536/22/8726"], id="a social security number with slashes"),
        pytest.param("on 536/22/8726", [], id="slashes without the words"),
        pytest.param("SSN 666/22/8726", [], id="an area that is never issued"),
        pytest.param("IPv6:2a00:1450::200e:", ["2a00:1450::200e"], id="an address after a colon"),
        pytest.param("2a00::1::2, a:2a00:1450::x", [], id="no address"),
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
