"""Blocks in elements that say that they are no main text."""

import numpy as np

from curation.extract.blocks.frames import Bools
from curation.extract.blocks.page import NODE, Page
from curation.extract.blocks.tags import NUMBER

_SIDE = np.array([NUMBER[name] for name in ("nav", "footer", "header", "aside", "menu")], np.uint8)


def aside(page: Page) -> Bools:
    """bool[B]: blocks that are or stand in an element of side matters."""
    own = np.isin(page.nodes.tag, _SIDE)
    for node in range(1, len(own)):
        own[node] |= own[page.nodes.parent[node]]
    within: Bools = own[page.blocks[:, NODE]]
    return within
