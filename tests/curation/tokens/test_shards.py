"""Order, seeking and sharing of batches; what a row is can be told, and where a row is seen."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, UserError
from curation.tokens.manifests import checksum
from curation.tokens.mix import Mix
from curation.tokens.shards import TokenData
from curation.tokens.step_rows import StepRows
from tests.curation.tokens.support import END, PAD, two_source_run

# Computed by another program, in plain integers: "w1:7" is row 7 of the second shard of web.
GOLDEN = [["w1:12", "w0:21", "w0:14", "w0:17", "c0:4", "w0:39"], ["w0:29", "w1:1", "w0:3", "w1:2", "w1:11", "w1:8"]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_source_run(tmp_path_factory.mktemp("tokens") / "run", Mix(seed=3))


@pytest.fixture(scope="module")
def data(run: Path) -> TokenData:
    return TokenData.open(str(run))


def test_what_it_says_of_itself(data: TokenData, run: Path) -> None:
    assert (data.row_tokens, data.sequence_length, data.vocabulary, data.dtype.name) == (5, 4, 1000, "uint16")
    assert (data.end_of_text, data.padding, data.sources) == (END, PAD, ["code", "web"])
    assert (data.rows, data.tokens, data.validation_rows) == (90, 360, 4)
    assert data.tokenizer_path == str(run / "05-web-pack" / "tokenizer.json")


def test_a_run_is_its_last_mix(data: TokenData, run: Path) -> None:
    again = TokenData.open(str(run / "09-mix-0123abcd") + "/")
    assert again.batch(2, batch_rows=8).tokens.tolist() == data.batch(2, batch_rows=8).tokens.tolist()


def test_every_row_is_seen_once(data: TokenData) -> None:
    seen = [place for step in range(10) for place in data.locate(step, batch_rows=9)]
    assert len(set(seen)) == len(seen) == 90
    counts = {name: sum(file == name for file, _ in seen) for name, _ in seen}
    assert counts == {"05-web-pack/tokens-00000": 40, "05-web-pack/tokens-00001": 20, "06-code-pack/tokens-00000": 30}


def test_tokens_are_those_of_the_rows_named(data: TokenData, run: Path) -> None:
    batch = data.batch(4, batch_rows=8)
    for tokens, (file, row) in zip(batch.tokens, data.locate(4, batch_rows=8), strict=True):
        assert tokens.tolist() == np.fromfile(run / f"{file}.bin", "<u2").reshape(-1, 5)[row].tolist()


def test_golden_batches(data: TokenData) -> None:
    """Rows of the first two steps: a change here reorders every sealed mix."""
    short = {"05-web-pack/tokens-00000": "w0", "05-web-pack/tokens-00001": "w1", "06-code-pack/tokens-00000": "c0"}
    steps = [[f"{short[file]}:{row}" for file, row in data.locate(step, batch_rows=6)] for step in range(2)]
    assert steps == GOLDEN


@pytest.mark.parametrize("world_size", [1, 2, 4, 8])
def test_same_global_batch_for_any_number_of_ranks(data: TokenData, world_size: int) -> None:
    for step in (0, 3, 10):
        whole = data.batch(step, batch_rows=8).tokens
        shares = [data.batch(step, batch_rows=8, rank=r, world_size=world_size).tokens for r in range(world_size)]
        assert all(len(share) == 8 // world_size for share in shares)
        assert np.concatenate(shares).tolist() == whole.tolist()


def test_the_last_whole_step_and_one_past_it(data: TokenData) -> None:
    assert data.steps(8) == 11
    assert data.batch(10, batch_rows=8).tokens.shape == (8, 5)
    with pytest.raises(UserError, match=r"step 11 is outside the mix: its 90 rows make 11 steps of 8 rows"):
        data.batch(11, batch_rows=8)
    with pytest.raises(UserError, match="step -1"):
        data.batch(-1, batch_rows=8)


def test_the_last_row_and_one_past_it(data: TokenData) -> None:
    assert data.read(89, 1).tokens.shape == (1, 5)
    with pytest.raises(UserError, match="there are no rows 89 to 91: the mix has 90"):
        data.read(89, 2)
    with pytest.raises(UserError, match="there are no validation rows 3 to 5, only 4"):
        data.read_validation(3, 2)


@pytest.mark.parametrize(("rank", "world_size"), [(0, 3), (2, 2), (-1, 2)])
def test_uneven_shares_refused(data: TokenData, rank: int, world_size: int) -> None:
    with pytest.raises(UserError, match="8 rows a batch cannot be shared"):
        data.batch(0, batch_rows=8, rank=rank, world_size=world_size)


def test_validation_rows_come_in_fixed_order(data: TokenData) -> None:
    first = data.read_validation(0, 3)
    second = data.read_validation(3, 1)
    assert first.tokens.tolist() == [[7, 8, END, PAD, PAD], [2, 3, 4, 5, 6], [6, 7, 8, 9, 10]]
    assert second.tokens.tolist() == [[10, 11, 12, 13, END]]
    assert first.segment_ids.tolist() == [[1, 1, 1, 0, 0], [1] * 5, [1] * 5]
    assert data.read_validation(1, 2).tokens.tolist() == first.tokens[1:].tolist()


def test_validation_totals(data: TokenData) -> None:
    assert data.validation_totals() == {
        "code": {"rows": 1, "tokens": 3, "documents": 1, "utf8_bytes": 10},
        "web": {"rows": 3, "tokens": 13, "documents": 1, "utf8_bytes": 10},
    }


def test_a_row_names_its_documents_and_its_step(data: TokenData, run: Path) -> None:
    file, row = data.locate(5, batch_rows=8)[2]
    assert data.positions(file, row) == [5 * 8 + 2]
    assert pq.read_table(run / f"{file}.parquet").column("source")[row].as_py() == ("web" if "web" in file else "code")
    with pytest.raises(UserError, match="no training row"):
        data.positions("05-web-pack/tokens-00000", 40)
    with pytest.raises(UserError, match="no training row"):
        data.positions("05-web-pack/validation-00001", 0)


def test_a_source_of_weight_0_is_left_out(tmp_path: Path) -> None:
    some = TokenData.open(str(two_source_run(tmp_path / "run", Mix(weights={"web": 1, "code": 0}, tokens=40))))
    assert (some.rows, some.sources, some.validation_rows) == (10, ["web"], 3)
    taken = set(some.locate(0, batch_rows=10))
    assert len(taken) == 10
    outside = next(
        ("05-web-pack/tokens-00000", row) for row in range(40) if ("05-web-pack/tokens-00000", row) not in taken
    )
    assert some.positions(*outside) == []


def test_verify_finds_one_changed_byte(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run")
    data = TokenData.open(str(run))
    data.verify()
    damaged = run / "06-code-pack" / "tokens-00000.bin"
    content = bytearray(damaged.read_bytes())
    content[100] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(InputError, match=r"06-code-pack/tokens-00000\.bin is damaged"):
        data.verify()


@pytest.mark.parametrize(
    ("token", "refused"), [pytest.param(999, False, id="the last id"), pytest.param(1000, True, id="one past it")]
)
def test_a_token_outside_the_vocabulary(tmp_path: Path, token: int, refused: bool) -> None:
    run = two_source_run(tmp_path / "run", Mix(seed=3))
    data = TokenData.open(str(run))
    file, row = data.locate(2, batch_rows=8)[5]
    path = run / f"{file}.bin"
    tokens = np.fromfile(path, "<u2").reshape(-1, 5)
    tokens[row, 2] = token
    tokens.tofile(path)
    manifest = path.with_name("_manifest.json")  # as if `pack` had written it
    content = json.loads(manifest.read_text())
    for part in content["tokens"]["parts"]:
        part["files"].get(path.name, {})["blake2b"] = checksum(path.read_bytes())
    manifest.write_text(json.dumps(content))
    data = TokenData.open(str(run))
    if not refused:
        assert data.batch(2, batch_rows=8).tokens[5, 2] == token
        return
    message = rf"{path} is damaged: row {row} has the token id 1,000, but the .* 1,000; `winnow verify {run} --deep`"
    for read in (lambda: data.batch(2, batch_rows=8), lambda: data.read(16, 8)):
        with pytest.raises(InputError, match=message):
            read()
    data.batch(1, batch_rows=8)
    assert data.locate(2, batch_rows=8)[5] == (file, row)


def test_steps_of_other_sizes_read_one_row_after_the_other() -> None:
    rows = StepRows(8, ((2, 1), (3, 4)))
    assert [rows.positions(step) for step in (0, 1, 2, 4, 5, 6)] == [
        range(1),
        range(1, 2),
        range(2, 6),
        range(10, 14),
        range(14, 22),
        range(22, 30),
    ]
    assert all(rows.step_of(position) == step for step in range(9) for position in rows.positions(step))
    assert [rows.steps(positions) for positions in (1, 2, 5, 6, 14, 21, 22)] == [1, 2, 2, 3, 5, 5, 6]
    assert StepRows(3).positions(2) == range(6, 9)


def test_windows_that_no_step_reads() -> None:
    """The first of steps 1 and 2, the second of what then were steps 4 and 5."""
    rows = StepRows(4, ((2, 2),), ((2, 6), (18, 8)))
    read = [rows.positions(step) for step in range(6)]
    assert read == [range(2), range(8, 10), range(10, 14), range(14, 18), range(26, 30), range(30, 34)]
    assert all(rows.step_of(position) == step for step in range(6) for position in rows.positions(step))
    unread = [position for position in range(34) if rows.skips(position)]
    assert unread == [*range(2, 8), *range(18, 26)]
    assert [rows.step_of(position) for position in (2, 7, 18, 25)] == [1, 1, 4, 4]
    assert rows.steps(30) == 5
