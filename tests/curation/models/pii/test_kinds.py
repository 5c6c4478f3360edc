"""Kinds and the recognizers that find them."""

import pytest

from curation.core.errors import RecipeError
from curation.models.pii.kinds import all_kinds, check_kinds, usual_kinds
from curation.models.pii.recognizer_list import known

pytest.importorskip("presidio_analyzer")


def test_usual_kinds_are_among_all() -> None:
    assert {"email", "phone", "credit_card", "iban", "ip", "us_ssn", "crypto", "url_credentials"} <= set(usual_kinds())
    assert set(usual_kinds()) < set(all_kinds())
    assert {"date_time", "url"}.isdisjoint(all_kinds())


def test_numbers_of_a_country_are_looked_for_in_one_language() -> None:
    languages = {one.kind: one.language for one in known()}
    assert (languages["us_ssn"], languages["es_nif"], languages["email"]) == ("en", "es", "")


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(RecipeError, match=r"no kind 'emial'.*email"):
        check_kinds(["emial"], all_kinds())
