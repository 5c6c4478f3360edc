"""Rewriters in a run: edited text, counts in columns and manifests, limits on counts, and what `why` says of them."""

import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse

RECIPE = """
version: 1
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%s/*.jsonl"], url: url}}
    - filter: {language: {languages: [en, zh], min_score: 0.3}}
    - rewrite:
        unicode: {}
        c4_lines: {terminal_punctuation: false, min_words: 1}
        refinedweb_lines: {by_language: {zh: {min_words: 1}}}
    - filter: {refinedweb_quality: {max_removed_words: 0.3}}
"""
ENGLISH = "The people of the small town have to read this large book."
CHINESE = "这是一个没有空格的中文句子，我们在这里写了很多字。"
FRAME = "the story of the town so far read more..."
TEXTS = {
    "clean": f"{ENGLISH}\n{ENGLISH}",
    "edited": f"{ENGLISH} [1]\n{ENGLISH}\u0301\0\nenable javascript to read this\n{FRAME}",
    "framed": f"{ENGLISH}\n" + "3 likes\n" * 10,
    "chinese": f"{CHINESE}\n{CHINESE}",
}
AFTER = {
    "clean": f"{ENGLISH}\n{ENGLISH}",
    "edited": f"{ENGLISH}\n{ENGLISH}\u0301\nthe story of the town so far",
    "framed": ENGLISH,
    "chinese": f"{CHINESE}\n{CHINESE}",
}
NOT_COUNTED = {"lines", "words", "words_removed"}  # these say how much there was and what it came to


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of two shards of two documents."""
    folder = tmp_path_factory.mktemp("rewrite")
    for shard, names in enumerate((["clean", "edited"], ["framed", "chinese"])):
        documents = [{"text": TEXTS[name], "url": f"http://a.example/{name}"} for name in names]
        (folder / f"{shard}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    runner.curate(parse(RECIPE % folder, "r.yaml"), str(folder / "run"), Inline(), lambda _: None)
    return str(folder / "run")


def rows(run: str, stage: int) -> dict[str, dict[str, Any]]:
    """The stage's rows by the last part of their URL."""
    found = [row for shard in Run.open(run).stages[stage].shards for row in pq.read_table(shard.uri).to_pylist()]
    return {row["url"].rpartition("/")[2]: row for row in found}


def not_zero(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count and name not in NOT_COUNTED}


def test_texts_are_edited_in_the_order_of_the_recipe_and_counted(run: str) -> None:
    found = rows(run, 2)
    assert {name: row["text"] for name, row in found.items()} == AFTER
    assert {row["drop_reason"] for row in found.values()} == {None}
    edited = found["edited"]
    assert not_zero(edited["unicode"]) == {"control_characters": 1, "characters_changed": 1}
    assert not_zero(edited["c4_lines"]) == {"citations": 1, "javascript_lines": 1}
    assert not_zero(edited["refinedweb_lines"]) == {"edited_lines": 1}
    assert not_zero(found["framed"]["refinedweb_lines"]) == {"counter_lines": 10}
    assert not any(not_zero(found[name][key]) for name in ("clean", "chinese") for key in ("unicode", "c4_lines"))


def test_the_manifest_has_the_sums_and_the_sizes(run: str) -> None:
    manifest = Run.open(run).stages[2].manifest
    counts = manifest.merged("counts")
    table = rows(run, 2)
    for key in ("unicode", "c4_lines", "refinedweb_lines"):
        for name in table["clean"][key]:
            assert counts.get(f"{key}.{name}", 0) == sum(row[key][name] for row in table.values())
    assert (manifest.total("rows"), manifest.total("kept"), manifest.merged("dropped")) == (4, 4, {})
    assert manifest.total("text_bytes") == sum(len(text.encode()) for text in AFTER.values())
    assert Run.open(run).funnel().stages[2].counts == counts


def test_a_filter_bounds_what_a_rewriter_took(run: str) -> None:
    reasons = {name: row["drop_reason"] for name, row in rows(run, 3).items()}
    assert reasons == {**dict.fromkeys(AFTER), "framed": "refinedweb_quality.removed_words:high"}


def test_why_tells_what_each_rewriter_did(run: str) -> None:
    (story,) = Run.open(run).why(url="http://a.example/framed")
    rewritten, judged = story.decisions[2:]
    assert (rewritten.verb.name, rewritten.reason) == ("rewrite", None)
    assert list(rewritten.values) == ["unicode", "c4_lines", "refinedweb_lines"]
    assert rewritten.values["refinedweb_lines"]["words_removed"] == 20
    assert rewritten.text_bytes == len(AFTER["framed"].encode())
    assert judged.values["refinedweb_quality"]["removed_words"] == pytest.approx(20 / 32)
    assert story.dropped_by == "refinedweb_quality"
