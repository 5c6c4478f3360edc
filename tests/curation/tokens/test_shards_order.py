"""Orders that sealed mixes depend on: one phase, several phases and epochs, packs of another run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.core.errors import UserError
from curation.tokens.mix import Mix
from curation.tokens.mixing.phases import Phase
from curation.tokens.pack import Pack
from curation.tokens.shards import TokenData
from tests.curation.tokens.support import (
    END,
    VOCABULARY,
    numbered,
    read_pack_section,
    token_batch,
    two_source_run,
    write_mix,
    write_pack,
)

# An index, and where a reader must find each row of a file.
INDEX = {
    "format": "winnow-mix", "format_version": 3, "seed": 5, "dtype": "uint16", "vocabulary": 1000,
    "begin_of_text": None, "end_of_text": 0, "padding": 1, "row_tokens": 5,
    "tokenizer": {"file": "tokenizer.json", "blake2b": VOCABULARY.tokenizer},
    "packs": ["05-web-pack", "06-code-pack"], "runs": {},
    "report": [
        {"phase": "mix", "source": source, "capped": False, "weight": weight, "rows": rows, "tokens": 4 * rows}
        | {"target_tokens": 4.0 * rows, "available_rows": held, "available_tokens": 4 * held}
        for source, weight, rows, held in (("code", 0.25, 8, 30), ("web", 0.75, 24, 60))
    ],
    "leaves": [{"source": "code", "available": 30}, {"source": "web", "available": 60}],
    "phases": [{"name": "mix", "rows": 32, "tokens": 128, "target_tokens": 128.0, "short": False}],
    "entries": [
        {"source": "code", "phase": 0, "first": 0, "rows": 8}, {"source": "web", "phase": 0, "first": 0, "rows": 24},
    ],
}  # fmt: skip
POSITIONS = {
    "06-code-pack/tokens-00000": {0: 25, 1: 10, 3: 19, 4: 26, 5: 24, 20: 0, 21: 17, 29: 30},
    "05-web-pack/tokens-00000": {
        0: 8, 1: 4, 7: 13, 8: 22, 11: 6, 12: 7, 14: 5, 15: 9, 17: 16, 19: 2, 23: 20, 26: 15, 32: 1, 33: 21, 38: 23,
    },
    "05-web-pack/tokens-00001": {2: 28, 3: 31, 4: 14, 7: 27, 9: 29, 10: 18, 12: 11, 16: 12, 18: 3},
}  # fmt: skip


def with_index(run: Path, index: dict[str, Any]) -> TokenData:
    (run / "09-mix-0123abcd" / "index.json").write_text(json.dumps(index))
    (run / "09-mix-0123abcd" / "_manifest.json").write_text(json.dumps({"mix": index}))
    return TokenData.open(str(run))


def test_an_index_keeps_its_order(tmp_path: Path) -> None:
    data = with_index(two_source_run(tmp_path / "run"), INDEX)
    assert (data.rows, data.tokens, data.sources, data.validation_rows) == (32, 128, ["code", "web"], 4)
    for file, rows in (("06-code-pack/tokens-00000", 30), ("05-web-pack/tokens-00000", 40)):
        found = {row: data.positions(file, row) for row in range(rows)}
        assert {row: one for row, (one,) in ((row, one) for row, one in found.items() if one)} == POSITIONS[file]
    assert data.locate(0, batch_rows=3) == [
        ("06-code-pack/tokens-00000", 20), ("05-web-pack/tokens-00000", 32), ("05-web-pack/tokens-00000", 19),
    ]  # fmt: skip
    assert data.phase_of(31) == "mix"


def test_phases_and_epochs(tmp_path: Path) -> None:
    phases = (Phase(name="main", share=0.75), Phase(name="anneal", share=0.25, weights={"web": 0, "code": 1}))
    mix = Mix(weights={"web": 1, "code": 1}, tokens=320, max_epochs={"code": 2}, phases=phases)
    some = TokenData.open(str(two_source_run(tmp_path / "run", mix)))
    assert (some.rows, some.sources) == (80, ["code", "web"])
    assert [some.phase_of(position) for position in (0, 59, 60, 79)] == ["main", "main", "anneal", "anneal"]
    with pytest.raises(UserError, match="position 80 is outside the mix, which has 80 rows"):
        some.phase_of(80)
    seen = [place for step in range(10) for place in some.locate(step, batch_rows=8)]
    assert {file for file, _ in seen[60:]} == {"06-code-pack/tokens-00000"}
    assert len(set(seen[:60])) == 60, "30 rows of each, none twice"
    for file, row in set(seen):
        assert some.positions(file, row) == [position for position, place in enumerate(seen) if place == (file, row)]


@pytest.mark.parametrize("method", ["concat", "best_fit", "one_per_row"])
def test_the_tokens_that_the_mix_counts_are_those_that_its_rows_hold(tmp_path: Path, method: Any) -> None:
    """Per phase and leaf, through two epochs and a bit, with rows from one label to four."""
    run = tmp_path / "run"
    packer = Pack(method=method, sequence_length=4)
    documents = {
        f"{first}": [*range(first, first + length), END] for first, length in enumerate([1, 2, 3, 9, 4] * 9, 2)
    }
    shards = [(source, [token_batch(documents, source=source)]) for source in ("web", "web", "code")]
    phases = (Phase(name="main", share=0.7), Phase(name="anneal", share=0.3, weights={"web": 0, "code": 1}))
    mix = Mix(weights={"web": 1, "code": 1}, tokens=700, max_epochs=5, phases=phases)
    folder = write_mix(run, {"05-pack": write_pack(run / "05-pack", shards, packer=packer)}, mix)
    index = json.loads((folder / "index.json").read_text())
    data = TokenData.open(str(run))
    held: dict[tuple[str, str], int] = {}
    batch = data.read(0, data.rows)
    for position, (source, row) in enumerate(zip(batch.sources, batch.segment_ids, strict=True)):
        key = data.phase_of(position), source
        held[key] = held.get(key, 0) + int(np.count_nonzero(row[1:]))
    assert held == {(line["phase"], line["source"]): line["tokens"] for line in index["report"] if line["tokens"]}
    assert all(abs(line["tokens"] - line["target_tokens"]) <= 4 for line in index["report"])
    assert 0 <= 700 - data.tokens < 4
    times = [len(data.positions(file.name, row)) for file in data.row_files("train") for row in range(file.rows)]
    code = times[: data.row_files("train")[0].rows]
    assert max(code) - min(code) <= 1 < max(code)


def test_packs_of_another_run_are_read_where_they_lie(tmp_path: Path) -> None:
    old = two_source_run(tmp_path / "old")
    packs = {str(old / name): read_pack_section(old / name) for name in ("05-web-pack", "06-code-pack")}
    run = tmp_path / "run"
    held = write_pack(run / "05-web-pack", [("web", [token_batch(numbered(100, 41, "web"))])])
    write_mix(run, {"05-web-pack": held}, Mix(weights={"web": 1, "old": 2}), runs={"old": packs})
    data = TokenData.open(str(run))
    assert data.sources == ["old/code", "old/web", "web"]
    assert (data.rows, data.validation_rows) == (30, 4)
    seen = data.locate(0, batch_rows=30)
    assert sum(file == "05-web-pack/tokens-00000" for file, _ in seen) == 10
    file, row = next(place for place in seen if place[0].startswith("/"))
    assert Path(file).parent.parent == old
    rows = np.fromfile(f"{file}.bin", "<u2").reshape(-1, 5)
    assert data.read(seen.index((file, row)), 1).tokens.tolist() == [rows[row].tolist()]
