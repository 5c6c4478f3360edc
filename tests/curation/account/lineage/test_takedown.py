"""The plan of a takedown: what each stage holds, and what a person has to look after. See also end_to_end."""

import json
from pathlib import Path

import pytest

from curation.account.lineage.copies import values_of
from curation.account.lineage.look_up import find
from curation.account.lineage.takedown import plan
from curation.account.run import Run
from curation.core.errors import InputError
from tests import takedowns as runs
from tests.curation.engine.dedup import runs as dedup_runs
from tests.takedowns import CLUSTER


def test_what_each_stage_holds(taken_run: Path) -> None:
    found = plan(Run.open_with_earlier(taken_run), runs.request(taken_run.parent, CLUSTER[1]))
    held = {one.stage[3:].rpartition("-")[0]: (one.rows, one.files, one.learnt) for one in found.stages}
    assert held == {
        "news-read": (3, 2, 0),
        "news-gopher_quality": (3, 2, 0),
        "news-dedup": (3, 2, 0),
        "books-read": (1, 1, 0),
        "near": (2, 2, 0),
        "spans": (1, 1, 0),
        "tokenizer": (0, 0, 1),
        "tokenize": (1, 1, 0),
        "pack": (1, 1, 0),
    }
    assert (found.asked, found.copies, found.passes) == (1, 3, 2)
    assert found.documents[0] == runs.doc_id_of(taken_run, CLUSTER[1])
    assert (found.elsewhere, found.later_runs, found.mixed_runs, found.blooms, found.leftovers) == ((), (), (), (), ())


def test_ids_and_rows(taken_run: Path) -> None:
    opened = Run.open_with_earlier(taken_run)
    ids = [runs.doc_id_of(taken_run, url) for url in CLUSTER]
    assert values_of(find(opened, "doc_id", ids)[0], "doc_id") == ids, "by stage, shard and row"


def test_another_url_of_the_same_page(taken_run: Path) -> None:
    """Later runs recognise the page by it, so this run does too."""
    opened = Run.open_with_earlier(taken_run)
    asked = runs.request(taken_run.parent, "HTTPS://News-0.example:443/1?utm_source=x#top", "http://nowhere.example/")
    found, exact = plan(opened, asked), plan(opened, runs.request(taken_run.parent, CLUSTER[0]))
    assert (found.asked, found.not_found, found.urls) == (2, ("http://nowhere.example/",), exact.urls)
    assert found.documents == exact.documents


def test_leftovers(taken_run: Path) -> None:
    (taken_run / "failure.txt").write_text("a traceback")
    (taken_run / "export").mkdir()
    found = plan(Run.open_with_earlier(taken_run), runs.request(taken_run.parent, CLUSTER[1]))
    assert found.leftovers == (str(taken_run / "export"), str(taken_run / "failure.txt"))


@pytest.mark.parametrize("step", ["_commits", "_keys"])
def test_a_stage_that_has_begun(taken_run: Path, step: str) -> None:
    (taken_run / "11-next-00000000" / step).mkdir(parents=True)
    with pytest.raises(InputError, match=r"11-next-00000000 is not finished .* run the recipe to its end, or delete"):
        plan(Run.open_with_earlier(taken_run), runs.request(taken_run.parent, CLUSTER[1]))


def test_runs_that_were_compared_and_filters(tmp_path: Path) -> None:
    dedup_runs.write_shards(tmp_path / "old", [["one", "two"]])
    dedup_runs.write_shards(tmp_path / "new", [["three", "two"]])
    methods = "exact: {}, bloom: {expected_items: 100}"
    dedup_runs.curate(dedup_runs.recipe(tmp_path / "old", methods), tmp_path / "first")
    text = dedup_runs.recipe(tmp_path / "new", "exact: {}", options=f"against: [{tmp_path}/first]")
    dedup_runs.curate(text, tmp_path / "second")
    found = plan(Run.open_with_earlier(tmp_path / "first"), runs.request(tmp_path, "http://web-0.example/1"))
    assert found.later_runs == (str(tmp_path / "second"),)
    assert found.blooms == (f"{dedup_runs.stage_folder(tmp_path / 'first')}/bloom",)
    found = plan(Run.open_with_earlier(tmp_path / "second"), runs.request(tmp_path, "http://web-0.example/1"))
    assert [one["run"] for one in found.elsewhere] == [str(tmp_path / "first")]


def test_a_mix_that_takes_rows_of_another_run(taken_run: Path) -> None:
    (index,) = taken_run.glob("*-mix-*/index.json")
    content = json.loads(index.read_text())
    content["packs"].append(str(taken_run.parent / "other" / "07-pack"))
    index.write_text(json.dumps(content))
    manifest = json.loads((index.parent / "_manifest.json").read_text())
    (index.parent / "_manifest.json").write_text(json.dumps({**manifest, "mix": content}))
    found = plan(Run.open_with_earlier(taken_run), runs.request(taken_run.parent, CLUSTER[1]))
    assert found.mixed_runs == (str(taken_run.parent / "other"),)


def test_a_training_on_a_mix_of_before(taken_run: Path, sources: Path) -> None:
    """The run was curated again since: the documents' steps are those of the mix that was read."""
    asked = runs.request(taken_run.parent, CLUSTER[0])
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=20)
    before = plan(Run.open_with_earlier(taken_run), asked)
    assert before.trainings[0].steps > 0
    runs.curate(sources, taken_run, words=60)
    after = plan(Run.open_with_earlier(taken_run), asked)
    assert after.trainings == before.trainings
    assert after.trainings[0].training == str(training)
