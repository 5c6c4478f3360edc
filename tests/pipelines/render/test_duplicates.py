"""What `winnow duplicates` prints of a small run."""

from pathlib import Path

from curation.account.run import Run
from pipelines.render.duplicates import stages
from tests.curation.engine.dedup.runs import curate, recipe, write_shards
from tests.pipelines.render.printed import printed


def test_printed(tmp_path: Path) -> None:
    web = [{"text": "[b]same words[/b]", "url": f"http://s{n}.example.com/"} for n in range(6)]
    write_shards(tmp_path / "given", [web, ["alone", "pair", "pair"]])
    options = "clusters: {max_documents: 5}"
    text = recipe(tmp_path / "given", "exact: {}, bloom: {expected_items: 10}", options=options)
    curate(text, tmp_path / "run")
    lines = printed(stages, Run.open(tmp_path / "run").duplicates())
    assert lines[0] == "dedup: 9 documents, removed: exact 6"
    assert "wrote a Bloom filter of 3 keys" in "\n".join(lines)
    assert any(line.split()[:2] == ["2", "1"] for line in lines)
    assert any(line.split()[:4] == ["5", "-", "8", "1"] for line in lines)
    (above,) = (line for line in lines if line.startswith("1 cluster above the limits, none split (diameter: links "))
    assert above.endswith("to the farthest other one, copies of one text counting as one)")
    assert " keys compared, 6 links of documents to their duplicates by equal keys" in lines[1]
    assert "rounds" not in lines[1]
    assert "    kept http://s0.example.com/" in lines
    assert "    copy http://s1.example.com/" in lines
    assert "         [b]same words[/b]" in lines
    assert any(line.split() == ["web", "9", "6", "66.7%"] for line in lines)
    assert any(line.split() == ["s5.example.com", "1", "1", "100.0%"] for line in lines)
