"""What does not fit together is refused in one line that names the file; which parts hold a document shard."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.tokens.manifests import parts_of
from curation.tokens.shards import TokenData
from tests.curation.tokens.support import two_source_run

MIX = "09-mix-0123abcd"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return two_source_run(tmp_path / "run")


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def edit_index(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """In both places that hold it."""
    edit(run / MIX / "index.json", change)
    edit(run / MIX / "_manifest.json", lambda manifest: change(manifest["mix"]))


def refuses(run: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        TokenData.open(str(run))
    assert "\n" not in str(caught.value)


def test_sound_run_opens(run: Path) -> None:
    assert TokenData.open(str(run)).rows == 90


def test_lineage_may_be_missing_where_only_training_happens(run: Path) -> None:
    (run / "05-web-pack" / "tokens-00000.parquet").unlink()
    assert TokenData.open(str(run)).rows == 90


def test_a_folder_that_is_neither(tmp_path: Path) -> None:
    refuses(tmp_path, "neither a run .* nor a mix stage")


def test_a_run_without_a_mix(run: Path) -> None:
    edit(run / "run.json", lambda one: one["stages"].pop())
    refuses(run, "has no mix stage")
    edit(run / "run.json", lambda one: one.update(complete=False))
    refuses(run, "is not finished; run its recipe to the end")


@pytest.mark.parametrize("name", ["_manifest.json", "index.json"])
def test_an_unfinished_mix(run: Path, name: str) -> None:
    (run / MIX / name).unlink()
    refuses(run, f"the mix stage at .*{MIX} is not finished")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"format": "other"}, "is not a mix index", id="another format"),
        pytest.param({"format_version": 4}, "format version 4, this winnow reads 3; mix again", id="a later version"),
        pytest.param({"format_version": 2}, "format version 2, this winnow reads 3; mix again", id="an older one"),
        pytest.param({"row_tokens": 9}, "row_tokens 5, its mix was made from row_tokens 9", id="row length"),
        pytest.param({"dtype": "uint32"}, "dtype uint16, its mix was made from dtype uint32", id="dtype"),
        pytest.param({"vocabulary": 999}, "vocabulary 1000", id="vocabulary"),
        pytest.param({"begin_of_text": 5}, "begin_of_text None", id="begin of text"),
        pytest.param({"end_of_text": 5}, "end_of_text 0", id="end of text"),
        pytest.param({"tokenizer": {"file": "tokenizer.json", "blake2b": "00"}}, "tokenizer", id="tokenizer"),
        pytest.param({"packs": ["05-web-pack", "07-gone"]}, "no finished pack at .*07-gone", id="pack not there"),
        pytest.param(
            {"leaves": [{"source": "code", "available": 30}, {"source": "web", "available": 61}]},
            "hold 60 rows of 'web', the mix was made from 61",
            id="packed again with other rows",
        ),
    ],
)
def test_index_refused(run: Path, change: dict[str, Any], message: str) -> None:
    edit_index(run, lambda index: index.update(change))
    refuses(run, message)


def test_an_index_that_is_not_its_manifests(run: Path) -> None:
    """It would read the same rows in another order."""
    edit(run / MIX / "index.json", lambda index: index.update(seed=8))
    refuses(run, r"09-mix-0123abcd/index\.json is damaged: it is not the index that _manifest\.json beside it holds")


def test_another_token_format(run: Path) -> None:
    edit(run / "05-web-pack" / "_manifest.json", lambda one: one["tokens"].update(format_version=3))
    refuses(run, "token format 3, this winnow reads 2; pack again")


def test_a_folder_without_tokens(run: Path) -> None:
    edit(run / "05-web-pack" / "_manifest.json", lambda one: one.pop("tokens"))
    refuses(run, "describes no token files")


def test_another_tokenizer_beside_the_tokens(run: Path) -> None:
    (run / "06-code-pack" / "tokenizer.json").write_bytes(b"another")
    refuses(run, r"06-code-pack/tokenizer\.json is not the tokenizer")


@pytest.mark.parametrize(
    "name", ["tokens-00001.bin", "validation-00001.bin", "tokens-00000.idx", "tokens-00000.parquet"]
)
def test_a_file_of_another_size(run: Path, name: str) -> None:
    path = run / "05-web-pack" / name
    path.write_bytes(path.read_bytes()[:-1])
    refuses(run, f"05-web-pack/{name} has .* bytes, its manifest says")


def test_a_missing_file(run: Path) -> None:
    (run / "05-web-pack" / "tokens-00001.bin").unlink()
    refuses(run, r"tokens-00001\.bin is missing")


@pytest.mark.parametrize(
    ("shards", "names"),
    [
        pytest.param([0], ["a"], id="the first"),
        pytest.param([2], ["a"], id="the last of a token shard"),
        pytest.param([3], ["b"], id="the first of the next"),
        pytest.param([4, 1], ["a", "b"], id="several, in any order"),
        pytest.param([5], [], id="none has it"),
    ],
)
def test_parts_of_document_shards(shards: list[int], names: list[str]) -> None:
    parts: list[Any] = [{"name": "a", "shards": [0, 3]}, {"name": "b", "shards": [3, 2]}]
    assert [part["name"] for part in parts_of(parts, shards)] == names
