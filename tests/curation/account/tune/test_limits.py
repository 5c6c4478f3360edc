"""Rule sets rebuilt from a run, options that bound signals, and what may be set."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from curation.account.run import Run
from curation.account.tune.limits import (
    bound_for,
    bounds_by_limit,
    limit_options,
    parse_changes,
    rule_sets,
    rules_of,
    with_changes,
)
from curation.core.errors import InputError, UserError
from curation.filters.gopher_quality import GopherQuality
from curation.filters.gopher_repetition import GopherRepetition
from curation.filters.language import Language
from tests.curation.account.corpus import curate


def test_changes_as_written() -> None:
    given = ["a.x=1", "a.by_language.de.x=.inf", "b.names=[en, de]", "b.text=a=b"]
    assert parse_changes(given) == {
        "a": {"x": 1, "by_language.de.x": float("inf")},
        "b": {"names": ["en", "de"], "text": "a=b"},
    }


@pytest.mark.parametrize("given", ["words", "words=3", "a.=3", ".b=3", "a.b", "a.b=[1"])
def test_what_is_no_change(given: str) -> None:
    with pytest.raises(UserError, match="--set"):
        parse_changes([given])


def test_an_option_that_is_set_twice() -> None:
    with pytest.raises(UserError, match=r"--set a\.x=2: a\.x is set twice; give one value"):
        parse_changes(["a.x=1", "b.x=1", "a.x=2"])


def test_rule_sets_are_those_of_the_run(corpus: Path) -> None:
    run = curate(corpus, words=40, german=7.5)
    assert rule_sets(run, run.stage("language")) == {"language": Language(languages=("en", "de"), min_score=0.85)}
    sets = rule_sets(run, run.stage("gopher"))
    assert list(sets) == ["gopher_quality", "gopher_repetition"]
    german = {"de": {"max_mean_word_length": 7.5}}
    assert sets["gopher_quality"] == GopherQuality(min_words=40, min_stop_words=0, by_language=german)


def test_a_rule_set_that_changed_since_is_refused(corpus: Path, tmp_path: Path) -> None:
    folder = str(shutil.copytree(curate(corpus).folder, tmp_path / "run"))
    (file,) = Path(folder).glob("*-gopher-*/_manifest.json")
    manifest = json.loads(file.read_text())
    manifest["limits"][0]["at_least"] = 49
    file.write_text(json.dumps(manifest))
    run = Run.open(folder)
    with pytest.raises(InputError, match="gopher_quality sets other limits in this winnow than in the run"):
        rule_sets(run, run.stage("gopher"))


def test_a_limit_of_one_language_leaves_the_others() -> None:
    one = with_changes(
        "gopher_quality", GopherQuality(by_language={"de": {"min_words": 9}}), {"by_language.ja.min_words": 0}
    )
    assert one.by_language == {"de": {"min_words": 9}, "ja": {"min_words": 0}}
    two = with_changes("gopher_quality", one, {"by_language.de.max_words": 99, "min_words": 60})
    assert two.by_language["de"] == {"min_words": 9, "max_words": 99}
    assert two.min_words == 60


def test_bounds_by_language() -> None:
    part = GopherQuality(
        by_language={"de": {"max_mean_word_length": 14.0}, "ja": {"max_mean_word_length": float("inf")}}
    )
    bounds = bounds_by_limit(rules_of({"gopher_quality": part}))
    assert bounds["gopher_quality.mean_word_length:high"] == {"*": 10.0, "de": 14.0, "ja": None}
    assert bounds["gopher_quality.mean_word_length:low"] == {"*": 3.0}  # the same for all
    assert bounds["gopher_quality.stop_words:low"] == {"*": 2}
    high = bounds["gopher_quality.mean_word_length:high"]
    assert [bound_for(high, language) for language in (None, "en", "de", "ja")] == [10.0, 10.0, 14.0, None]


@pytest.mark.parametrize(
    "part", [GopherQuality(), GopherRepetition(), Language()], ids=lambda part: type(part).__name__
)
def test_every_numeric_limit_has_the_option_that_its_name_says(part: Any) -> None:
    expected = {}
    for rule in part.rules():
        if rule.at_least > float("-inf"):
            expected[f"key.{rule.signal}:low"] = f"min_{rule.signal}"
        if rule.at_most < float("inf"):
            expected[f"key.{rule.signal}:high"] = f"max_{rule.signal}"
    assert limit_options("key", part) == expected


def test_overrides_do_not_hide_an_option() -> None:
    part = GopherQuality(by_language={"de": {"min_words": 9}})
    assert limit_options("key", part)["key.words:low"] == "min_words"


def test_an_option_that_is_not_set_stands_for_the_variant_s_limit() -> None:
    part = GopherRepetition(variant="dolma")
    limit = "key.duplicate_line_characters:high"
    assert part.max_duplicate_line_characters is None
    assert limit_options("key", part)[limit] == "max_duplicate_line_characters"
    same = with_changes("key", part, {"max_duplicate_line_characters": 0.3})  # what it is already, said
    assert same.rules() == part.rules()
    changed = with_changes("key", part, {"max_duplicate_line_characters": 0.4})
    assert bounds_by_limit(rules_of({"key": changed}))[limit] == {"*": 0.4}
