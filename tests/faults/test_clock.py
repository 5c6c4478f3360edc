"""A clock that jumps by a day, forward and back: the run has the bytes of an undisturbed one, and no lease is lost."""

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.core import lease, storage
from curation.core.errors import WinnowError
from curation.core.run_lock import only_run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources
from tests.noting import Noting
from tests.runs import data_hashes

DAY = 86_400.0


def jumping() -> Callable[[], float]:
    """The time, a day ahead or behind at every other look."""
    now = time.time
    days = itertools.cycle((DAY, -DAY))
    return lambda: now() + next(days)


@pytest.mark.slow
def test_a_clock_that_jumps_between_and_in_attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = parse(write_sources(tmp_path), "m.yaml")
    runner.curate(recipe, str(tmp_path / "undisturbed"), Inline())
    monkeypatch.setattr(time, "time", jumping())
    write = storage.write_bytes

    def full(uri: str, content: bytes) -> None:
        if "tokenize-" in uri:
            raise OSError(28, "No space left on device", uri)
        write(uri, content)

    with monkeypatch.context() as patched:
        patched.setattr(storage, "write_bytes", full)
        with pytest.raises((WinnowError, OSError), match="No space left"):
            runner.curate(recipe, str(tmp_path / "run"), Inline())
    runner.curate(recipe, str(tmp_path / "run"), Inline())
    assert data_hashes(tmp_path / "run") == data_hashes(tmp_path / "undisturbed")
    noting = Noting()
    runner.curate(recipe, str(tmp_path / "run"), noting)
    assert noting.ran == [], "what is sealed stays sealed, whatever time it is"


def test_a_lease_is_kept_while_the_clock_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", jumping())
    monkeypatch.setattr(lease, "RENEW", 0.01)
    storage.make_folder("memory://clock/run")
    with only_run("memory://clock/run") as claim:
        for number in range(20):
            time.sleep(0.01)
            storage.write_bytes(f"memory://clock/run/{number}", b"")
        epoch, now = lease.current("memory://clock/run")
    assert now is not None
    assert (epoch, now.token) == (1, claim.token)
