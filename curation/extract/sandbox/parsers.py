"""The parsers that run in the child process: each takes options and returns a function from a page's markup to its
text.

Each imports its library only when called, so that a child starts with one library and nothing else of this project.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from curation.extract.body_tree import without_code_marks, written
from curation.extract.normal_form import numbered

Parse: TypeAlias = Callable[[str], str]


def resiliparse(**options: Any) -> Parse:
    """Text of the rendered blocks; `options` are those of the library's `extract_plain_text`."""
    from curation.extract.rendered import rendered

    return lambda page: rendered(page, **options)


def trafilatura(*, fast: bool, min_fast_characters: int, focus: str, **parts: bool) -> Parse:
    """Text of the main content, with those of `parts` (comments, tables, links, formatting) that are true; `focus` is
    balanced, precision or recall."""
    import trafilatura as library

    def parse(html: str) -> str:
        # From a tree, because the library then works on a copy, which it walks faster: 7 % of all time (2026-11).
        tree = library.load_html(html)
        if tree is None:
            return ""
        text = _main_text(library, tree, fast, focus, parts)
        short = fast and len(text) < min_fast_characters
        return _main_text(library, tree, False, focus, parts) if short else text

    return parse


def etrafilatura(*, fast: bool, focus: str, **parts: bool) -> Parse:
    """Like `trafilatura`, with the library of that name."""
    import etrafilatura as library

    return lambda html: _main_text(library, html, fast, focus, parts)


def _main_text(library: Any, page: Any, fast: bool, focus: str, parts: Mapping[str, bool]) -> str:
    """What a library with Trafilatura's options finds in a page, "" if nothing; Markdown of its own with links or
    formatting."""
    options = {
        "fast": fast,
        "favor_precision": focus == "precision",
        "favor_recall": focus == "recall",
        **{f"include_{name}": wanted for name, wanted in parts.items()},
        "deduplicate": False,  # it remembers earlier pages: a page's text would depend on its neighbours
    }
    if parts["links"] or parts["formatting"]:
        return numbered(without_code_marks(library.extract(page, **options) or ""))
    document = library.bare_extraction(page, **options, output_format="xml")  # of text, it would write one too
    return "" if document is None else numbered(written(document.body, document.commentsbody))
