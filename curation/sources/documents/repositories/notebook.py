"""A Jupyter notebook as text: its Markdown as it is, its code in fences, without outputs.

Source: the notebook format, nbformat 4 (and 3, whose cells are in worksheets).
"""

import json
from collections.abc import Iterator
from typing import Any

from curation.core.names import whole_text
from curation.core.wording import fence


def notebook_text(content: bytes) -> str | None:
    """The cells in order, apart by a blank line; None if the bytes are no notebook."""
    try:
        notebook = json.loads(content)
        language = _language(notebook)
        text = "\n\n".join(text for cell in _cells(notebook) if (text := _text(cell, language)))
        return whole_text(text)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "worksheets" in notebook:
        for sheet in notebook["worksheets"]:
            yield from sheet["cells"]
    else:
        yield from notebook["cells"]


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata") or {}
    named = metadata.get("language_info") or metadata.get("kernelspec") or {}
    return str(named.get("name" if "language_info" in metadata else "language") or "")


def _text(cell: dict[str, Any], language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(source).strip("\n")
    if cell["cell_type"] != "code" or not text:
        return text
    around = fence(text)
    return f"{around}{language}\n{text}\n{around}"
