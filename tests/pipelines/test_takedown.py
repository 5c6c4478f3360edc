"""One takedown at a time in a run; the rest of what erasing does is tested in end_to_end."""

from pathlib import Path

import pytest

from curation.core.errors import InputError, StageError, UserError
from curation.core.manifest import TAKEN_DOWN
from curation.core.run_lock import only_run
from pipelines import api
from pipelines.report.report import write_report
from pipelines.takedown import preview, take_down
from tests import takedowns as runs
from tests.takedowns import CLUSTER
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


def test_a_run_that_another_process_works_on(taken_run: Path, tmp_path: Path) -> None:
    given = runs.request(tmp_path, CLUSTER[1])
    with only_run(str(taken_run)):
        assert preview(str(taken_run), given).new == 4
        with pytest.raises(InputError, match="another winnow is running"):
            take_down(str(taken_run), given)
    assert take_down(str(taken_run), given).new == 4


def test_a_folder_that_is_no_run_stays_as_it_is(tmp_path: Path) -> None:
    given = runs.request(tmp_path, CLUSTER[1])
    with pytest.raises(InputError, match="is not a run"):
        take_down(str(tmp_path / "nowhere"), given)
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_cannot_be_changed(taken_run: Path, tmp_path: Path) -> None:
    (blocked,) = taken_run.glob("*-near-*")
    (blocked / TAKEN_DOWN).touch()  # where the folder of new files is to be made
    given = runs.request(tmp_path, CLUSTER[1])
    with pytest.raises(StageError, match=r"was cut off: .*_takedown.* fix the cause, then run the same command again"):
        take_down(str(taken_run), given)
    assert preview(str(taken_run), given).finished_before == 1
    (blocked / TAKEN_DOWN).unlink()
    done = take_down(str(taken_run), given)
    assert (done.new, done.finished_before, preview(str(taken_run), given).finished_before) == (0, 1, 0)
    assert {row["text"] for row in runs.rows(taken_run, "near") if row["url"] in CLUSTER} == {None}


def test_from_python_as_from_the_command_line(taken_run: Path, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text(f"{CLUSTER[1]}\n")
    planned = api.plan_takedown(str(taken_run), urls=tmp_path / "urls.txt")
    assert (planned.new, planned.record) == (4, None)
    run = api.Run.open(taken_run)
    done = api.takedown(run, urls=tmp_path / "urls.txt")
    assert (done.new, done.record is not None) == (4, True)
    with pytest.raises(UserError, match="say which documents: either urls or doc_ids"):
        api.takedown(run, urls=tmp_path / "urls.txt", doc_ids=tmp_path / "urls.txt")


def test_the_report_is_made_again_without_the_documents(taken_run: Path, tmp_path: Path) -> None:
    page = Path(write_report(str(taken_run)))
    assert [url for url in CLUSTER if url in _random_documents(page)]
    given = runs.request(tmp_path, CLUSTER[1])
    assert preview(str(taken_run), given).plan.leftovers == ()
    assert take_down(str(taken_run), given).plan.leftovers == ()
    assert [url for url in CLUSTER if url in _random_documents(page)] == []


def _random_documents(page: Path) -> str:
    return page.read_text().partition('<section id="final"')[2].partition("</section>")[0]
