"""What is told of a stage before it runs."""

from pathlib import Path

from curation.engine.dedup.notes import notes
from curation.engine.recipe.recipe import parse
from tests.curation.engine.dedup.runs import recipe


def test_sizes_are_told_before_work(tmp_path: Path) -> None:
    text = recipe(tmp_path, "bloom: {expected_items: 1000}")
    stage = parse(text, "m.yaml").joined[0]
    filter_line, _ = notes(stage)
    assert filter_line.startswith("writes a Bloom filter for 1,000 keys, false-positive rate 1 in 1,000,000")
    (rule,) = notes(parse(recipe(tmp_path, "exact: {}"), "m.yaml").joined[0])
    assert rule == "exchange: a bucket for every 28,597,527 documents (1 key each); its task takes up to 3.6 GiB"
    (chosen,) = notes(parse(recipe(tmp_path, "minhash: {}"), "m.yaml").joined[0], 10_000_000)
    assert chosen == "exchange: up to 16 buckets for 10,000,000 documents (14 keys each); a task takes up to 1.8 GiB"
    (unknown,) = notes(parse(recipe(tmp_path, "line: {}"), "m.yaml").joined[0], 10_000_000)
    assert unknown.startswith("exchange: a bucket for every 28,597,527 keys, whose number is known once they are made")
