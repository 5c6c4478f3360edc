"""Renders a page with Resiliparse in the normal form.

The library renders whitespace itself, but its text says nowhere what is preformatted, whose tabs and indents look like
those of tables and lists, it breaks a table's row at every block and <br> in a cell, and numbers every list from 1. So
pages are changed before, by `curation.extract.prepare`, and the marks from there are read here.
"""

from typing import Any

from resiliparse.extract.html2text import extract_plain_text

from curation.extract.marks import GUARD
from curation.extract.normal_form import formed, numbered


def rendered(page: str, **options: Any) -> str:
    """The text of a prepared page; `options` are those of the library's `extract_plain_text`."""
    return numbered(formed(extract_plain_text(page, **options))).replace(GUARD, "")
