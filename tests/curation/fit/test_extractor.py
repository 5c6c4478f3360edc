"""Fitting an extractor to pages of a run: the same model each time, and what cannot be learned from."""

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.core.commits import Commit
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.manifest import Manifest, read_manifest
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Unit
from curation.engine.fit.pages import LookStep
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.extract.resiliparse import Resiliparse
from curation.extract.student.student_file import read
from curation.fit.extractor import Extractor
from tests.curation.extract.raw_pages import raw_pages, token_f1
from tests.curation.extract.student.made_pages import made_page, write_crawl

RECIPE = """
version: 1
shards: {{group_mb: 0}}
sources:
  web:
    - read: {{warc: {{paths: ['{folder}/*.warc.gz']}}}}
    - fit: {{extractor: {{teacher: {{resiliparse: {{}}}}, pages: 40, archives: 2, trees: 10}}}}
    - extract: {{learnt: {{model: '@extractor'}}}}
"""


def curated(
    folder: Path, name: str, executor: Executor | None = None, **changes: str
) -> dict[str, tuple[Path, Manifest]]:
    """Folder and manifest of each stage."""
    text = RECIPE.format(folder=folder)
    for old, new in changes.items():
        text = text.replace(old, new)
    run = runner.curate(parse(text, "learnt.yaml"), str(folder / name), executor or Inline())
    stages = {}
    for entry in run.stages:
        manifest = read_manifest(str(folder / name / entry.folder))
        assert manifest is not None
        stages[entry.name] = (folder / name / entry.folder, manifest)
    return stages


def test_a_run_learns_from_its_own_pages_and_says_how_well(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    stages = curated(tmp_path, "run")
    folder, manifest = stages["extractor"]
    assert {path.name for path in folder.iterdir()} == {"extractor.bin", "_fitted", "_manifest.json"}
    assert manifest.asset is not None
    facts = read(str(folder / "extractor.bin"))[1]
    assert facts["teacher"] == ["resiliparse"]
    assert facts["pages"] == 40
    assert facts["held_out"]["hosts"] == 2
    assert facts["curve"][-1]["f1"] > 0.8
    (file,) = (
        sorted(stages["extract"][0].glob("part-00000*.parquet")) or sorted(stages["extract"][0].glob("*.parquet"))[:1]
    )
    rows = {row["url"]: row["text"] for row in pq.read_table(file).to_pylist()}
    assert len(rows) == 30
    found = [token_f1(rows[f"http://site{n % 11}.example/{n}"] or "", made_page(n)[1]) for n in range(30)]
    assert sum(found) / len(found) > 0.9


def test_the_same_bytes_each_time_and_other_ones_from_other_teachers(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    (one, _), (two, _) = (curated(tmp_path, name)["extractor"] for name in ("one", "two"))
    assert (one / "extractor.bin").read_bytes() == (two / "extractor.bin").read_bytes()
    assert one.name == two.name
    other, _ = curated(tmp_path, "one", **{"{resiliparse: {}}": "{resiliparse: {main_content: false}}"})["extractor"]
    assert other.name != one.name
    warc, _ = curated(tmp_path, "one", **{"*.warc.gz'": "[01].warc.gz'"})["extractor"]
    assert warc.name not in (one.name, other.name)


def write_truth(file: Path, numbers: Iterable[int], texts: Callable[[int], str] = lambda n: made_page(n)[1]) -> None:
    rows = [{"url": f"http://site{n % 11}.example/{n}", "text": texts(n)} for n in numbers]
    file.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def of_truth(folder: Path, name: str) -> tuple[Path, Manifest]:
    return curated(folder, name, **{"teacher: {resiliparse: {}}": f"truth: '{folder}/people.*'"})["extractor"]


def test_people_teach_on_the_pages_that_they_know(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    write_truth(tmp_path / "people.jsonl.gz", (n for n in range(90) if n % 3))  # 20 of the 30 pages of each archive
    folder, _ = of_truth(tmp_path, "run")
    facts = read(str(folder / "extractor.bin"))[1]
    assert (facts["teacher"], facts["pages"]) == (["truth people.jsonl.gz"], 40)
    assert facts["lessons"] + facts["held_out"]["pages"] == 40
    assert facts["curve"][-1]["f1"] > 0.8
    write_truth(tmp_path / "people.jsonl.gz", (n for n in range(90) if n % 3), lambda n: made_page(n)[1][:99])
    other, _ = of_truth(tmp_path, "run")
    assert other.name != folder.name
    assert (other / "extractor.bin").read_bytes() != (folder / "extractor.bin").read_bytes()


def test_people_who_know_none_of_the_pages(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    write_truth(tmp_path / "people.jsonl.gz", (100, 101))
    message = r"up to 2 units of input .* at a URL of truth people\.jsonl\.gz, such as http://site1\.example/100; "
    with pytest.raises(InputError, match=message):
        of_truth(tmp_path, "run")
    (tmp_path / "people.jsonl.gz").write_bytes(gzip.compress(b'{"url": "http://site0.example/0", "body": "A"}\n'))
    with pytest.raises(UserError, match=r"learnt\.yaml:7: .*people\.jsonl\.gz has no row with a `url` and a `text`"):
        of_truth(tmp_path, "run")


def test_a_killed_fit_goes_on_and_learns_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_crawl(tmp_path)
    whole, _ = curated(tmp_path, "whole")["extractor"]
    looked: list[int] = []
    run = LookStep.run

    def killed(step: LookStep, unit: Unit) -> Commit:
        looked.append(unit.number)
        if len(looked) == 2:
            raise KeyboardInterrupt
        return run(step, unit)

    monkeypatch.setattr(LookStep, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        curated(tmp_path, "killed")
    again, _ = curated(tmp_path, "killed")["extractor"]
    assert looked == [looked[0], looked[1], looked[1]]
    assert (again / "extractor.bin").read_bytes() == (whole / "extractor.bin").read_bytes()


@pytest.mark.parametrize(
    ("changes", "hosts", "message"),
    [
        ({}, 1, r"all 40 pages are of the host 'site0\.example'.*write `extract: \{trafilatura: \{\}\}` in place of"),
        (
            {"resiliparse: {}": "resiliparse: {main_content: true, max_bytes: 10}"},
            11,
            "0 of 40 pages have text of resiliparse",
        ),
        ({"*.warc.gz": "none*.warc.gz"}, 11, "none"),
    ],
)
def test_what_cannot_be_learned_from(tmp_path: Path, changes: dict[str, str], hosts: int, message: str) -> None:
    write_crawl(tmp_path, hosts=hosts)
    with pytest.raises(UserError, match=message):
        curated(tmp_path, "run", **changes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    - fit: {extractor", "    - extract: {resiliparse: {}}\n    - fit: {extractor", "between a source's read"),
        ("teacher: {resiliparse: {}}, ", "", "teacher and truth are missing; give one"),
        ("teacher: {resiliparse: {}}, ", "teacher: {}, ", "teacher and truth are missing; give one"),
        ("pages: 40", "truth: a.jsonl", "teacher and truth are both given; give one"),
        ("teacher: {resiliparse: {}}", "truth: none.jsonl", "no input matches none.jsonl"),
        ("resiliparse: {}", "learnt: {model: x}", "cannot teach another"),
        ("pages: 40", "pages: 3", "pages is 3; it must be at least 20"),
        ("model: '@extractor'", "model: '@other'", "other"),
    ],
)
def test_recipes_that_cannot_be(tmp_path: Path, old: str, new: str, message: str) -> None:
    write_crawl(tmp_path)
    text = RECIPE.replace("{{", "{").replace("}}", "}").replace(old, new).replace("{folder}", str(tmp_path))
    with pytest.raises(RecipeError, match=message):
        runner.curate(parse(text, "learnt.yaml"), str(tmp_path / "run"), Inline())


def test_a_source_of_text_has_no_pages() -> None:
    text = """
version: 1
sources:
  books:
    - read: {jsonl: {paths: [a.jsonl]}}
    - fit: {extractor: {teacher: {resiliparse: {}}}}
    - filter: {gopher_quality: {}}
"""
    with pytest.raises(RecipeError, match="this fit learns from pages, and the source yields text"):
        build_plan(parse(text, "books.yaml"))


def test_pages_past_a_limit_and_those_without_text_teach_nothing() -> None:
    fit = Extractor(teacher={"resiliparse": Resiliparse()}, trees=5)
    pages = raw_pages(b"<div>" * 100_000, None, b"", *(made_page(number)[0] for number in range(3)))
    looked = fit.look(pages)
    assert looked.num_rows == 3
    assert looked.schema == fit.schema()
    with pytest.raises(InputError, match="the source has no pages to learn from"):
        fit.fit(iter(()))


def test_fewer_than_twenty_pages_are_too_few() -> None:
    fit = Extractor(teacher={"resiliparse": Resiliparse()}, trees=1)
    pages = raw_pages(*(made_page(n)[0] for n in range(20)), url=[f"http://{n % 2}.example/" for n in range(20)])
    with pytest.raises(InputError, match=r"19 of 19 pages have text of resiliparse, and 20 are .* `extract: \{traf"):
        fit.fit(iter([fit.look(pages.slice(1))]))
    assert fit.fit(iter([fit.look(pages)])).keys() == {"extractor.bin"}
