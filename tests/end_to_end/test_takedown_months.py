"""A page that was taken down in one month does not come back in the next, in whatever order both are done."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from curation.core import storage
from curation.core.errors import InputError, RecipeError, StageError
from curation.core.manifest import read_run
from pipelines import api
from tests.object_store import server as server
from tests.object_store import store as store

MARKER = "zyxlemons"  # in the page that is taken down, and in all that is to stay out with it
PAGE = "https://example.org/lemons"
PROSE = " ".join(f"word{number} and{number % 7}" for number in range(120))


def page(name: str, text: str) -> dict[str, str]:
    return {"url": f"https://example.org/{name}", "text": text}


def other(name: str) -> dict[str, str]:
    return page(name, f"A page of {name}: " + " ".join(f"{name}{number} is" for number in range(60)))


FIRST = [other("harbours"), page("lemons", f"{MARKER} {PROSE}"), other("winters")]
SECOND = [
    other("harbours"),  # known since the first month
    page("lemons", f"{MARKER} {PROSE}"),  # the page as it was
    page("mirror", f"{MARKER}  {PROSE.upper()}"),  # its text elsewhere, apart from case and white space
    page("edited", f"{MARKER} {PROSE} and a new end"),  # a near-duplicate
    other("bicycles"),
]
CHANGED = page("lemons/?utm_source=mail", f"{MARKER} was written anew and has another text altogether.")
EXACT: dict[str, Any] = {"exact": {}, "minhash": {}}


def recipe(name: str, paths: list[str], *stages: dict[str, Any], **more: Any) -> dict[str, Any]:
    read = {"read": {"jsonl": {"paths": paths, "url": "url"}}}
    return {"version": 1, "name": name, "sources": {"web": [read, *stages]}, **more}


def curate(what: dict[str, Any], output: str) -> api.Run:
    return api.curate(what, output, executor=api.Inline())


def write(path: str, rows: list[dict[str, str]]) -> str:
    storage.write_bytes(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
    return path


def files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, local or in a store, with its content."""
    fs, path = storage.resolve(folder)
    for info in storage.listed(fs, path, recursive=True):
        if info.is_file:
            with fs.open_input_stream(info.path, compression=None) as stream:
                yield info.path, stream.read()


def decoded(name: str, content: bytes) -> str:
    if name.endswith(".parquet"):
        return str(pq.read_table(io.BytesIO(content)).to_pylist())
    if name.endswith(".arrow"):
        opened = pa.ipc.open_stream if name.rpartition("/")[2].startswith("group-") else pa.ipc.open_file
        with opened(pa.BufferReader(content)) as file:
            return str(file.read_all().to_pylist())
    return content.decode(errors="replace")


def with_marker(folder: str) -> list[str]:
    every = list(files(folder))
    assert len(every) > 3
    return [name for name, content in every if MARKER in decoded(name, content).lower()]


def kept(run: api.Run) -> list[str]:
    """The last parts of the URLs of kept documents that still have a text."""
    last = [stage for stage in run.stages if stage.verb.documents][-1]
    rows = [row for batch in last.scan(["url", "text", "drop_reason"]) for row in batch.to_pylist()]
    return [row["url"].partition("example.org/")[2] for row in rows if row["text"] and not row["drop_reason"]]


def taken_down(run: str, folder: Path) -> None:
    (folder / "urls.txt").write_text(f"{PAGE}\n")
    api.takedown(run, urls=folder / "urls.txt")


class Months:
    """Two months in a folder, local or in a store."""

    def __init__(self, home: str) -> None:
        self.first = f"{home}/runs/m1"
        self.second = f"{home}/runs/m2"
        self.one = recipe("m1", [write(f"{home}/m1.jsonl", FIRST)], {"dedup": EXACT})
        against = {"dedup": EXACT, "against": [self.first]}
        self.two = recipe("m2", [write(f"{home}/m2.jsonl", [*SECOND, CHANGED])], against)


def assert_holds(months: Months, run: api.Run) -> None:
    assert kept(run) == ["bicycles"]
    assert with_marker(months.second) == []
    for name in ("lemons", "mirror", "edited", "lemons/?utm_source=mail"):
        (story,) = run.why(url=f"https://example.org/{name}")
        assert story.fate.startswith(f"taken down in {months.first} on "), name
        assert (story.taken_down_in, bool(story.taken_down)) == (months.first, True)
    assert read_run(months.second).unsettled == ""
    card = run.card()
    assert [(one.name, one.listed, one.documents) for one in card.removals] == [("m1", False, 1)]


def in_order(months: Months, folder: Path) -> None:
    curate(months.one, months.first)
    taken_down(months.first, folder)
    assert with_marker(months.first) == []
    run = curate(months.two, months.second)
    assert_holds(months, run)
    assert run.stage("read").manifest.merged("dropped") == {"takedown": 3}  # by URL and by text
    assert run.stage("dedup").manifest.merged("dropped") == {"dedup.exact:duplicate": 1, "takedown": 1}


def afterwards(months: Months, folder: Path) -> None:
    curate(months.one, months.first)
    run = curate(months.two, months.second)
    assert kept(run) == ["bicycles", "lemons/?utm_source=mail"]
    assert len(with_marker(months.second)) == 2
    taken_down(months.first, folder)
    assert len(with_marker(months.second)) == 2  # nothing tells the second month before it runs again
    assert_holds(months, curate(months.two, months.second))
    before = dict(files(months.second))
    assert_holds(months, curate(months.two, months.second))
    assert {name for name, content in files(months.second) if content != before[name]} <= {
        name for name in before if name.endswith("_lock.json")
    }


@pytest.mark.parametrize("order", [in_order, afterwards])
def test_two_months(order: Any, tmp_path: Path) -> None:
    order(Months(str(tmp_path)), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("order", [in_order, afterwards])
@pytest.mark.usefixtures("store")
def test_two_months_in_a_store(order: Any, tmp_path: Path) -> None:
    order(Months("s3://bucket/home"), tmp_path)


def test_lists(tmp_path: Path) -> None:
    """A recipe's list: a page that it names, a copy elsewhere, and one that is named once the run is there."""
    (tmp_path / "list.txt").write_text("# asked for in May\nhttp://www.example.org/lemons/?utm_source=mail\n")
    rows = [*SECOND[1:3], other("bicycles"), other("winters")]
    what = recipe("m1", [write(f"{tmp_path}/m1.jsonl", rows)], {"dedup": EXACT}, removed=str(tmp_path / "list.txt"))
    output = str(tmp_path / "run")
    (line, *_) = api.plan(what, output)
    assert line.notes[0] == f"kept out of this run: 1 page or document named by {tmp_path}/list.txt"
    run = curate(what, output)
    assert (kept(run), with_marker(output)) == (["bicycles", "winters"], [])
    assert run.why(url=PAGE)[0].fate == f"taken down by the list {tmp_path}/list.txt"
    assert run.why(url="https://example.org/mirror")[0].fate.startswith(
        f"taken down by the list {tmp_path}/list.txt on"
    )
    addresses = [stage.entry.address for stage in run.stages]
    with (tmp_path / "list.txt").open("a") as file:
        file.write(run.why(url="https://example.org/winters")[0].doc_id + "\n")
    run = curate(what, output)
    assert (kept(run), with_marker(output)) == (["bicycles"], [])
    assert not any("winters3" in decoded(*file) for file in files(output))
    assert [stage.entry.address for stage in run.stages] == addresses, "nothing but its files was made again"
    assert curate({**what, "name": "other"}, str(tmp_path / "other")).stage("read").manifest.total("kept") == 2
    (tmp_path / "list.txt").write_text("nonsense\n")
    with pytest.raises(RecipeError, match=r"removed: .*list.txt:1: 'nonsense' is not a url or a doc_id"):
        api.plan(what, output)
    (tmp_path / "list.txt").unlink()
    with pytest.raises(RecipeError, match=r"removed: no file at .*list\.txt"):
        api.plan(what, output)


def test_reading_files_of_a_run_that_reads_a_run(tmp_path: Path) -> None:
    """Three runs, of which the third reads files of the second: what the first takes down holds in both, by whatever
    method they deduplicate."""
    months = Months(str(tmp_path))
    curate(months.one, months.first)
    bloom = {"exact": {}, "bloom": {"expected_items": 9}}
    curate(recipe("m1", [f"{tmp_path}/m1.jsonl"], {"dedup": bloom}), months.first)
    (filled,) = (stage.folder for stage in api.Run.open(months.first).stages if "bloom" in stage.manifest.order)
    known = {"exact": {}, "bloom": {"against": [f"{filled}/bloom"]}}
    second = recipe("m2", [f"{tmp_path}/m2.jsonl"], {"dedup": known})
    curate(second, months.second)
    parts = [f"{stage.folder}/*.parquet" for stage in api.Run.open(months.second).stages if stage.verb.begins]
    third = {"version": 1, "name": "m3", "sources": {"old": [{"read": {"parquet": {"paths": parts, "url": "url"}}}]}}
    assert len(kept(curate(third, f"{tmp_path}/m3"))) == 6
    taken_down(months.first, tmp_path)
    run = curate(third, f"{tmp_path}/m3")  # the second has not run again, and knows nothing yet
    assert [(one.of, len(one.urls)) for one in read_run(f"{tmp_path}/m3").removals] == [(months.first, 1)]
    assert kept(run) == ["harbours", "edited", "bicycles"], "no stage compares texts, so the edited page stays"
    assert run.why(url=PAGE)[0].fate.startswith(f"taken down in {months.first} on ")
    run = curate(second, months.second)
    assert kept(run) == ["edited", "bicycles"]
    assert run.why(url=PAGE)[0].fate.startswith(f"taken down in {months.first} on ")
    run = curate(third, f"{tmp_path}/m3")
    assert kept(run) == ["harbours", "edited", "bicycles"]


def test_a_mix_of_runs_of_which_one_holds_the_page(tmp_path: Path) -> None:
    stages: list[dict[str, Any]] = [
        {"fit": {"tokenizer": {"vocab_size": 300}}},
        {"tokenize": {"tokenizer": "@tokenizer"}},
        {"pack": {"sequence_length": 32}},
    ]
    first, second = (f"{tmp_path}/{name}" for name in ("m1", "m2"))
    curate(recipe("m1", [write(f"{tmp_path}/m1.jsonl", FIRST)], *stages), first)
    tokenizer = next(name for name, _ in files(first) if name.endswith("tokenizer.json"))
    stages = [{"tokenize": {"tokenizer": tokenizer}}, {"pack": {"sequence_length": 32}}]
    curate(recipe("m2", [write(f"{tmp_path}/m2.jsonl", SECOND[1:])], *stages), second)
    taken_down(first, tmp_path)
    mix = {"mix": {"runs": {"a": first, "b": second}}}
    mixed = recipe("m3", [write(f"{tmp_path}/m3.jsonl", [other("clouds")])], *stages, mix)
    with pytest.raises(InputError, match=rf"{second} holds 2 documents taken down in {first}, .* --from {first}"):
        curate(mixed, f"{tmp_path}/m3")
    planned = api.plan_takedown(second, other=first)
    assert (planned.new, planned.plan.elsewhere) == (2, ())  # nothing is left to take down in the first month
    assert api.takedown(second, other=first).new == 2
    curate(mixed, f"{tmp_path}/m3")


def test_cut_off_while_the_second_month_forgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    months = Months(str(tmp_path))
    curate(months.one, months.first)
    curate(months.two, months.second)
    taken_down(months.first, tmp_path)
    real = storage.move_file

    def gone(source: str, target: str) -> None:
        if "/_takedown/" in source:
            raise OSError("the store is gone")
        real(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(storage, "move_file", gone)
        with pytest.raises(StageError, match="run the same command again"):
            curate(months.two, months.second)
    assert not read_run(months.second).takedowns_finished
    assert_holds(months, curate(months.two, months.second))


@pytest.mark.parametrize("method", ["line", "paragraph"])
def test_passages_of_a_page_stay_out(method: str, tmp_path: Path) -> None:
    """An edited page under another URL loses the passages of the page that was taken down, as it did before."""
    new = "A passage of the new page, which nobody has seen before."
    old = [f"{MARKER} number {number} is a passage of more than thirty characters." for number in range(3)]
    pages = [page("lemons", "\n\n".join(old))], [page("edited", f"{old[0]}\n\n{new}\n\n{old[2]}")]
    given = [write(f"{tmp_path}/m{number}.jsonl", rows) for number, rows in enumerate(pages, 1)]
    one = recipe("m1", given[:1], {"dedup": {method: {}}})
    against = {"dedup": {method: {}}, "against": [f"{tmp_path}/m1"]}
    two = recipe("m2", given[1:], against, {"rewrite": {"cut_spans": {"of": [method]}}})
    curate(one, f"{tmp_path}/m1")
    taken_down(f"{tmp_path}/m1", tmp_path)
    last = curate(two, f"{tmp_path}/m2").stages[-1]
    (row,) = (row for batch in last.scan(["text"]) for row in batch.to_pylist())
    assert row["text"].strip() == new


def test_files_of_one_name_each_month(tmp_path: Path) -> None:
    """The record 1 of a file is taken down; next month's file has the same name, and another text as record 1."""
    runs = list[api.Run]()
    for month, name in (("may", "lemons"), ("june", "winters")):
        (tmp_path / month).mkdir()
        rows = [{"id": "1", **other(name)}]
        read = {"jsonl": {"paths": [write(f"{tmp_path}/{month}/pages.jsonl", rows)], "id": "id"}}
        against = {"against": [f"{tmp_path}/may/run"]} if runs else {}
        what = {"version": 1, "name": month, "sources": {"web": [{"read": read}, {"dedup": EXACT, **against}]}}
        runs.append(curate(what, f"{tmp_path}/{month}/run"))
        (row,) = (row for batch in runs[-1].stages[-1].scan(["doc_id", "text"]) for row in batch.to_pylist())
        if len(runs) == 1:
            first = row["doc_id"]
            (tmp_path / "ids.txt").write_text(first)
            api.takedown(runs[0], doc_ids=tmp_path / "ids.txt")
    assert (row["doc_id"], row["text"]) == (first, other("winters")["text"])


def test_texts_of_a_run_are_without_the_page(tmp_path: Path) -> None:
    curate(recipe("m1", [write(f"{tmp_path}/m1.jsonl", FIRST)]), f"{tmp_path}/m1")
    taken_down(f"{tmp_path}/m1", tmp_path)
    assert list(api.Run.open(f"{tmp_path}/m1").texts()) == [FIRST[0]["text"], FIRST[2]["text"]]
