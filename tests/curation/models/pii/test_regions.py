"""Countries of telephone numbers."""

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.models.pii.regions import (
    _OF_LANGUAGE,
    PRESIDIO_REGIONS,
    check_regions,
    countries_of,
    regions_of,
)

pytest.importorskip("phonenumbers")


def test_regions_of_a_language() -> None:
    assert regions_of("pl") == ("PL",)
    assert regions_of("de") == ("DE", "AT", "CH")
    assert regions_of("no such") == ()


@pytest.mark.parametrize(
    ("url", "country"),
    [
        ("https://a.de", "DE"),
        ("https://a.de:8080/x.fr/", "DE"),
        ("http://ann:pw@www.a.co.uk./?q=a.fr", "GB"),
        ("//a.PL#x", "PL"),
        ("https://a.su/", "RU"),
        ("https://a.io/", None),
        ("https://a.com/b.de", None),
        ("https://a.com?x=b.de", None),
        ("https://a.zz/", None),
        ("a.de", None),
        ("", None),
        (None, None),
    ],
)
def test_country_of_a_domain(url: str | None, country: str | None) -> None:
    assert countries_of(pa.array([url, "https://a.fr/"], pa.string())).to_pylist() == [country, "FR"]


def test_every_country_has_telephone_numbers() -> None:
    check_regions([*PRESIDIO_REGIONS, *(code for language in _OF_LANGUAGE for code in regions_of(language))])
    with pytest.raises(RecipeError, match="'UK' is no country's code"):
        check_regions(["UK"])
