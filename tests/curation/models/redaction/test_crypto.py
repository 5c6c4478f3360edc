"""Addresses with right checks, of the same type; a surrogate is its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.redaction.crypto import crypto
from curation.models.redaction.keyed import KeyedDraws

KEY = KeyedDraws(b"1" * 64)
ADDRESSES = (
    "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
    "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
)


@pytest.mark.parametrize("value", ADDRESSES)
def test_an_address_of_the_same_type(value: str) -> None:
    recognizers = pytest.importorskip("presidio_analyzer.predefined_recognizers")
    check = recognizers.CryptoRecognizer().validate_result
    made = crypto(value, "crypto", KEY)
    assert check(value)
    assert check(made)
    assert made != value
    assert made[: 4 if value[0] == "b" else 1] == value[: 4 if value[0] == "b" else 1]
    assert crypto(made, "crypto", KEY) == made


@given(value=st.text(max_size=70))
def test_what_is_no_address_breaks_nothing(value: str) -> None:
    crypto(value, "crypto", KEY)
    crypto(f"bc1{value}", "crypto", KEY)
