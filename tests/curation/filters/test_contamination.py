"""Each method at its limit, what is cut, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError, RecipeError
from curation.filters.contamination import Contamination
from curation.rewrite.cut_spans import CutSpans
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS, index_file
from tests.support import documents, verdict

TEN = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
CLEAN = "The people of the town have to read the large book and be kind to each other on every day of a week."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    return index_file(tmp_path_factory.mktemp("index"), {**ITEMS, "ten": [{"question": TEN}]}, (4, 5, 8, 13))


def words(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


def signals(made: Contamination, text: str) -> dict[str, Any]:
    return {name: values[0].as_py() for name, values in made.measure(documents(text)).items()}


@pytest.mark.parametrize(
    ("method", "text", "reason"),
    [
        pytest.param("palm", words(TEN, 14), None, id="palm: 7 of 10 n-grams"),
        pytest.param("palm", words(TEN, 15), "overlap:high", id="palm: 8 of 10 n-grams"),
        pytest.param("llama", words(TEN, 13), None, id="llama: 13 of 17 tokens"),
        pytest.param("llama", words(TEN, 14), "overlap:high", id="llama: 14 of 17 tokens"),
        pytest.param("llama", CLEAN, None, id="llama: a clean text"),
        pytest.param("llama", "", None, id="llama: an empty text"),
        pytest.param("decon", f"{HENS}? She earns thirty four coins in a day", None, id="decon: half of the answer"),
        pytest.param("decon", f"{HENS}? {ITEMS['sums'][0]['answer']}!", "overlap:high", id="decon: all of both"),
        pytest.param("decon", HENS, None, id="decon: the question without its answer"),
        pytest.param("gpt3", words(TEN, 13), None, id="gpt3: one cut"),
        pytest.param("gpt3", (CLEAN * 9 + TEN) * 10, None, id="gpt3: 10 cuts"),
        pytest.param("gpt3", (CLEAN * 9 + TEN) * 11, "cuts:high", id="gpt3: 11 cuts"),
    ],
)
def test_limit(index: str, method: Any, text: str, reason: str | None) -> None:
    assert verdict(Contamination(evalsets=index, method=method), text) == reason


def test_what_cannot_be_found_is_said_before_it_runs(index: str) -> None:
    (note,) = Contamination(evalsets=index, method="llama").notes()
    assert note.startswith("1 of 4 items of evaluation sets have no n-gram of 8 tokens")  # "Two and two", "four"
    assert Contamination(evalsets="@evalsets").notes() == ()


def test_a_method_of_ones_own(index: str) -> None:
    own = Contamination(evalsets=index, method="n_gram", n=4, max_overlap=0.5, min_tokens=1)
    assert verdict(own, words(TEN, 8)) is None  # 8 of 17 tokens
    assert verdict(own, words(TEN, 9)) == "overlap:high"


def test_signals(index: str) -> None:
    made = Contamination(evalsets=index, method="llama", action="mark", min_tokens=8)
    text = f"{words(TEN, 12)}. And: {SHIPS.upper()}?"
    assert signals(made, text) == {
        "matches": 5 + 11,
        "overlap": 1.0,
        "set": "places",
        "item": "places/0",
        "items": [{"item": "places/0", "overlap": 1.0}, {"item": "ten/0", "overlap": 12 / 17}],
        "cuts": 2,
        "text_bytes": len(text),
        "spans": [{"start": 0, "stop": 62}, {"start": 69, "stop": len(text) - 1}],
    }
    assert made.rules() == ()


def test_too_few_tokens_are_no_evidence(index: str) -> None:
    found = signals(Contamination(evalsets=index, method="llama", min_tokens=13), words(TEN, 12))
    assert (found["matches"], found["overlap"], found["item"], found["items"], found["cuts"]) == (5, 0.0, None, [], 0)


def test_gpt3_cuts_200_characters_on_both_sides_and_what_is_short(index: str) -> None:
    made = Contamination(evalsets=index)
    before = "ä" * 500
    after = "ö" * 399
    text = f"{before} {words(TEN, 13)} {after}"
    (span,) = signals(made, text)["spans"]
    # 500 characters, a blank, and 200 of them go; after the match 200 of 400 go, and the 200 that remain are enough.
    assert span == {"start": 2 * 301, "stop": len(text.encode()) - 2 * 200}
    (span,) = signals(made, text[:-1])["spans"]
    assert span["stop"] == len(text[:-1].encode())
    batch = documents(text)
    column = made.measure(batch)
    fields = {name: values.to_pylist() for name, values in column.items()}
    cut, counts = CutSpans(of=("contamination",)).rewrite(
        documents(text, contamination=[{k: v[0] for k, v in fields.items()}])
    )
    assert cut.to_pylist() == ["ä" * 301 + " " + "ö" * 200]
    assert counts["spans"].to_pylist() == [1]


def test_only_items_above_the_limit_are_cut(index: str) -> None:
    text = f"{words(TEN, 14)}. {words(SHIPS, 13)}."
    dropped = signals(Contamination(evalsets=index, method="llama"), text)
    cut = signals(Contamination(evalsets=index, method="llama", action="cut"), text)
    assert [dropped["cuts"], cut["cuts"]] == [2, 1]
    assert cut["spans"] == dropped["spans"][:1]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"evalsets": ""}, "evalsets names no file"),
        ({"method": "n_gram", "max_overlap": 0.5}, "give it with `method: n_gram`"),
        ({"method": "palm", "n": 8}, "give it with `method: n_gram`"),
        ({"method": "n_gram", "n": 8}, "max_overlap must be given"),
        ({"min_tokens": 0}, "min_tokens is 0"),
        ({"method": "embedding", "max_overlap": 0.9}, "model names an encoder"),
        ({"method": "embedding", "model": "x.vec"}, "max_overlap must be given"),
        ({"method": "palm", "model": "x.vec"}, "model names an encoder"),
        ({"method": "embedding", "max_overlap": 0.9, "model": "x", "encoder": "bert"}, "no encoder named 'bert'"),
    ],
)
def test_options(options: dict[str, Any], error: str) -> None:
    with pytest.raises(RecipeError, match=error):
        Contamination(**{"evalsets": "index", **options})


def test_the_index_must_be_there_and_have_the_size(index: str, tmp_path: Path) -> None:
    assert Contamination(evalsets=index).assets() == {"evalsets": index}
    with pytest.raises(InputError, match="no index of evaluation sets"):
        Contamination(evalsets=str(tmp_path / "none.json")).assets()
    with pytest.raises(InputError, match="not of 6; add it"):
        Contamination(evalsets=index, method="n_gram", n=6, max_overlap=0.1).assets()


def test_a_paraphrase_by_its_vector(tmp_path: Path) -> None:
    vectors = tmp_path / "words.vec"
    vectors.write_text("hens 1 0 0\nchickens 0.9 0.1 0\neggs 0 1 0\nship 0 0 1\n")
    items = {"own": [{"question": "How many eggs do the hens of the old farmer lay?"}, {"question": "A ship?"}]}
    near = index_file(tmp_path, items)
    made = Contamination(evalsets=near, method="embedding", model=str(vectors), max_overlap=0.9)
    text = "short\n\nThe chickens here gave the man so many eggs as before.\n\nA line of forty letters about the sea."
    found = signals(made, text)
    expected = (0.9 + 1.1) / (2**0.5 * (0.9**2 + 1.1**2) ** 0.5)
    assert found["overlap"] == pytest.approx(expected, abs=1e-6)
    assert [found[name] for name in ("item", "set", "matches", "cuts")] == ["own/0", "own", 1, 1]
    (span,) = found["spans"]
    assert text[span["start"] : span["stop"]] == text.split("\n\n")[1]
    assert verdict(made, text) == "overlap:high"
    assert verdict(made, "Nothing at all that any of the vectors knows stands here.") is None
    assert signals(made, "")["item"] is None
