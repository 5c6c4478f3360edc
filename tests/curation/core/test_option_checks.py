"""Options of components made in a program: refused as a recipe would refuse them, when the component is first used."""

import pytest

from curation.core.component import Component
from curation.core.errors import UserError
from curation.core.function_filter import filter as filter_of
from curation.core.option_checks import check_options
from curation.filters.gopher_quality import GopherQuality
from curation.filters.language import Language
from curation.rewrite.secrets import Secrets


@pytest.mark.parametrize(
    ("component", "message"),
    [
        pytest.param(
            Language(languages="en"),  # type: ignore[arg-type]
            "Language(languages): expected a list, got 'en': write ['en']",
            id="text for a list",
        ),
        pytest.param(
            GopherQuality(min_words="ten"),  # type: ignore[arg-type]
            "GopherQuality(min_words): expected a whole number, got 'ten'",
            id="text for a number",
        ),
        pytest.param(
            GopherQuality(variant="papers"),  # type: ignore[arg-type]
            "GopherQuality(variant): expected 'paper', 'datatrove', 'dolma' or 'dclm', got 'papers'",
            id="no choice",
        ),
        pytest.param(
            GopherQuality(min_words=-1),
            "GopherQuality(min_words): -1 is impossible: a value of words is at least 0",
            id="an impossible limit",
        ),
        pytest.param(
            GopherQuality(min_words=9, max_words=3),
            "GopherQuality(min_words): 9 is above max_words 3: nothing could be kept",
            id="limits that cross",
        ),
    ],
)
def test_wrong_options_are_refused(component: GopherQuality, message: str) -> None:
    for _ in range(2):  # a refused component is no checked one
        with pytest.raises(UserError) as caught:
            component("some text")
        assert str(caught.value) == message


@filter_of(max_value=0.5)
def capitals(text: str) -> float:
    return sum(map(str.isupper, text)) / max(len(text), 1)


@pytest.mark.parametrize(
    "component",
    [
        GopherQuality(),
        GopherQuality(stop_words=("the", "of"), by_language={"de": {"min_words": 3}}),
        Secrets(),
        capitals,
    ],
)
def test_right_options_pass(component: Component) -> None:
    check_options(component)
