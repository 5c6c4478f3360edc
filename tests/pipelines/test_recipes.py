"""Every shipped recipe runs from archives to a mix, and a recipe that spells values out spells out the paper's.

Recipes of mixtures have their tests in `test_mixtures.py`.
"""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.engine.recipe.recipe import parse
from curation.engine.run.runner import curate
from curation.engine.run.session import Session
from curation.filters.language import LOW, Language
from tests.crawl import make_archives
from tests.curation.engine.conftest import ran as ran
from tests.pipelines.test_mixtures import MIXTURES

SHIPPED = sorted(path for path in Path("pipelines/curate").glob("*.yaml") if path.stem not in MIXTURES)
PAGES = 40


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    make_archives(folder, archives=1, pages=PAGES)
    return folder


def test_what_is_shipped() -> None:
    assert [path.stem for path in SHIPPED] == ["c4", "dclm", "demo", "fineweb", "gopher", "refinedweb"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.usefixtures("ran")
def test_runs_to_its_end(path: Path, crawl: Path, tmp_path: Path) -> None:
    curate(parse(path.read_text(), path.name, [f"{crawl}/*.warc.gz"]), str(tmp_path), Session())
    stages = {stage.name: stage for stage in Run.open(tmp_path).funnel().stages}
    assert stages["extract"].rows == PAGES
    assert 0 < stages["dedup"].kept < PAGES
    assert stages["dedup"].kept < stages["dedup"].rows
    before = [stage for stage in stages.values() if stage.verb.documents][-2]
    assert stages["tokenize"].rows == before.kept > 0


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_no_recipe_keeps_a_document_whose_windows_score_so_low_that_it_is_read_whole(path: Path) -> None:
    recipe = parse(path.read_text(), path.name)
    stages = [stage for stages in recipe.sources.values() for stage in stages]
    limits = [
        rule.at_least
        for stage in stages
        for _, part in stage.components
        if isinstance(part, Language)
        for rule in part.rules()
        if rule.signal == "score"
    ]
    assert limits
    assert min(limits) >= LOW


def test_gopher_spells_out_the_defaults() -> None:
    """The rule sets' own tests hold their defaults against the paper."""
    text = Path("pipelines/curate/gopher.yaml").read_text()
    recipe = parse(text, "gopher.yaml")
    (stage,) = (stage for stage in recipe.sources["web"] if stage.name == "gopher")
    for _, part in stage.components:
        assert part.rules() == type(part)().rules()
    spelt = {name for _, part in stage.components for name in vars(part) if name.startswith(("min_", "max_"))}
    assert [name for name in sorted(spelt) if f"{name}:" not in text] == ["max_symbols_per_word"]  # of other variants
