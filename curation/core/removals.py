"""Documents that were taken down elsewhere and stay out of a run: in another run, or by the list that a recipe names.

A removal keeps names only: hashes of texts, hashes of URLs and the doc_ids of a list. No text can be read back from
them. The doc_ids of another run are not among them: a doc_id says where a record stands in a file, and next month's
file of that name has another record there.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class KnownTakedown:
    """One takedown of another run, or a list. `texts` and `urls` are hashes of 32 hex digits, as `text_hashes` and
    `page_names` make them; `documents` is how many documents or pages it names."""

    of: str  # the run's folder, or the list as the recipe names it: a job of a cluster unpacks it elsewhere each time
    when: str  # of the takedown, ISO 8601; empty for a list
    doc_ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    documents: int = 0

    def names(self, doc_id: str | None, text_hash: str | None, url: str | None) -> bool:
        """Whether it names the document with this id, hash of its text, and hash of its URL."""
        return doc_id in self.doc_ids or text_hash in self.texts or url in self.urls


def merged(before: Iterable[KnownTakedown], now: Iterable[KnownTakedown]) -> tuple[KnownTakedown, ...]:
    """Both, each takedown once; what a list or a run named before stays, also once it is gone from there."""
    found = {(removal.of, removal.when): removal for removal in before}
    for removal in now:
        known = found.get((removal.of, removal.when), removal)
        doc_ids = _each_once(known.doc_ids, removal.doc_ids)
        texts = _each_once(known.texts, removal.texts)
        urls = _each_once(known.urls, removal.urls)
        documents = max(known.documents, removal.documents) if removal.when else len(doc_ids) + len(urls)
        found[removal.of, removal.when] = KnownTakedown(removal.of, removal.when, doc_ids, texts, urls, documents)
    return tuple(found.values())


def _each_once(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
