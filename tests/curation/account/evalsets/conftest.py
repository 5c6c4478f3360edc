"""Runs without Ray."""

import pytest

from tests.curation.engine.conftest import ran  # noqa: F401  (a fixture)


@pytest.fixture
def node(ran: object) -> None:  # noqa: F811
    """Runs go without Ray."""
