"""A folder is held by one run at a time, and free again afterwards."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.engine.run.lock import only_run


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with only_run(str(tmp_path / "run")):
        with pytest.raises(InputError, match="another winnow is running in"), only_run(str(tmp_path / "run")):
            pass
        with only_run(str(tmp_path / "other")):
            pass
    with only_run(str(tmp_path / "run")):
        pass


def test_a_file_uri_is_the_same_folder(tmp_path: Path) -> None:
    with (
        only_run(str(tmp_path / "run")),
        pytest.raises(InputError, match="another winnow"),
        only_run(f"file://{tmp_path}/run"),
    ):
        pass


def test_an_object_store_is_not_locked() -> None:
    with only_run("s3://bucket/run"), only_run("s3://bucket/run"):
        pass
