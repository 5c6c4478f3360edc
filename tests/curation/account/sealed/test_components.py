"""Filters and rewriters are rebuilt as they ran; one that is gone is named."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.account.sealed.components import check_files, components_of
from curation.core.errors import InputError
from curation.filters.c4_quality import C4Quality
from curation.filters.fineweb_quality import FinewebQuality
from curation.filters.gopher_quality import GopherQuality
from curation.rewrite.unicode import Unicode
from tests.curation.account.corpus import curate, curate_sources


def test_of_chains_and_of_joined_stages(corpus: Path) -> None:
    run = curate_sources(corpus)
    assert components_of(run, run.stage("two-gopher_quality")) == {
        "gopher_quality": GopherQuality(min_words=80, min_stop_words=0)
    }
    assert components_of(run, run.stage("quality")) == {
        "c4_quality": C4Quality(min_sentences=3),
        "fineweb_quality": FinewebQuality(max_duplicate_line_characters=0.1, max_short_lines=0.67),
    }
    assert components_of(run, run.stage("unicode")) == {"unicode": Unicode()}


def test_a_component_that_this_winnow_does_not_have(corpus: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(curate_sources(corpus).folder, tmp_path / "run")
    for file in [folder / "run.json", *folder.glob("*-unicode-*/_manifest.json")]:
        file.write_text(file.read_text().replace('"unicode"', '"unicorn"'))
    run = Run.open(str(folder))
    (stage,) = (stage for stage in run.stages if stage.verb.edits)
    with pytest.raises(InputError, match="no rewrite 'unicorn'"):
        components_of(run, stage)


def test_a_recorded_recipe_that_lacks_a_stage(corpus: Path) -> None:
    run = curate_sources(corpus)
    joined = [stage for stage in run.record.recipe["joined"] if "filter" not in stage]
    damaged = replace(run, record=replace(run.record, recipe={**run.record.recipe, "joined": joined}))
    with pytest.raises(InputError, match=r"run\.json lacks a filter stage that was sealed; restore it"):
        components_of(damaged, damaged.stage("quality"))


def test_a_file_that_is_another_now(corpus: Path, tmp_path: Path) -> None:
    run = curate(corpus)
    stage = run.stage("language")
    components = components_of(run, stage)
    check_files(stage, components)
    (tmp_path / "other.bin").write_bytes(b"x")
    with pytest.raises(InputError, match=r"other.bin \(language.model\) is not the file that language read"):
        check_files(stage, {"language": Loads(str(tmp_path / "other.bin"))})


class Loads:
    def __init__(self, path: str) -> None:
        self.path = path

    def assets(self) -> dict[str, str]:
        return {"model": self.path}
