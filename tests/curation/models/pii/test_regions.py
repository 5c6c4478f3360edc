"""Countries of telephone numbers."""

import pytest

from curation.core.errors import RecipeError
from curation.models.pii.regions import _OF_LANGUAGE, PRESIDIO_REGIONS, check_regions, regions_of

pytest.importorskip("phonenumbers")


def test_presidios_come_first() -> None:
    assert regions_of("pl") == (*PRESIDIO_REGIONS, "PL")
    assert regions_of("hi") == PRESIDIO_REGIONS
    assert regions_of("no such") == PRESIDIO_REGIONS


@pytest.mark.parametrize("language", _OF_LANGUAGE)
def test_every_country_has_telephone_numbers(language: str) -> None:
    check_regions(regions_of(language))


def test_an_unknown_country() -> None:
    with pytest.raises(RecipeError, match="'UK' is no country's code"):
        check_regions(["UK"])
