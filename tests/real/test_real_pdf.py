"""The text of listed PDF files: each has one, but for those whose note says why not."""

import json
import os
from pathlib import Path

import pytest

from tests.real.real_files import RealFile, real_files

FILES = os.environ.get("WINNOW_REAL_FILES", "")
LISTED = [file for file in real_files() if file.kind == "pdf"]

pytest.importorskip("pypdfium2")


@pytest.mark.skipif(not FILES, reason="WINNOW_REAL_FILES names no folder with the files; see tests/real/take.py")
@pytest.mark.parametrize("file", LISTED, ids=lambda file: f"{file.repository}/{file.path}")
def test_a_real_pdf_has_its_text(file: RealFile) -> None:
    from curation.extract.pdf.pdf_file import pdfium

    path = file.within(Path(FILES))
    if not path.exists():
        pytest.skip(f"{path} is missing")
    found = json.loads(pdfium(max_pages=5_000)(path.read_bytes()))
    assert (f"extract:{found['cause']}" if "cause" in found else "") == file.note
    assert bool(found.get("text")) == (not file.note)
