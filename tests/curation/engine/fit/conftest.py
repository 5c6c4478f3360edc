"""Makes the fits of `toys.py` keys of recipes."""

from importlib.metadata import EntryPoint

import pytest

from curation.core import catalog

TOYS = ("Listed", "Plain", "Words", "Labelled")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {name.lower(): f"tests.curation.engine.fit.toys:{name}" for name in TOYS}
    installed = {key: EntryPoint(key, value, catalog.GROUP) for key, value in entries.items()}
    monkeypatch.setattr(catalog, "_installed", lambda: installed)
