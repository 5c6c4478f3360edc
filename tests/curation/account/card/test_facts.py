"""What people say of a data set is refused where tools could not read it."""

import pytest

from curation.account.card.facts import About
from curation.core.errors import UserError
from tests.support import refusal


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param({"published": "2026-13-01"}, "YYYY-MM-DD", id="no such month"),
        pytest.param({"published": "yesterday"}, "YYYY-MM-DD", id="no date"),
        pytest.param({"version": "1.0"}, "MAJOR.MINOR.PATCH", id="two numbers"),
        pytest.param({"version": "1.0.0.0"}, "MAJOR.MINOR.PATCH", id="four numbers"),
        pytest.param({"version": "v1.0.0"}, "MAJOR.MINOR.PATCH", id="a letter"),
        pytest.param({"url": "example.org/data"}, "https://", id="no scheme"),
        pytest.param({"country_iso_code": "Germany"}, "three letters of ISO 3166", id="a country's name"),
    ],
)
def test_mistakes(said: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        About(**said)


def test_what_can_be_said() -> None:
    assert refusal(About) is None
    said = {"published": "2026-01-31", "version": "1.2.3-rc.1+x", "url": "https://example.org/", "licence": "any words"}
    assert refusal(About, **said) is None
    assert "give MAJOR.MINOR.PATCH" in str(refusal(About, **{**said, "version": "1.2"}))
