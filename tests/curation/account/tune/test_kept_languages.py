"""The languages that reach a stage of a stored recipe."""

from typing import Any

from curation.account.tune.kept_languages import kept_languages, without_others

LIMITS: dict[str, Any] = {"de": {"min_words": 3}, "ja": {"min_words": 0}}
SPOKEN = {"filter": {"language": {"languages": ["de", "en"]}}}
JUDGED = {"filter": {"gopher_quality": {"by_language": LIMITS}}}


def recipe(**chains: list[Any]) -> dict[str, Any]:
    joined = chains.pop("joined", [])
    return {"sources": chains, "joined": joined}


def test_those_of_the_filter_before_it() -> None:
    assert kept_languages(recipe(web=[SPOKEN, JUDGED]), JUDGED) == ("de", "en")


def test_a_filter_after_it_does_not_count() -> None:
    assert kept_languages(recipe(web=[JUDGED, SPOKEN]), JUDGED) is None


def test_joined_stages_have_those_of_all_sources() -> None:
    other = {"filter": {"language": {"languages": ["fr"]}}}
    assert kept_languages(recipe(web=[SPOKEN], books=[other], joined=[JUDGED]), JUDGED) == ("de", "en", "fr")


def test_options_that_do_not_differ_by_language() -> None:
    plain = {"filter": {"gopher_quality": {"min_words": 3}}, "expect_kept": [0.0, 1.0]}
    assert kept_languages(recipe(web=[SPOKEN, plain]), plain) is None


def test_limits_for_other_languages_are_left_out() -> None:
    options = {"min_words": 9, "by_language": LIMITS}
    assert without_others(options, ("de", "en")) == {"min_words": 9, "by_language": {"de": {"min_words": 3}}}
    assert without_others(options, None) == options
