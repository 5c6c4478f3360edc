"""Settings of every test run, and one finished run that many tests look into.

Hypothesis tries the same examples each time and is never judged by the clock.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.runs import winnow, write_recipe

settings.register_profile("winnow", deadline=None, derandomize=True)
settings.load_profile("winnow")


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder with `small.yaml`, its `crawl/`, and `run/`, which the recipe was run into. Whoever changes it copies it:
    it is looked at again after the last test."""
    folder = tmp_path_factory.mktemp("finished")
    recipe = write_recipe(folder)
    done = winnow("curate", recipe, "--output", folder / "run", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    made = _files(folder)
    yield folder
    assert _files(folder) == made, "a test has changed the run that all others look into"


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in folder.rglob("*") if p.is_file()}
