"""A run has the same bytes wherever its units are run, and what fails in one place is told as that place tells it."""

from pathlib import Path

import pytest

from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.executor.on_ray import OnRay
from tests.curation.engine.inputs import write_sources
from tests.runs import ENVIRONMENT, data_hashes, python, winnow

INLINE = """
import sys
from pipelines.cli import main
sys.argv = ["winnow", "curate", sys.argv[1], "--output", sys.argv[2], "--inline"]
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print(sorted({name.partition(".")[0] for name in sys.modules} & {"ray"}))
"""


@pytest.mark.slow
def test_equal_bytes_and_no_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe has a dedup, a fit, and what comes after them. `--inline` overrules an address."""
    recipe = tmp_path / "joined.yaml"
    recipe.write_text(write_sources(tmp_path))
    done = winnow("curate", recipe, "--output", tmp_path / "ray", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    monkeypatch.setitem(ENVIRONMENT, "RAY_ADDRESS", "nowhere:1")
    done = python(INLINE, str(recipe), str(tmp_path / "inline"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert data_hashes(tmp_path / "inline") == data_hashes(tmp_path / "ray") != {}


@pytest.mark.parametrize("executor", [Inline(), OnRay()])
def test_an_executor_is_a_context_that_may_have_nothing_to_do(executor: Executor) -> None:
    with executor as place:
        assert place.cores == 1
        place.check(())
