"""A corpus for all tests of this room that run a recipe on it, without Ray; equal runs are made once."""

from pathlib import Path

import pytest

from tests.curation.account.corpus import write_corpus
from tests.curation.engine.conftest import ran as ran


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


@pytest.fixture
def corpus(written: Path, ran: object) -> Path:
    """Folder of a small corpus, for `corpus.curate`; a test that changes a run copies it first."""
    return written
