"""Limits by language: overridden ones hold there, the general ones everywhere else, lifted ones nowhere."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from curation.core.by_language import ByLanguage, EditsByLanguage, languages_of
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.limits import Limit, When
from curation.core.rules import Rule, fired, first_failure


@dataclass(frozen=True, kw_only=True)
class Sized(ByLanguage):
    """Stands for a rule set: two limits and an option that changes the measure."""

    min_words: int = 5
    max_lines: float = 9.0
    variant: str = "paper"

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1
    limits: ClassVar[tuple[Limit, ...]] = (Limit("words", least="min_words"), Limit("lines", most="max_lines"))


LANGUAGES = pa.array(["en", "ja", "de", None], pa.string())
SIGNALS = {"words": pa.array([4, 4, 4, 4]), "lines": pa.array([10.0] * 4)}


def failures(**options: Any) -> list[str | None]:
    return first_failure(SIGNALS, Sized(**options).rules(), 4, LANGUAGES).to_pylist()


def test_without_overrides_the_rules_are_the_limits() -> None:
    assert Sized().rules() == (Rule("words", at_least=5), Rule("lines", at_most=9.0))
    assert Sized().reads == ("text",)


def test_an_override_holds_in_its_language_alone() -> None:
    assert failures(by_language={"ja": {"min_words": 1}}) == ["words:low", "lines:high", "words:low", "words:low"]
    assert failures(by_language={"ja": {"min_words": 1, "max_lines": 10.0}}) == [
        "words:low",
        None,
        "words:low",
        "words:low",
    ]
    assert Sized(by_language={"ja": {"min_words": 1}}).reads == ("text", "language")


def test_a_lifted_limit_is_no_rule_there() -> None:
    rules = Sized(min_words=1, by_language={"de": {"max_lines": float("inf")}}).rules()
    assert rules == (Rule("words", at_least=1), Rule("lines", at_most=9.0, but=("de",)))
    assert first_failure(SIGNALS, rules, 4, LANGUAGES).to_pylist() == ["lines:high", "lines:high", None, "lines:high"]


@dataclass(frozen=True, kw_only=True)
class Unset(ByLanguage):
    """Stands for a rule set whose limits are not set for all languages."""

    max_words: int | None = None
    labels: tuple[str, ...] = ()

    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("words", most="max_words"), Limit("label", one_of="labels"))


def test_a_language_has_a_limit_that_the_others_have_not() -> None:
    assert Unset().rules() == ()
    one = Unset(by_language={"de": {"max_words": 3}, "ja": {"labels": ["a"]}, "fr": {}})
    assert one.rules() == (Rule("words", at_most=3, only=("de",)), Rule("label", one_of=("a",), only=("ja",)))


def test_options_that_may_differ_by_language() -> None:
    assert Sized.may_differ() == ("min_words", "max_lines")
    assert Marked.may_differ() == ("mark",)


def test_what_fires_is_counted_over_all_languages() -> None:
    rules = Sized(by_language={"ja": {"min_words": 2}, "de": {"min_words": 8}}).rules()
    assert fired(SIGNALS, rules, LANGUAGES) == {
        "words:unmeasured": 0,
        "words:low": 3,
        "lines:unmeasured": 0,
        "lines:high": 4,
    }


def test_languages_come_from_the_language_column() -> None:
    labels = pa.StructArray.from_arrays([LANGUAGES], ["label"])
    batch = pa.RecordBatch.from_pydict({"language": labels})
    rules = Sized(by_language={"ja": {"min_words": 1}}).rules()
    found = languages_of(batch, rules)
    assert found is not None
    assert found.to_pylist() == ["en", "ja", "de", None]
    assert languages_of(batch, Sized().rules()) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"min_word": 1}, "by_language.ja: no limit 'min_word'; did you mean 'min_words'", id="unknown"),
        pytest.param({"variant": "dolma"}, "by_language.ja: no limit 'variant'", id="measuring option"),
        pytest.param({"min_words": "many"}, "by_language.ja.min_words.*whole number", id="type"),
    ],
)
def test_what_is_no_limit_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Sized(by_language={"ja": options})


@dataclass(frozen=True, kw_only=True)
class Marked(EditsByLanguage):
    """Stands for a rewriter: writes a mark behind each text."""

    mark: str = "."

    reads: ClassVar[tuple[str, ...]] = ("text",)

    def signal_types(self) -> Signals:
        return {"marks": pa.int64()}

    def edit(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        marks = pa.array([len(self.mark)] * batch.num_rows, pa.int64())
        mark, between = (pa.scalar(one, pa.large_string()) for one in (self.mark, ""))
        return pc.binary_join_element_wise(batch.column("text"), mark, between), {"marks": marks}


def marked(languages: list[str | None], **options: Any) -> tuple[list[str], list[int]]:
    texts = pa.array([str(row) for row in range(len(languages))], pa.large_string())
    labels = pa.StructArray.from_arrays([pa.array(languages, pa.string())], ["label"])
    text, counts = Marked(**options).rewrite(pa.RecordBatch.from_pydict({"text": texts, "language": labels}))
    assert text.type == pa.large_string()
    return text.to_pylist(), counts["marks"].to_pylist()


def test_each_document_is_edited_as_its_language_has_it() -> None:
    overrides = {"ja": {"mark": "。"}, "hi": {"mark": "||"}, "fr": {"mark": " !"}}
    found = marked(["en", "hi", "ja", None, "hi", "en", "ja"], by_language=overrides)
    assert found == (["0.", "1||", "2。", "3.", "4||", "5.", "6。"], [1, 2, 1, 1, 2, 1, 1])
    assert marked(["ja", "ja"], by_language=overrides) == (["0。", "1。"], [1, 1])
    assert marked([], by_language=overrides) == ([], [])


def test_without_overrides_no_language_is_read() -> None:
    assert Marked().reads == ("text",)
    assert Marked(by_language={"ja": {}}).reads == ("text", "language")
    text, _ = Marked().rewrite(pa.RecordBatch.from_pydict({"text": pa.array(["a"], pa.large_string())}))
    assert text.to_pylist() == ["a."]


def test_what_is_no_option_of_a_rewriter_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"by_language.ja: no limit 'marks'; did you mean 'mark'"):
        Marked(by_language={"ja": {"marks": "x"}})


@dataclass(frozen=True, kw_only=True)
class Varied(EditsByLanguage):
    """Two options that have an effect only beside others."""

    variant: str = "paper"
    file: str = ""
    symbols: int = 1
    most: int = 2

    reads: ClassVar[tuple[str, ...]] = ("text",)
    counts_with: ClassVar[dict[str, When]] = {"symbols": {"variant": ("dolma", "dclm")}, "most": {"file": ()}}


@pytest.mark.parametrize("options", [{}, {"symbols": 1}, {"variant": "dclm", "symbols": 5}, {"file": "a", "most": 3}])
def test_options_with_an_effect(options: dict[str, Any]) -> None:
    assert Varied(**options) == Varied(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"symbols": 5}, "symbols has an effect only with variant: dolma or dclm; remove it, or change variant"),
        ({"most": 3}, "most has an effect only where file is given; remove it, or give file"),
        ({"by_language": {"de": {"symbols": 1}}}, "symbols has an effect only with variant: dolma or dclm"),
    ],
)
def test_options_without_effect(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Varied(**options)
