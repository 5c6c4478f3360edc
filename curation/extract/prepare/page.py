"""Changes a page before a parser reads it: shared rules, and further ones for each library."""

from curation.extract.prepare.cell_lists import lists_in_cells
from curation.extract.prepare.code_blocks import code_elements, lines_of_code, marked_code
from curation.extract.prepare.code_tables import tables_of_code
from curation.extract.prepare.data_rows import data_rows
from curation.extract.prepare.edits import PageRule, changed
from curation.extract.prepare.inline import dropped_by_trafilatura, figures_with_text, words_in_sentences
from curation.extract.prepare.lists import list_numbers
from curation.extract.prepare.names import NAMED, misleading_names
from curation.extract.prepare.near_body import lists_near_body
from curation.extract.prepare.page_tags import elements, page_tags
from curation.extract.prepare.scripts import without_readings, written_superscripts

SCANNED: tuple[PageRule, ...] = (
    PageRule(written_superscripts, elements("sup")),
    PageRule(without_readings, elements("rt rp rtc")),
    PageRule(list_numbers, elements("ol")),
)
"""Rules for our own scanner, which reads everything else as a browser does."""
PARSED: tuple[PageRule, ...] = (
    *SCANNED,
    PageRule(words_in_sentences, elements("time label button")),
    PageRule(figures_with_text, elements("figure")),
)
TRAFILATURA: tuple[PageRule, ...] = (
    *PARSED,
    PageRule(dropped_by_trafilatura, elements("q code")),
    PageRule(lines_of_code, elements("pre")),
    PageRule(code_elements, elements("pre")),
    PageRule(lists_in_cells, elements("td th")),
)
RESILIPARSE: tuple[PageRule, ...] = (
    *PARSED,
    PageRule(data_rows, elements("table")),
    PageRule(marked_code, elements("pre")),
)
MAIN_CONTENT: tuple[PageRule, ...] = (
    *RESILIPARSE,
    PageRule(lists_near_body, elements("ul")),
    PageRule(misleading_names, NAMED),
)

_TABLES_OF_CODE = PageRule(tables_of_code, elements("table"))  # before all others, which then see code


def prepared(page: bytes, rules: tuple[PageRule, ...]) -> bytes:
    """A page in UTF-8 after the edits of the rules."""
    tags = page_tags(page)
    code = changed(page, tags, _TABLES_OF_CODE)
    if code is not page:
        page = code
        tags = page_tags(page)
    return changed(page, tags, *rules)
