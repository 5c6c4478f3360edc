"""Toxicity: each limit at its value and one step past it, the list that a text is judged by, and the classifier."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.engine.apply import judge
from curation.filters.toxicity import EMBEDDED, Toxicity
from tests.curation.models.fasttext.training import train_supervised
from tests.support import documents, verdict

MILD = "word " * 19 + "crap "  # one of 20 words


def named(tmp_path: Path, *lines: str, name: str = "terms.txt") -> str:
    path = tmp_path / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def spoken(texts: dict[str, str | None]) -> pa.RecordBatch:
    """Documents with a language; texts must differ."""
    return documents(*texts, language=[{"label": label} for label in texts.values()])


def measured(batch: pa.RecordBatch, **options: Any) -> list[tuple[int, float]]:
    found = Toxicity(**options).measure(batch)
    return list(zip(found["terms"].to_pylist(), found["term_share"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        pytest.param(MILD, {"max_term_share": 0.05}, None, id="1 of 20 words"),
        pytest.param(MILD[5:], {"max_term_share": 0.05}, "term_share:high", id="1 of 19 words"),
        pytest.param("word " * 191 + "crap " * 9, {}, None, id="the default share"),
        pytest.param("word " * 190 + "crap " * 9, {}, "term_share:high", id="beyond the default share"),
        pytest.param(MILD * 9, {"max_term_share": 1.0}, None, id="any number of terms"),
        pytest.param("word " * 99 + "crap " * 2, {"max_terms": 2}, None, id="2 terms"),
        pytest.param("word " * 99 + "crap " * 3, {"max_terms": 2}, "terms:high", id="3 terms"),
        pytest.param("word " * 99, {"max_terms": 0}, None, id="no term"),
        pytest.param("word " * 99 + "Crap.", {"max_terms": 0}, "terms:high", id="a term, as C4 has it"),
        pytest.param("", {"max_terms": 0}, None, id="no text"),
    ],
)
def test_limit(text: str, options: dict[str, Any], reason: str | None) -> None:
    assert verdict(Toxicity(language="en", **options), text) == reason


def test_each_text_is_judged_by_the_list_of_its_language(tmp_path: Path) -> None:
    lists = {"de": named(tmp_path, "doof", name="de"), "xx": named(tmp_path, "so crap", name="xx")}
    batch = spoken({"doof or crap": "en", "doof oder crap": "de", "So\ncrap": "xx", "crap": "yy", "crap ": None})
    assert measured(batch, term_lists=lists) == [(1, 1 / 3), (1, 1 / 3), (1, 1.0), (0, 0.0), (0, 0.0)]


def test_a_list_by_path_replaces_the_embedded_one(tmp_path: Path) -> None:
    path = named(tmp_path, "\ufeff# a remark", "", "Ärgerlich", "#hash ", "two  words")
    texts = documents("crap", "ÄRGERLICH!", "a #hash", "two\nwords here", "a remark")
    assert measured(texts, language="en", term_lists={"en": path}) == [
        (0, 0.0),
        (1, 1.0),
        (1, 0.5),
        (1, 2 / 3),
        (0, 0.0),
    ]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("这部色情片很长", "zh", (1, 3 / 7), id="Chinese"),
        pytest.param("あの馬鹿野郎は来ない", "ja", (1, 4 / 10), id="Japanese"),
        pytest.param("ดูหนังโป๊ฟรี", "th", (1, 7 / 12), id="Thai"),
        pytest.param("classy scrapes", "en", (0, 0.0), id="not within an English word"),
    ],
)
def test_terms_in_scripts_without_spaces_are_found_anywhere(
    text: str, language: str, expected: tuple[int, float]
) -> None:
    assert measured(documents(text), language=language) == [expected]


@pytest.mark.parametrize("language", sorted(EMBEDDED))
def test_every_embedded_term_is_found(language: str) -> None:
    terms = EMBEDDED[language].split(", ")
    assert len(terms) == len(set(terms))
    batch = documents(*(f"1 {term.title()}. 2" for term in terms))
    assert [count for count, _ in measured(batch, language=language)] == [1] * len(terms)


def test_limits_by_language() -> None:
    rule_set = Toxicity(max_term_share=1.0, by_language={"de": {"max_terms": 1}, "fr": {"max_term_share": 0.0}})
    batch = spoken({"crap shit": "en", "pornos": "de", "pornos, pornos": "de", "connard": "fr"})
    expected = [None, None, "toxicity.terms:high", "toxicity.term_share:high"]
    assert judge([("toxicity", rule_set)], batch)["drop_reason"].to_pylist() == expected
    with pytest.raises(RecipeError, match="no limit 'classifier'"):
        Toxicity(by_language={"de": {"classifier": "x.bin"}})


def test_what_it_reads() -> None:
    assert Toxicity().reads == ("text", "language")
    assert Toxicity(language="en").reads == ("text",)


def test_a_language_that_cannot_be_judged(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no terms for xx; give a file"):
        Toxicity(language="xx")
    with pytest.raises(RecipeError, match="terms for de are never used"):
        Toxicity(language="en", term_lists={"de": "de.txt"})
    assert Toxicity(language="xx", term_lists={"xx": "xx.txt"}).language == "xx"


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("classifier")
    examples = ["__label__toxic nasty mean vile\n", "__label__fine kind calm gentle\n"] * 50
    (folder / "train.txt").write_text("".join(examples))
    train_supervised(folder / "train.txt", folder / "toxic.bin", epoch=5, lr=0.5, dim=8)
    return str(folder / "toxic.bin")


def test_the_classifier(classifier: str) -> None:
    rule_set = Toxicity(language="en", classifier=classifier)
    assert verdict(rule_set, "vile and\nnasty") == "score:high"
    assert verdict(rule_set, "kind and calm") is None
    assert verdict(rule_set, " \n") == "score:unmeasured"
    assert verdict(rule_set, "nasty crap") == "term_share:high"
    score = rule_set.measure(documents("vile"))["score"][0].as_py()
    assert verdict(Toxicity(language="en", classifier=classifier, max_score=score), "vile") is None
    assert verdict(Toxicity(language="en", classifier=classifier, max_score=score - 1e-9), "vile") == "score:high"


def test_another_label(classifier: str) -> None:
    rule_set = Toxicity(language="en", classifier=classifier, label="fine")
    assert verdict(rule_set, "kind and calm") == "score:high"
    for call in (
        Toxicity(classifier=classifier, label="rude").assets,
        lambda: verdict(Toxicity(language="en", classifier=classifier, label="rude"), "x"),
    ):
        with pytest.raises(InputError, match=r"has no label 'rude'; set `label` to one of .*toxic"):
            call()


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    wrong = {
        "nowhere.txt": "no list of terms at nowhere.txt",
        str(tmp_path / "latin"): "is not UTF-8 from byte 3 on",
        named(tmp_path, "# nothing", " "): "holds no term",
    }
    for path, message in wrong.items():
        with pytest.raises(InputError, match=message):
            Toxicity(term_lists={"de": path}).assets()
    with pytest.raises(InputError, match=r"no fastText model at nowhere\.bin"):
        Toxicity(classifier="nowhere.bin").assets()
