"""Progress counts the commits of a step: those found done and those that come in."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

from curation.core.commits import Commit, Part
from curation.core.manifest import Manifest
from curation.core.needs import Needs
from curation.core.progress import Progress
from curation.engine.executor.failures import Failure
from curation.engine.run.progress import Watch


def commit(unit: int, rows: int, errors: int = 0) -> Commit:
    dropped = {"error.a.ValueError": errors, "a.b:low": 1}
    return Commit(
        unit, (Part(f"part-{unit}", "web", 1, rows, rows - errors - 1, text_bytes=10 * rows, dropped=dropped),)
    )


def test_a_step_counts_its_commits() -> None:
    told: list[Progress] = []
    watch = Watch("gopher", told.append, "02-gopher-0")
    watch.step("filter", 3, [commit(0, 10)], "_commits")
    watch.retry(Failure(2, "OSError"))
    watch.commit(commit(2, 5, errors=2))
    assert [one.step for one in told] == ["start", "filter", "filter", "filter"]
    assert (told[1].stage, told[1].done, told[1].units, told[1].documents, told[1].found) == ("gopher", 1, 3, 10, 1)
    last = told[-1]
    assert (last.done, last.documents, last.kept, last.text_bytes, last.errors, last.retries) == (2, 15, 11, 150, 2, 1)
    assert last.seconds >= told[1].seconds >= 0
    assert last.failure == "unit 2, OSError"
    assert last.commits == "02-gopher-0/_commits"
    assert (last.found_documents, last.found_text_bytes) == (10, 100)


def test_the_next_step_counts_anew() -> None:
    told: list[Progress] = []
    watch = Watch("dedup", told.append)
    watch.step("keys", 1)
    watch.commit(commit(0, 4))
    watch.step("attach", 4)
    assert [(one.step, one.done) for one in told] == [("start", 0), ("keys", 0), ("keys", 1), ("attach", 0)]


def test_a_step_leaves_what_it_took() -> None:
    watch = Watch("dedup", lambda told: None)
    watch.step("keys", 3)
    files = {"files": {"_keys/keys-00000.arrow": {"bytes": 7}}}
    commits = [replace(commit(unit, 4), seconds=seconds) for unit, seconds in enumerate((1.0, 5.0, 2.5))]
    watch.step_ended(Needs(memory=5, num_cpus=2.0), [*commits, Commit(3, (), extra=files)], 2)
    (took,) = watch.steps
    assert (took.name, took.units, took.seconds, took.longest, took.first_seconds) == ("keys", 4, 8.5, 5.0, 7.5)
    assert (took.files, took.file_bytes, took.memory, took.cpus, took.cores) == (4, 10, 5, 2.0, 2)
    assert took.wall_seconds >= 0


def test_the_end_has_the_figures_of_the_whole_stage() -> None:
    told: list[Progress] = []
    watch = Watch("dedup", told.append)
    for step in ("keys", "attach"):
        watch.step(step, 1)
        watch.retry(Failure(0, f"OSError in {step}"))
    manifest = SimpleNamespace(
        shards=SimpleNamespace(units=7),
        total={"rows": 15, "kept": 11, "text_bytes": 150}.__getitem__,
        merged={"dropped": {"error.a.ValueError": 2, "a.b:low": 2}}.__getitem__,
    )
    watch.sealed(cast(Manifest, manifest))
    last = told[-1]
    assert (last.step, last.done, last.units, last.documents, last.kept, last.errors) == ("done", 7, 7, 15, 11, 2)
    assert (last.retries, last.failure) == (2, "unit 0, OSError in attach")
