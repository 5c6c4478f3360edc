"""Language: the limits, what a glance decides, and the embedded model on real text."""

import pickle
from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError
from curation.filters.language import Language
from tests.support import documents, verdict

ENGLISH = "The committee will meet again on Thursday to discuss the new library building and its opening hours."
PORTUGUESE = "A comissão volta a reunir-se na quinta-feira para discutir o novo edifício da biblioteca municipal."
HINDI = "समिति गुरुवार को नए पुस्तकालय भवन और उसके खुलने के समय पर चर्चा करने के लिए फिर बैठक करेगी।"


@pytest.mark.parametrize(
    ("text", "languages", "reason"),
    [
        pytest.param(ENGLISH, ("en",), None, id="English where English is wanted"),
        pytest.param(PORTUGUESE, ("en", "pt"), None, id="one of two"),
        pytest.param(HINDI, ("en", "pt"), "label:not_in", id="another language"),
        pytest.param(HINDI, (), None, id="any language"),
        pytest.param("aa bb 12 zq", (), "score:low", id="no language"),
        pytest.param(" \n", ("en",), "label:unmeasured", id="no word, languages wanted"),
        pytest.param("", (), "score:unmeasured", id="no word"),
    ],
)
def test_verdict(text: str, languages: tuple[str, ...], reason: str | None) -> None:
    assert verdict(Language(languages=languages), text) == reason


def test_the_limit_is_inclusive() -> None:
    score = Language().measure(documents(PORTUGUESE))["score"][0].as_py()
    assert 0.65 < score <= 1
    assert verdict(Language(min_score=score), PORTUGUESE) is None
    assert verdict(Language(min_score=score + 1e-9), PORTUGUESE) == "score:low"


def test_labels() -> None:
    measured = Language().measure(documents(ENGLISH, None, PORTUGUESE, HINDI))
    assert measured["label"].to_pylist() == ["en", None, "pt", "hi"]
    assert measured["score"].is_null().to_pylist() == [False, True, False, False]


def test_line_breaks_and_leading_whitespace_change_nothing() -> None:
    measured = Language().measure(documents(ENGLISH, "\n\n  " * 500 + ENGLISH.replace(" ", "\n")))
    assert measured["label"].to_pylist() == ["en", "en"]
    assert measured["score"][0] == measured["score"][1]


def test_more_is_read_only_where_the_glance_leaves_doubt() -> None:
    clear, doubtful = ENGLISH * 2 + HINDI * 20, f"{ENGLISH} " + PORTUGUESE * 20
    short = Language(glance_characters=150, max_characters=150).measure(documents(clear, doubtful))
    longer = Language(glance_characters=150, max_characters=600).measure(documents(clear, doubtful))
    assert longer["label"].to_pylist() == ["en", "pt"]
    assert longer["score"][0] == short["score"][0]
    assert longer["score"][1] != short["score"][1]


def test_the_limits_do_not_change_the_measure() -> None:
    batch = documents(ENGLISH, "1 2 3 x")
    assert Language(min_score=0.1, languages=("pt",)).measure(batch) == Language().measure(batch)


def test_assets_name_the_model() -> None:
    assert Path(Language().assets()["model"]).name == "lid.176.ftz"
    with pytest.raises(InputError, match="no fastText model at nowhere"):
        Language(model="nowhere.bin").assets()


def test_a_glance_longer_than_the_whole_is_refused() -> None:
    with pytest.raises(RecipeError, match="glance_characters"):
        Language(glance_characters=500, max_characters=300)


def test_it_pickles() -> None:
    assert pickle.loads(pickle.dumps(Language(languages=("en",)))) == Language(languages=("en",))
