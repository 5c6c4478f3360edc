"""Perplexity: its limits, models by language and by path, bad input, and a recipe that filters by it."""

import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.errors import InputError, RecipeError
from curation.engine.apply import judge
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.perplexity import Perplexity
from curation.models.ngram.counts import count
from curation.models.ngram.estimate import FALLBACK, estimate
from curation.models.ngram.model_file import file_of
from curation.models.ngram.normalization import Normalization
from curation.models.ngram.reading import Reading
from tests.support import documents, table, verdict

# Adjusted counts of a, b, c: 1 each, of </s>: 2; see tests/curation/models/ngram/test_estimate.py for the model:
# p(a | <s>) = 0.6, p(b | a) = p(c | a) = 0.35, p(</s> | b) = 0.65, p(<unk>) = 0.1, weights of <s>, a, b and c: 0.5.
ENGLISH = "a b\na c"
AB = 0.6 * 0.35 * 0.65  # the line "a b"


def written(path: Path, text: str, language: str = "", normalization: Normalization = "nfc") -> str:
    reading = Reading(normalization=normalization)
    table = count(reading.tokens(pa.array([text], pa.large_string())), 2)
    path.write_bytes(b"".join(file_of(estimate([table], fallback=FALLBACK), reading, language=language)))
    return str(path)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("models") / "en.arpa", ENGLISH, "en")


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("models") / "de.arpa", "der hund\ndie katze", "de")


def signals(rule_set: Perplexity, text: str) -> list[float | None]:
    return [values[0].as_py() for values in rule_set.measure(documents(text)).values()]


def test_measures_by_hand(english: str) -> None:
    unknown = 0.5 * 0.1 * 0.3  # <s> and "zz", then the line's end without a context
    bits = -math.log2(AB) / 4  # a, b, a space and the line's end
    rule_set = Perplexity(models=english, min_paragraph_tokens=3)
    assert signals(rule_set, "a b") == pytest.approx([AB ** (-1 / 3), bits, AB ** (-1 / 3), bits])
    assert signals(rule_set, "a b\n\n zz ") == pytest.approx(
        [(AB * unknown) ** (-1 / 5), -math.log2(AB * unknown) / 7, AB ** (-1 / 3), bits]
    )
    worst = signals(Perplexity(models=english, min_paragraph_tokens=2), "a b\n\n zz ")[2:]
    assert worst == pytest.approx([unknown ** (-1 / 2), -math.log2(unknown) / 3])


LIMIT = AB ** (-1 / 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({}, None, id="no limit by default"),
        pytest.param({"max_perplexity": LIMIT + 1e-6}, None, id="below the greatest"),
        pytest.param({"max_perplexity": LIMIT - 1e-6}, "perplexity:high", id="above the greatest"),
        pytest.param({"min_perplexity": LIMIT - 1e-6}, None, id="above the least"),
        pytest.param({"min_perplexity": LIMIT + 1e-6}, "perplexity:low", id="below the least"),
        pytest.param({"max_bits_per_character": 0.72}, None, id="0.718 bits"),
        pytest.param({"max_bits_per_character": 0.71}, "bits_per_character:high", id="more than 0.71 bits"),
        pytest.param({"min_bits_per_character": 0.72}, "bits_per_character:low", id="fewer than 0.72 bits"),
        pytest.param({"max_worst_perplexity": LIMIT - 1e-6}, "worst_perplexity:high", id="the worst paragraph"),
        pytest.param({"max_worst_bits_per_character": 0.7}, "worst_bits_per_character:high", id="its bits"),
    ],
)
def test_limits(english: str, options: dict[str, float], reason: str | None) -> None:
    assert verdict(Perplexity(models=english, **options), "a b") == reason


@pytest.mark.parametrize("text", ["", " \n", "\0"])
def test_a_text_without_a_token_is_unmeasured(english: str, text: str) -> None:
    assert verdict(Perplexity(models=english, max_perplexity=9.0), text) == "perplexity:unmeasured"
    assert verdict(Perplexity(models=english), text) is None


def test_models_and_limits_by_language(english: str, german: str) -> None:
    rule_set = Perplexity(
        models={"en": english, "de": german}, max_perplexity=4.0, by_language={"de": {"max_perplexity": 20.0}}
    )
    languages: list[object] = [{"label": label} for label in ("en", "en", "de", "de", "fr", None)]
    batch = documents("a b", "zz", "der hund", "zz", "zz", "zz", language=languages)
    judged = judge([("perplexity", rule_set)], batch)
    high = "perplexity.perplexity:high"
    measured = judged["perplexity"].field("perplexity").to_pylist()
    assert judged["drop_reason"].to_pylist() == [None, high, None, None, None, None]
    assert measured[0] == pytest.approx(LIMIT)
    assert measured[2] < 4 < measured[3] < 20  # German has its own limit
    assert measured[4:] == [None, None]


def test_a_language_without_a_model_has_no_limit_even_without_overrides(english: str) -> None:
    rule_set = Perplexity(models={"en": english}, max_perplexity=1.0)
    languages: list[object] = [{"label": "en"}, {"label": "fr"}]
    judged = judge([("perplexity", rule_set)], documents("", "", language=languages))
    assert judged["drop_reason"].to_pylist() == ["perplexity.perplexity:unmeasured", None]


def test_the_text_is_normalized_as_the_model_says(tmp_path: Path, english: str) -> None:
    folded = written(tmp_path / "folded.arpa", ENGLISH, normalization="ccnet")
    assert signals(Perplexity(models=folded), "Á B")[0] == pytest.approx(LIMIT)
    assert signals(Perplexity(models=english), "Á B")[0] > 5


@table(
    ("options", "message"),
    {
        "no model": ({"models": ""}, "models names no file"),
        "no models": ({"models": {}}, "models names no file"),
        "no path": ({"models": {"en": ""}}, "models names no file"),
        "pieces for all": ({"models": {"en": "a"}, "pieces": "b"}, "give pieces as the models"),
        "pieces by language": ({"models": "a", "pieces": {"de": "b"}}, "give pieces as the models"),
        "other pieces": ({"models": {"en": "a"}, "pieces": {"de": "b"}}, "pieces.de: there is no model"),
        "a limit without a model": (
            {"models": {"en": "a"}, "by_language": {"de": {"max_perplexity": 9}}},
            "by_language.de: there is no model for de",
        ),
        "no tokens": ({"models": "a", "min_paragraph_tokens": 0}, "must be 1 or more"),
        "model by language": ({"models": "a", "by_language": {"de": {"models": "b"}}}, "no limit 'models'"),
    },
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Perplexity(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"models": "nowhere"}, "no n-gram model at nowhere; give the path", id="a missing model"),
        pytest.param({"models": "cut"}, "cut is no n-gram model in ARPA", id="a damaged model"),
        pytest.param({"models": "other"}, "other is no n-gram model in ARPA", id="another kind of file"),
        pytest.param({"models": "en", "normalization": "none"}, "normalization nfc, not none", id="a normalization"),
        pytest.param({"models": {"de": "en"}}, "en was trained on en, not on de", id="a language"),
        pytest.param({"models": "en", "pieces": "other"}, "other is not a SentencePiece model", id="no pieces"),
    ],
)
def test_bad_models_are_told_before_work(
    english: str, options: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Path(english).read_bytes()
    for name, part in {"en": content, "cut": content[:-40], "other": b"{}"}.items():
        (tmp_path / name).write_bytes(part)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        Perplexity(**options).assets()  # type: ignore[arg-type]


def test_assets_and_columns(english: str) -> None:
    assert Perplexity(models=english).assets() == {"models": english}
    assert Perplexity(models=english).reads == ("text",)
    by_language = Perplexity(models={"en": english})
    assert by_language.assets() == {"models": {"en": english}}
    assert by_language.reads == ("text", "language")


LANGUAGES = """
version: 1
name: languages
sources:
  web:
    - read: {jsonl: {paths: ["%s"]}}
    - filter: {language: {languages: [en, de, fr]}}
    - fit:
        ngram_model: {order: 2, discounts: [0.5, 1, 1.5], sample_by: language.label, sample_weights: {en: 1, "*": 0}}
      name: english
    - fit:
        ngram_model: {order: 2, discounts: [0.5, 1, 1.5], sample_by: language.label, sample_weights: {de: 1, "*": 0}}
      name: german
    - filter: {perplexity: {models: {en: "@english", de: "@german"}}}
    - fit: {quantiles: {signals: [perplexity.perplexity], by: language.label}}
    - filter:
        perplexity: {models: {en: "@english", de: "@german"}, max_perplexity: "@quantiles p50 by language.label"}
      name: best
"""


def test_a_model_for_each_language_is_learnt(tmp_path: Path) -> None:
    texts = {
        "en": "The people of the village went down to the river and waited there for the boat number %d to come back.",
        "de": "Die Leute aus dem Dorf gingen zum Fluss hinunter und warteten dort auf das Boot Nummer %d der Stadt.",
        "fr": "Les gens du village sont descendus jusqu'à la rivière et ont attendu le bateau numéro %d de la ville.",
    }
    rows = [json.dumps({"text": text % number}) for text in texts.values() for number in range(12)]
    (tmp_path / "in.jsonl").write_text("\n".join(rows))
    recipe = parse(LANGUAGES % (tmp_path / "in.jsonl"), "languages.yaml")
    runner.curate(recipe, str(tmp_path / "run"), Inline(), lambda progress: None)
    (part,) = (tmp_path / "run").glob("*-perplexity-*/part-*.parquet")
    table = pq.read_table(part)
    found = table["perplexity"].combine_chunks().field("perplexity").to_pylist()
    assert {
        label: [value is not None for value in found[12 * at : 12 * at + 12]] for at, label in enumerate(texts)
    } == {
        "en": [True] * 12,
        "de": [True] * 12,
        "fr": [False] * 12,
    }
    stages = {line.name: line for line in Run.open(str(tmp_path / "run")).funnel().stages}
    untold = "perplexity has no model for 12 documents, which it neither measured nor limited: fr 12"
    assert stages["perplexity"].warnings == stages["best"].warnings == (untold,)
    assert 12 + 12 <= stages["best"].kept < 36, "at least half of both languages, and all that has no model"
