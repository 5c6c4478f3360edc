"""What the fit indexes, and which options it refuses."""

from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Indexes
from curation.fit.evalsets import Evalsets
from curation.models.evalsets.index import load
from curation.models.evalsets.sets import EvalSet
from tests.curation.models.evalsets import HENS, SHIPS, write_rows


def test_the_files_of_an_index(tmp_path: Path) -> None:
    one, other = (write_rows(tmp_path / f"{n}.jsonl", [{"question": text}]) for n, text in enumerate((HENS, SHIPS)))
    fit = Evalsets(sets={"b": EvalSet(files=one), "a": EvalSet(files=(other,))}, sizes=(8,))
    assert isinstance(fit, Indexes)
    assert fit.inputs() == {"b": (one,), "a": (other,)}
    for name, content in fit.index({"b": [one], "a": [other]}).items():
        (tmp_path / name).write_bytes(content)
    index = load(str(tmp_path / fit.asset))
    assert index.names.to_pylist() == ["b/0", "a/0"]
    assert index.sizes == (8,)


def test_every_file_is_looked_at_before_work(tmp_path: Path) -> None:
    good = write_rows(tmp_path / "a.jsonl", [{"question": HENS}])
    bad = write_rows(tmp_path / "b.jsonl", [{"q": HENS}])
    fit = Evalsets(sets={"own": EvalSet(files=(good, bad))})
    fit.check({"own": [good]})
    with pytest.raises(InputError, match=r"evaluation set own: cannot read .*b\.jsonl: .*question"):
        fit.check({"own": [good, bad]})


@pytest.mark.parametrize(
    ("sets", "sizes", "error"),
    [
        ({}, (8,), "sets is empty"),
        ({"a/b": EvalSet(files="x")}, (8,), "without a slash"),
        ({"a": EvalSet(files="x")}, (), "sizes is"),
        ({"a": EvalSet(files="x")}, (1,), "sizes is"),
        ({"a": EvalSet(files="x")}, (8, 8), "sizes is"),
    ],
)
def test_options(sets: dict[str, EvalSet], sizes: tuple[int, ...], error: str) -> None:
    with pytest.raises(RecipeError, match=error):
        Evalsets(sets=sets, sizes=sizes)
