"""Reads a file of PDF in this process, without the child that a run has."""

import json
from typing import Any

from curation.extract.pdf.pdf_file import pdfium
from tests.curation.pdf_files import pdf


def text(*contents: bytes, **options: Any) -> str:
    """The text of a file with these pages."""
    found = json.loads(pdfium(max_pages=100)(pdf(*contents, **options)))["text"]
    assert isinstance(found, str)
    return found
