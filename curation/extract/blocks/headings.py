"""The headings of a page, of which one may be its title."""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.page import NODE, START, STOP, Page
from curation.extract.blocks.tags import NUMBER
from curation.extract.headline import MAX_HEADINGS, MAX_TITLE

_H1 = NUMBER["h1"]


def headings(page: Page) -> Iterator[str]:
    """The text of each <h1> in one line, as `headline` reads them from markup."""
    parents = page.nodes.parent
    within = page.blocks[:, NODE]
    for node in np.flatnonzero(page.nodes.tag == _H1)[:MAX_HEADINGS]:
        after = np.flatnonzero(
            parents[node + 1 :] < node
        )  # elements begin in order: from the first of these on, outside
        end = node + 1 + after[0] if after.size else len(parents)
        own = page.blocks[(within >= node) & (within < end)]
        text = b" ".join(page.text[block[START] : block[STOP]].tobytes() for block in own)
        line = " ".join(text.decode().split())
        if 0 < len(line) <= MAX_TITLE:
            yield line
