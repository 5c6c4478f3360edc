"""Runs that tests of this room only look into, each made once."""

import pytest

from curation.account.run import Run
from tests.curation.account.evalsets import curate


@pytest.fixture(scope="package")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Its contamination stage marks the planted items."""
    return Run.open(curate(tmp_path_factory.mktemp("marked")))


@pytest.fixture(scope="package")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Its contamination stage drops documents with an item."""
    return Run.open(curate(tmp_path_factory.mktemp("dropped"), action="drop"))


@pytest.fixture(scope="package")
def unchecked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """It has no evaluation sets."""
    return Run.open(curate(tmp_path_factory.mktemp("unchecked"), found=False))
