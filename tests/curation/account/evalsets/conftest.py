"""Runs without Ray."""

import pytest


@pytest.fixture
def node() -> None:
    """Runs go without Ray."""
