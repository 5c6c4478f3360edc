"""Settings of every test run, and one finished run that many tests look into.

Hypothesis tries the same examples each time and is never judged by the clock.
"""

from pathlib import Path

import pytest
from hypothesis import settings

from tests.runs import winnow, write_recipe

settings.register_profile("winnow", deadline=None, derandomize=True)
settings.load_profile("winnow")


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with `small.yaml`, its `crawl/`, and `run/`, which the recipe was run into."""
    folder = tmp_path_factory.mktemp("finished")
    recipe = write_recipe(folder)
    done = winnow("curate", recipe, "--output", folder / "run", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    return folder
