"""Rounds over buckets find the clusters that one task finds, on chains and stars that span all shards."""

from pathlib import Path

import pytest

from tests.curation.engine.dedup.runs import Rows, curate, manifest, recipe, rows, write_shards

Ran = list[tuple[str, list[int]]]


def chain(count: int) -> list[dict[str, str]]:
    """Documents of which each has the text of the one before or the url of the one after: one chain by two methods."""
    return [{"text": f"text {number // 2}", "url": f"http://x/{(number + 1) // 2}"} for number in range(count)]


def verdicts(found: Rows) -> list[tuple[object, ...]]:
    return [(row["drop_reason"], row["exact"], row["canonical_url"]) for shard in found for row in shard]


@pytest.mark.parametrize("buckets", [1, 5])
def test_a_chain(tmp_path: Path, ran: Ran, buckets: int) -> None:
    documents = chain(40)
    mixed = [documents[number * 7 % 40] for number in range(40)]
    write_shards(tmp_path / "given", [mixed[start : start + 8] for start in range(0, 40, 8)])
    found = {}
    for links in (1000, 0):
        text = recipe(
            tmp_path / "given", "exact: {}, canonical_url: {}", buckets=buckets, options=f"local_links: {links}"
        )
        curate(text, tmp_path / str(links))
        found[links] = verdicts(rows(tmp_path / str(links)))
    assert found[0] == found[1000]
    assert [one[0] for one in found[0]].count(None) == 1
    assert {one[1]["cluster"] for one in found[0]} == {0}
    said = manifest(tmp_path / "0").dedup
    assert said["clusters"] == manifest(tmp_path / "1000").dedup["clusters"]
    assert 3 <= said["rounds"] <= 15
    assert not [path.name for path in (tmp_path / "0").glob("*-dedup-*/_round-*")]
