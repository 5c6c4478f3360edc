"""A page after the edits of one rule."""

from collections.abc import Callable, Iterable

from curation.extract.prepare.edits import Edit, edited
from curation.extract.prepare.page_tags import PageTags, page_tags


def rewritten(markup: str, rule: Callable[[bytes, PageTags], Iterable[Edit]]) -> str:
    page = markup.encode()
    return edited(page, rule(page, page_tags(page))).decode()
