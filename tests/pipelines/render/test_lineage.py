"""What `winnow why`, `trace` and `takedown` print of a small run."""

from pathlib import Path

from curation.account.lineage.trace import trace
from curation.account.lineage.why import Decision
from curation.account.run import Run
from curation.tokens.shards import TokenData
from pipelines.render import lineage
from pipelines.takedown import preview, take_down
from tests import takedowns as runs
from tests.pipelines.render.printed import printed
from tests.takedowns import CLUSTER
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


def test_a_step(taken_run: Path) -> None:
    steps = TokenData.open(str(taken_run)).rows // 8
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=steps, batch_rows=8)
    found = trace(str(training), 2)
    lines = printed(lineage.trace, found)
    assert lines[0] == (
        f"step 2 of 0 to {steps - 1} of {training}, step 3 in its metrics: 8 rows of 48 tokens to predict, "
        "positions from 16, phase mix"
    )
    for one in found.sources:
        assert [one["source"], str(one["documents"]), str(one["tokens"])] in [line.split()[:3] for line in lines]
    for segment in found.segments:
        assert any(segment["doc_id"] in line and str(segment["url"]) in line for line in lines)
    assert sum(one["doc_id"] in line for one in found.segments[:1] for line in lines) == 1


def test_a_documents_tokens(taken_run: Path) -> None:
    data = TokenData.open(str(taken_run))
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=data.rows // 2, done=0)
    lines = printed(lineage.stories, Run.open(taken_run).why(url=CLUSTER[0]))
    (rows,) = (line.strip() for line in lines if line.strip().startswith("row "))
    assert rows.endswith("more")
    assert rows.count("49 tokens") >= 5
    assert any(line.strip().startswith("mix: position ") and line.endswith("(phase mix)") for line in lines)
    assert any(line.strip().startswith(f"{training}: step ") and " (0 of " in line for line in lines)


def test_a_takedown(taken_run: Path) -> None:
    data = TokenData.open(str(taken_run))
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=data.rows // 2, checkpoints=(80,))
    for name in ("failure.txt", "card.md", "croissant.json"):
        (taken_run / name).write_text("x")
    given = runs.request(taken_run.parent, CLUSTER[1], "http://nowhere.example/[red]")
    lines = printed(lineage.takedown, preview(str(taken_run), given), dry_run=True)
    assert lines[0] == "asked for 2, found 1 document and 3 copies; not taken down yet: 4"
    assert lines[1].endswith("edited copies that no stage linked are not included")
    assert lines[2] == "not in this run: http://nowhere.example/[red]"
    assert lines[-1] == "dry run: nothing was changed"
    assert any(line.split()[1:] == ["dedup", "2", "2"] and "-near-" in line for line in lines)
    assert any(f"to do: {training} reads them in" in line and "trained on them: step_80" in line for line in lines)
    assert any("tokenizer" in line and "was fitted to text" in line for line in lines)
    assert f"to do: {taken_run}/failure.txt was not searched: delete it if it holds any of them" in lines
    cards = f"{taken_run}/card.md and {taken_run}/croissant.json"
    assert f"to do: {cards} describe the run before the takedown: run `winnow card` again" in lines
    done = take_down(str(taken_run), given)
    lines = printed(lineage.takedown, done, dry_run=False)
    assert lines[-1].startswith("taken down: 4 documents, ")
    again = printed(lineage.takedown, take_down(str(taken_run), given), dry_run=False)
    assert again[-1] == "all of them were taken down before: nothing to do"
    said = f"to do: recorded by an earlier takedown: {training} reads them in"
    assert any(line.startswith(said) and line.endswith("trained on them: step_80") for line in again)


def test_a_takedown_that_no_training_run_is_known_of(taken_run: Path) -> None:
    given = runs.request(taken_run.parent, CLUSTER[1])
    lines = printed(lineage.takedown, preview(str(taken_run), given), dry_run=True)
    said = f"to do: no training run in {taken_run.parent} reads them; name any others with --model"
    assert said in lines
    runs.write_training(taken_run.parent / "t", taken_run, steps=20, done=9)
    lines = printed(lineage.takedown, preview(str(taken_run), given), dry_run=True)
    assert any(line.endswith("if it is running, restart it: it still has the old files open") for line in lines)
    (taken_run.parent / "other").mkdir()
    far = runs.write_training(taken_run.parent / "far", taken_run.parent / "other", steps=20)
    lines = printed(lineage.takedown, preview(str(taken_run), given, [str(far)]), dry_run=True)
    said = f"to do: {far} may have trained on them: its data is {taken_run.parent}/other, which is outside this run"
    assert said in lines


def test_a_list_that_a_limit_allows_is_cut_short() -> None:
    names = [f"name-{number}" for number in range(20)]
    limit = {"rule": "licence_policy.name", "one_of": names}
    decision = Decision("licences", "filter", None, {"licence_policy": {"name": "name-3"}}, (limit,), 7)
    (line,) = lineage._values(decision)
    assert line.endswith(
        "(limit: one_of name-0, name-1, name-2, name-3, name-4, name-5, name-6, name-7, … and 12 more)"
    )
