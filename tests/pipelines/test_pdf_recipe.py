"""A recipe that reads PDF files: from the files to sealed documents, and what it refuses before work."""

import re
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import RecipeError
from pipelines.api import Inline, curate
from tests.curation.pdf_files import pdf, shown

pytest.importorskip("pypdfium2")

RECIPE = """version: 1
name: papers
sources:
  papers:
    - read: {{pdf: {{paths: [{folder}], licence: CC0-1.0}}}}
"""


def curated(folder: Path, extract: str) -> Run:
    files = folder / "files"
    files.mkdir()
    (files / "a.pdf").write_bytes(pdf(shown((72, 700, "Tides turn.")), info={"Title": "Tides"}))
    (files / "b.pdf").write_bytes(pdf(b""))
    (files / "c.pdf").write_bytes(b"<html>")
    (folder / "papers.yaml").write_text(RECIPE.format(folder=files) + extract)
    return curate(folder / "papers.yaml", folder / "run", executor=Inline())


def test_files_become_documents_and_what_is_none_is_counted(tmp_path: Path) -> None:
    run = curated(tmp_path, "    - extract: {pdfium: {}}\n")
    manifest = run.stages[0].manifest
    assert manifest.merged("counts") == {"skipped.not_pdf": 1}
    assert (manifest.total("rows"), manifest.merged("dropped")) == (2, {"extract:no_text": 1})


@pytest.mark.parametrize(
    ("extract", "message"),
    [
        pytest.param("", "pdf yields PDF files: the next stage must be `- extract: {pdfium: {}}`", id="none"),
        pytest.param("    - extract: {resiliparse: {}}\n", "pdf yields PDF files here: take", id="of pages"),
    ],
)
def test_an_extractor_of_something_else_is_refused(extract: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        curated(tmp_path, extract)
