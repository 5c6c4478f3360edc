"""Unigram divergence: its limits, references by language, bad input, and a run that fits its own reference."""

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.by_language import LANGUAGE
from curation.core.errors import InputError, RecipeError
from curation.engine.apply import judge
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.unigram_divergence import UnigramDivergence
from curation.fit.unigrams import Unigrams
from tests.support import documents, learned, verdict

CORPUS = "the cat and the dog and the bird saw the sea"  # 11 words: the 4, and 2, five others 1


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("reference") / "unigrams.bin", CORPUS)


def written(path: Path, text: str) -> str:
    path.write_bytes(learned(Unigrams(min_count=1), [pa.array([text])]))
    return str(path)


def test_the_limits_are_inclusive(reference: str) -> None:
    rare = math.log(12) + 1e-9
    above = math.log(12) - 1e-9
    assert verdict(UnigramDivergence(reference=reference, max_divergence=rare), "sea") is None
    assert verdict(UnigramDivergence(reference=reference, max_divergence=above), "sea") == "divergence:high"
    assert verdict(UnigramDivergence(reference=reference, min_divergence=above), "sea") is None
    assert verdict(UnigramDivergence(reference=reference, min_divergence=rare), "sea") == "divergence:low"


def test_words_that_the_reference_does_not_list(reference: str) -> None:
    half = UnigramDivergence(reference=reference, max_unlisted_words=0.5)
    assert verdict(half, "the whale") is None
    assert verdict(half, "the whale swims") == "unlisted_words:high"


def test_by_default_only_the_divergence_is_limited(reference: str) -> None:
    assert [rule.signal for rule in UnigramDivergence(reference=reference).rules()] == ["divergence"]
    assert UnigramDivergence(reference=reference).reads == ("text",)


@pytest.mark.parametrize("text", ["", " \n", "… 。- ##"])
def test_a_text_without_a_word_is_unmeasured(reference: str, text: str) -> None:
    assert verdict(UnigramDivergence(reference=reference), text) == "divergence:unmeasured"


def test_limits_and_references_by_language(tmp_path: Path, reference: str) -> None:
    german = written(tmp_path / "de.bin", "der hund und die katze")
    rule_set = UnigramDivergence(
        reference={"en": reference, "de": german}, max_divergence=1.2, by_language={"de": {"max_divergence": 2.0}}
    )
    assert rule_set.reads.count(LANGUAGE) >= 1
    languages: list[object] = [{"label": label} for label in ("en", "de", "en", "fr", None)]
    batch = documents("the", "hund", "hund", "the", "the", language=languages)
    judged = judge([("unigram_divergence", rule_set)], batch)
    assert judged["drop_reason"].to_pylist() == [
        None,
        None,
        "unigram_divergence.divergence:high",
        "unigram_divergence.divergence:unmeasured",
        "unigram_divergence.divergence:unmeasured",
    ]
    found = judged["unigram_divergence"].field("divergence").to_pylist()
    assert found == pytest.approx([math.log(3), math.log(6), math.log(12), None, None])


def test_what_cannot_be(tmp_path: Path, reference: str) -> None:
    with pytest.raises(InputError, match="no word counts at nowhere; give the path"):
        UnigramDivergence(reference="nowhere").assets()
    with pytest.raises(InputError, match="no word counts at nowhere"):
        UnigramDivergence(reference={"en": reference, "de": "nowhere"}).assets()
    with pytest.raises(RecipeError, match="reference names no file"):
        UnigramDivergence(reference="")
    (tmp_path / "other.bin").write_text("{}")
    with pytest.raises(InputError, match="holds no word counts"):
        UnigramDivergence(reference=str(tmp_path / "other.bin")).measure(documents("a"))


RECIPE = """
version: 1
name: words
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%s/*.jsonl"]}}
    - fit: {unigrams: {}}
    - filter: {unigram_divergence: {reference: "@unigrams", max_divergence: 1.5}}
"""


def curated(folder: Path, files: int) -> tuple[bytes, list[str | None]]:
    """A run over 30 documents in so many files: what was fitted, and the reason of each document."""
    (folder / "in").mkdir(parents=True)
    texts = [f'{{"text": "{CORPUS}"}}\n', '{"text": "the whale and the ship"}\n', '{"text": "zzz qqq xxx"}\n'] * 10
    for file in range(files):
        step = len(texts) // files
        (folder / "in" / f"{file}.jsonl").write_text("".join(texts[file * step : (file + 1) * step]))
    runner.curate(parse(RECIPE % (folder / "in"), "words.yaml"), str(folder / "run"), Inline(), lambda progress: None)
    (asset,) = (folder / "run").glob("*-unigrams-*/unigrams.bin")
    parts = sorted((folder / "run").glob("*-unigram_divergence-*/part-*.parquet"))
    return asset.read_bytes(), [reason for part in parts for reason in pq.read_table(part)["drop_reason"].to_pylist()]


def test_a_recipe_fits_its_reference_and_filters_by_it(tmp_path: Path) -> None:
    asset, reasons = curated(tmp_path / "one", 1)
    assert curated(tmp_path / "five", 5) == (asset, reasons)
    assert reasons == [None, None, "unigram_divergence.divergence:high"] * 10
