"""What is changed in a page before a parser reads it: the same for all, and what each library needs beyond."""

from curation.extract.prepare.code_blocks import code_elements, lines_of_code, marked_code
from curation.extract.prepare.code_tables import tables_of_code
from curation.extract.prepare.data_rows import data_rows
from curation.extract.prepare.edits import Rule, edited
from curation.extract.prepare.inline import figures_with_text, dropped_by_trafilatura, words_in_sentences
from curation.extract.prepare.lists import list_numbers
from curation.extract.prepare.near_body import lists_near_body
from curation.extract.prepare.page_tags import page_tags
from curation.extract.prepare.scripts import without_readings, written_superscripts

SCANNED: tuple[Rule, ...] = (written_superscripts, without_readings, list_numbers)
"""Of our own scanner, which reads the rest as a browser does."""
PARSED: tuple[Rule, ...] = (*SCANNED, words_in_sentences, figures_with_text)
TRAFILATURA: tuple[Rule, ...] = (*PARSED, dropped_by_trafilatura, lines_of_code, code_elements)
RESILIPARSE: tuple[Rule, ...] = (*PARSED, data_rows, marked_code)
MAIN_CONTENT: tuple[Rule, ...] = (*RESILIPARSE, lists_near_body)


def prepared(page: bytes, rules: tuple[Rule, ...]) -> bytes:
    """A page in UTF-8 after the edits of the rules, which all see it as it is; tables of code become code before."""
    tags = page_tags(page)
    code = list(tables_of_code(page, tags))
    if code:
        page = edited(page, code)
        tags = page_tags(page)
    return edited(page, (edit for rule in rules for edit in rule(page, tags)))
