"""Each kind keeps what makes it look like one, and is nobody's."""

import re

import pytest

from curation.models.redaction.keyed import KeyedDraws
from curation.models.redaction.surrogates import MAKERS, luhn_digit

KEY = KeyedDraws(b"1" * 64)


def surrogate(kind: str, value: str) -> str:
    """The surrogate, which is its own."""
    made = MAKERS[kind](value, kind, KEY)
    assert MAKERS[kind](made, kind, KEY) == made
    assert made != value
    return made


@pytest.mark.parametrize(
    ("kind", "value", "shape"),
    [
        pytest.param(
            "email", "John.Smith+x@acme.com", r"[A-Z][a-z]{3}\.[A-Z][a-z]{4}\+[a-z]@example\.com", id="e-mail"
        ),
        pytest.param("email", "a1@uni.de", r"[a-z]\d[a-z]{8}@example\.org", id="e-mail elsewhere"),
        pytest.param("email", "jörg@firma.de", r"[a-z]{10}@example\.org", id="e-mail beyond ASCII"),
        pytest.param("email", "jane (at) uni dot de", r"[a-z]{10}@example\.org", id="e-mail that hides"),
        pytest.param("credit_card", "4111-1111-1111-1111", r"4242-42\d\d-\d{4}-\d{4}", id="card"),
        pytest.param("credit_card", "3714 496353 98431", r"3782 82\d{4} \d{5}", id="card of 15 digits"),
        pytest.param(
            "credit_card", "6229 2512 3456 7890 123", r"6011 11\d\d \d{4} \d{4} \d{3}", id="card of 19 digits"
        ),
        pytest.param("iban", "DE89 3704 0044 0532 0130 00", r"DE\d\d \d{4} \d{4} \d{4} \d{4} \d\d", id="IBAN"),
        pytest.param("iban", "GB29NWBK60161331926819", r"GB\d\d[A-Z]{4}\d{14}", id="IBAN with letters"),
        pytest.param("ip", "8.8.8.8", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+", id="IPv4"),
        pytest.param("ip", "2a00:1450::1", r"2001:db8:.*", id="IPv6"),
        pytest.param("ip", "81.2.69.142/24", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+/24", id="a network"),
        pytest.param("ip", "2a00:1450::1/64", r"2001:db8:[0-9a-f:]*/64", id="a network of IPv6"),
        pytest.param("ip", "081.2.69.142", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+", id="with a nought before"),
        pytest.param("mac_address", "00:1a:2B:3c:4d:5e", r"00:00:5e:00:53:[0-9a-f]{2}", id="MAC"),
        pytest.param("mac_address", "001A.2B3C.4D5E", r"0000\.5E00\.53[0-9A-F]{2}", id="MAC of three groups"),
        pytest.param("url_credentials", "me:pw@real.net", r"[a-z]{10}:[a-z]{10}@example\.net", id="credentials"),
        pytest.param("crypto", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", r"1[1-9A-HJ-NP-Za-km-z]{25,33}", id="Bitcoin"),
        pytest.param("crypto", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", r"bc1q[a-z0-9]{38}", id="Bech32"),
        pytest.param("crypto", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", r"3[1-9A-HJ-NP-Za-km-z]{25,33}", id="of a script"),
        pytest.param(
            "crypto",
            "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
            r"bc1p[a-z0-9]{58}",
            id="Bech32m",
        ),
        pytest.param("us_ssn", "078-05-1120", r"666-\d\d-\d{4}", id="social security number"),
    ],
)
def test_shape(kind: str, value: str, shape: str) -> None:
    assert re.fullmatch(shape, surrogate(kind, value))


def test_luhn() -> None:
    assert luhn_digit("411111111111111") == "1"  # Visa's test number 4111 1111 1111 1111
    assert luhn_digit("37144963539843") == "1"  # American Express's 3714 496353 98431


def test_the_domain_of_an_address_counts_and_its_case_does_not() -> None:
    assert surrogate("email", "info@a.com") != surrogate("email", "info@b.com")
    assert surrogate("email", "info@a.com") == surrogate("email", "info@A.COM")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    "value", ["", "x", "@", "4", "12-3", "é@", "DE", "bc1", "bc1q", "1", "0OIl", "\udcff\udcfe 1234"]
)
def test_what_is_no_value_of_the_kind_breaks_nothing(kind: str, value: str) -> None:
    assert MAKERS[kind](value, kind, KEY) == MAKERS[kind](value, kind, KEY)
