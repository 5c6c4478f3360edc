"""run.json: tombstones stand in the order of the takedowns, and each takedown knows its own."""

from pathlib import Path

from curation.core.manifest import FORMAT, RUN, RunRecord, read_run, write_json
from curation.engine.erase.takedown_record import Takedown, begin, finish, takedowns, unfinished

AUDIT = {"rows": 3, "files": {"a": {}, "b": {}}}


def test_a_takedown_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    write_json(str(tmp_path / RUN), RunRecord(FORMAT, "r", {"version": 1}, (), True))
    first = begin(str(tmp_path), ["aa", "bb"], ["11", "22", "11"], {"when": "2026-01-01", "request": "00"})
    assert first == Takedown(0, "2026-01-01", ("aa", "bb"))
    assert unfinished(str(tmp_path)) == [first]
    finish(str(tmp_path), first, [("01-read", AUDIT), ("02-filter", AUDIT)])
    second = begin(str(tmp_path), ["cc"], ["22", "33"], {"when": "2026-01-02", "request": "11"})
    run = read_run(str(tmp_path))
    assert run.tombstones == ("aa", "bb", "cc")
    assert run.taken_texts == ("11", "22", "33")
    assert [one["texts"] for one in run.takedowns] == [2, 1]
    assert takedowns(run) == [first, second] == [first, Takedown(1, "2026-01-02", ("cc",))]
    assert unfinished(str(tmp_path)) == [second]
    entry = {
        "when": "2026-01-01",
        "request": "00",
        "tombstones": 2,
        "texts": 2,
        "finished": True,
        "rows": 6,
        "files": 4,
    }
    assert run.takedowns[0] == {**entry, "stages": ["01-read", "02-filter"]}
    assert run.recipe == {"version": 1}
