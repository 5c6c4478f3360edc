"""A page after the edits of single rules."""

from curation.extract.prepare.edits import Rule, edited
from curation.extract.prepare.page_tags import page_tags


def rewritten(markup: str, *rules: Rule) -> str:
    page = markup.encode()
    tags = page_tags(page)
    return edited(page, (edit for rule in rules for edit in rule(page, tags))).decode()
