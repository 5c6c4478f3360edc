"""The sweep over slow texts: every component is in it, and texts have the size that was asked for."""

from pathlib import Path

import pytest

from curation.core import catalog
from curation.core.verbs import DEDUP, FILTER, REWRITE
from tests.sweep.slow_texts import TEXTS
from tests.sweep.swept import Swept, names


def test_every_component_is_swept() -> None:
    swept = {name.partition(" ")[0] for name in names()}
    assert swept == {f"{verb.name}.{key}" for verb in (FILTER, REWRITE, DEDUP) for key in catalog.known(verb)}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_has_about_the_size_asked_for(name: str) -> None:
    assert 900_000 <= len(TEXTS[name](1_000_000)) <= 1_010_000


@pytest.mark.parametrize("name", ["filter.text_left", "rewrite.c4_lines (dolma)", "dedup.exact"])
def test_a_component_runs_on_a_text(name: str, tmp_path: Path) -> None:
    Swept(name, tmp_path).run(TEXTS["bytes that are no UTF-8"](1_000))
