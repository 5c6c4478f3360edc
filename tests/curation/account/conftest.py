"""A corpus for all tests of this room that run a recipe on it, without Ray; equal runs are made once."""

from pathlib import Path

import pytest

from tests.curation.account import cards
from tests.curation.account.corpus import write_corpus
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


@pytest.fixture
def corpus(written: Path) -> Path:
    """Folder of a small corpus, for `corpus.curate`; a test that changes a run copies it first."""
    return written


@pytest.fixture(scope="session")
def carded_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards")
    cards.write_sources(folder)
    return folder


@pytest.fixture
def carded(carded_sources: Path) -> str:
    """The run of `cards` with tokens; a test that changes it copies it first."""
    return cards.run_recipe(carded_sources, cards.RECIPE + cards.TOKENS)


@pytest.fixture
def untokenized(carded_sources: Path) -> str:
    """The same without tokens: its last stage drops documents."""
    return cards.run_recipe(carded_sources, cards.RECIPE, "untokenized")
