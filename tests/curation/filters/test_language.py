"""Language: the limits, what a glance decides, and the embedded model on real text."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.engine.apply import judge
from curation.filters.language import LOW, Language
from curation.models.capitals import small_letters
from curation.models.fasttext.classifier import EMBEDDED, load
from curation.models.text_windows import whole, windows
from tests.support import SHARED, documents, needs_shared_data, verdict

ENGLISH = "The committee will meet again on Thursday to discuss the new library building and its opening hours. "
PORTUGUESE = "A comissão volta a reunir-se na quinta-feira para discutir o novo edifício da biblioteca municipal. "
NOISE = "zq 7 xk 12 vv 0 qj 9 wz 4 kx 31 jq 8 " * 4  # 136 bytes
RUSSIAN = "Вчера вечером мы долго гуляли по берегу реки и говорили о прошедшем лете. "
GERMAN_UMLAUTS = "öäüß äöüß üöäß ößäü"
HINDI = "समिति गुरुवार को नए पुस्तकालय भवन और उसके खुलने के समय पर चर्चा करने के लिए फिर बैठक करेगी। "


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


def test_a_language_with_a_limit_of_its_own() -> None:
    batch = documents(ENGLISH, PORTUGUESE, HINDI, "")
    scores = Language().measure(batch)["score"].to_pylist()
    for excess, reason in ((0.0, None), (1e-9, "language.score:low")):
        rule_set = Language(min_score=1.1, min_scores={"pt": scores[1] + excess, "hi": 0.0})
        expected = ["language.score:low", reason, None, "language.score:unmeasured"]
        assert judge([("language", rule_set)], batch)["drop_reason"].to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        pytest.param(RUSSIAN.encode("cp1251"), "cp1252", id="Russian as Western, which the model takes for German"),
        pytest.param(RUSSIAN.encode(), "cp1253", id="Russian UTF-8 as Greek"),
        pytest.param(RUSSIAN.encode(), "cp1251", id="Russian UTF-8 as Windows-1251"),
        pytest.param(RUSSIAN.encode("koi8-r"), "cp1252", id="KOI8 as Western"),
        pytest.param(GERMAN_UMLAUTS.encode(), "gb18030", id="German UTF-8 as Chinese"),
    ],
)
def test_text_decoded_wrongly_is_dropped(text: bytes, read_as: str) -> None:
    wrong = text.decode(read_as, "replace")
    assert verdict(Language(min_score=0), wrong) == "garbled:high"
    assert verdict(Language(min_score=0, max_garbled=1), wrong) is None


def test_the_limit_of_garbled_characters_is_inclusive() -> None:
    text = ENGLISH + " Ã¼"  # two garbled characters
    share = 2 / len("".join(text.split()))
    assert Language().measure(documents(text))["garbled"].to_pylist() == [share]
    assert verdict(Language(max_garbled=share), text) is None
    assert verdict(Language(max_garbled=share - 1e-9), text) == "garbled:high"


def test_labels() -> None:
    measured = Language().measure(documents(ENGLISH, None, PORTUGUESE, HINDI))
    assert measured["label"].to_pylist() == ["en", None, "pt", "hi"]
    assert measured["score"].is_null().to_pylist() == [False, True, False, False]
    assert measured["second_score"].is_null().to_pylist() == [False, True, False, False]


def test_a_text_in_two_languages_names_both() -> None:
    measured = Language().measure(documents(f"{ENGLISH} {PORTUGUESE}"))
    assert {measured[name][0].as_py() for name in ("label", "second_label")} == {"en", "pt"}
    assert measured["score"][0].as_py() > measured["second_score"][0].as_py() > 0.1


def test_line_breaks_and_leading_whitespace_change_nothing() -> None:
    measured = Language().measure(documents(ENGLISH, "\n\n  " * 50 + ENGLISH.replace(" ", "\n")))
    assert measured["label"].to_pylist() == ["en", "en"]
    assert measured["score"][0] == measured["score"][1]


def test_more_is_read_only_where_the_glance_leaves_doubt() -> None:
    # 8 windows of 64 bytes see a part of every twelfth sentence or so; 32 of 128 see more.
    clear = ENGLISH * 100
    doubtful = (ENGLISH * 2 + PORTUGUESE) * 60
    classifier = load(EMBEDDED)
    texts = pa.array([clear, doubtful], pa.large_string())
    glance = classifier.best(windows(texts, count=8, size=64))[1][:, 0]
    more = classifier.best(windows(texts, count=32, size=128))[1][:, 0]
    assert 0.9 < glance[0] != more[0]
    assert 0.3 < glance[1] < 0.9
    assert Language().measure(documents(clear, doubtful))["score"].to_pylist() == [glance[0], more[1]]


def around(seen: str, unseen: str) -> str:
    """A text with `seen` (of 128 bytes or a little more) wherever one of its first eight windows of 64 bytes lies."""
    return (seen + unseen) * 7 + seen


def best_of_windows(texts: pa.Array) -> dict[str, list[object]]:
    """What version 2 measured: eight windows, 32 where those leave doubt, and never the whole of a longer text."""
    glance = windows(texts, count=8, size=64)
    classifier = load(EMBEDDED)
    labels, scores = classifier.best(glance, ranks=2)
    doubtful = np.flatnonzero((scores[:, 0] >= 0.3) & (scores[:, 0] < 0.9) & (np.diff(glance.first) > 1))
    labels[doubtful], scores[doubtful] = classifier.best(windows(texts, count=32, size=128, rows=doubtful), ranks=2)
    found = (labels[:, 0], scores[:, 0], labels[:, 1], scores[:, 1])
    return dict(zip(("label", "score", "second_label", "second_score"), (list(one) for one in found), strict=True))


def labelled_texts() -> list[str]:
    """All texts of the test data in 130 languages, and the main texts of its web pages."""
    texts = []
    for file in ("langid/langid.jsonl.gz", "web/truth.jsonl.gz", "text/speeches.jsonl.gz", "text/latex.jsonl.gz"):
        with gzip.open(SHARED / file, "rt") as lines:
            texts += [row["text"] for row in map(json.loads, lines) if row.get("text")]
    return texts


def test_a_text_whose_windows_score_low_is_read_whole() -> None:
    text = around(NOISE, ENGLISH * 3)
    texts = pa.array([text], pa.large_string())
    assert best_of_windows(texts)["score"][0] < 0.3  # type: ignore[operator]
    measured = Language().measure(documents(text))
    labels, scores = load(EMBEDDED).best(whole(texts), ranks=2)
    assert scores[0, 0] > 0.65
    assert (
        [measured[name][0].as_py() for name in ("label", "second_label")] == labels[0].tolist() == ["en", labels[0, 1]]
    )
    assert [measured[name][0].as_py() for name in ("score", "second_score")] == scores[0].tolist()


def test_a_text_with_words_between_its_windows_is_measured() -> None:
    measured = Language().measure(documents(around(" " * 128, ENGLISH), " " * 2000))
    assert measured["label"].to_pylist() == ["en", None]
    assert measured["score"].is_null().to_pylist() == [False, True]


def test_windows_that_score_low_are_read_whole_also_where_a_glance_did_not() -> None:
    # Half of what the glance sees is English, and little of what 32 windows see.
    text = around(ENGLISH[:60] + NOISE[:68], NOISE * 8)
    texts = pa.array([text], pa.large_string())
    glance = load(EMBEDDED).best(windows(texts, count=8, size=64))[1][0, 0]
    assert 0.3 <= glance < 0.9
    assert best_of_windows(texts)["score"][0] < 0.3  # type: ignore[operator]
    measured = Language().measure(documents(text))["score"][0].as_py()
    assert measured == load(EMBEDDED).best(whole(texts))[1][0, 0] != best_of_windows(texts)["score"][0]


@needs_shared_data
def test_what_windows_alone_score_at_a_usual_limit_stays_as_they_say_and_the_others_are_read_whole() -> None:
    texts = labelled_texts()[::3]
    array = small_letters(pa.array(texts, pa.large_string()))
    windowed = best_of_windows(array)
    score = np.array(windowed["score"], np.float64)
    low = ~(score >= LOW)
    assert 300 < low.sum() < len(texts) - 3_000
    labels, scores = load(EMBEDDED).best(whole(array), ranks=2)
    read = (labels[:, 0], scores[:, 0], labels[:, 1], scores[:, 1])
    measured = Language().measure(documents(*texts))
    for name, before, after in zip(windowed, windowed.values(), read, strict=True):
        assert measured[name].to_pylist() == np.where(low, after, np.array(before, after.dtype)).tolist(), name


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (ENGLISH, "en"),
        (PORTUGUESE, "pt"),
        (RUSSIAN, "ru"),
        ("Değirmenci yağmur başlamadan önce ahşap köprüyü onardı ve kimse yardım etmedi.", "tr"),
        ("Der Müller reparierte die hölzerne Brücke, bevor der Regen begann.", "de"),
    ],
)
def test_capitals_are_judged_as_small_letters(text: str, label: str) -> None:
    dotted = text.replace("i", "İ") if label == "tr" else text
    small, capital = Language().measure(documents(text.lower(), dotted.upper()))["score"].to_pylist()
    assert capital == small > 0.65
    assert verdict(Language(languages=(label,)), dotted.upper()) is None


def test_noise_in_capitals_is_no_language() -> None:
    assert verdict(Language(), NOISE.upper()) == "score:low"


def test_what_has_no_case_is_judged_as_it_is() -> None:
    # One capital word does not make a text of it.
    plain, named = Language().measure(documents(HINDI, f"{HINDI} BBC"))["label"].to_pylist()
    assert plain == named == "hi"


def test_the_limits_do_not_change_the_measure() -> None:
    batch = documents(ENGLISH, "1 2 3 x")
    other = Language(min_score=0.1, languages=("pt",), min_scores={"pt": 0.2})
    assert other.measure(batch) == Language().measure(batch)


def test_assets_name_the_model() -> None:
    assert Path(Language().assets()["model"]).name == "lid.176.ftz"
    with pytest.raises(InputError, match="no fastText model at nowhere"):
        Language(model="nowhere.bin").assets()


@needs_shared_data
def test_verdicts_are_those_of_the_whole_text_on_995_of_1000_documents() -> None:
    with gzip.open(SHARED / "web" / "truth.jsonl.gz", "rt") as lines:
        texts = [row["text"] for row in map(json.loads, lines) if row.get("text")]
    array = small_letters(pa.array(texts, pa.large_string()))
    labels, scores = load(EMBEDDED).best(whole(array))
    measured = Language().measure(documents(*texts))
    kept = np.array(measured["score"]) >= 0.65
    same = (kept == (scores[:, 0] >= 0.65)) & (~kept | (np.array(measured["label"].to_pylist()) == labels[:, 0]))
    assert same.mean() >= 0.995


def test_languages_that_the_model_does_not_know_are_refused() -> None:
    assert list(Language(languages=("en",), min_scores={"en": 0.5}).assets()) == ["model"]
    with pytest.raises(InputError, match="knows no language 'english'; did you mean 'en'"):
        Language(languages=("english",)).assets()
    with pytest.raises(InputError, match="knows no language 'xx'; it has 176, such as af"):
        Language(min_scores={"xx": 0.5}).assets()


def test_scores_of_languages_that_are_not_wanted_are_refused() -> None:
    with pytest.raises(RecipeError, match="min_scores: 'de' is not one of the wanted languages; known: en, pt"):
        Language(languages=("en", "pt"), min_scores={"de": 0.5})


def test_the_labels_that_documents_kept_may_have() -> None:
    assert Language(languages=("en", "pt")).kept() == ("en", "pt")
    assert len(Language().kept()) == 176
