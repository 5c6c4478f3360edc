"""Features: each has a number, they say of a page what it shows, and crafted names cost them no time."""

import numpy as np

from curation.extract.blocks.feature_names import COUNT, FEATURES
from curation.extract.blocks.features import features
from curation.extract.blocks.page import CHARACTERS, LINK_CHARACTERS, START, STOP, WIDE, Page
from curation.extract.blocks.scanner import scan
from curation.extract.blocks.sums import path_hashes, sum_blocks, weight
from tests.curation.extract.articles import ARTICLE, STORY

LIMITS = {"max_nodes": 5_000, "max_depth": 60, "max_attributes": 50}


def scanned(markup: str) -> Page:
    return scan(markup.encode(), **LIMITS)


def told(page: Page, text: str) -> dict[str, float]:
    """The features of the block with this text."""
    texts = [page.text[row[START] : row[STOP]].tobytes().decode() for row in page.blocks]
    return dict(zip(FEATURES, features(page.nodes, page.blocks)[:, texts.index(text)].tolist(), strict=True))


def test_names_are_one_to_a_row() -> None:
    assert len(set(FEATURES)) == COUNT == len(features(*scanned(ARTICLE)[:2]))
    assert features(*scanned("")[:2]).shape == (COUNT, 0)


def test_every_one_is_a_number_and_most_tell_blocks_apart() -> None:
    page = scanned(ARTICLE)
    rows = features(page.nodes, page.blocks)
    assert np.isfinite(rows).all()
    assert (np.ptp(rows, axis=1) > 0).sum() > COUNT / 2


def test_a_paragraph_of_an_article_and_an_item_of_the_navigation() -> None:
    page = scanned(ARTICLE)
    own = told(page, STORY[0])
    assert own["characters"] == len(STORY[0])
    assert own["words"] == len(STORY[0].split())
    assert (own["in article"], own["in nav"], own["links"], own["levels to prose"]) == (1, 0, 0, 0)
    assert (own["path blocks"], own["from heading"], own["headings"]) == (3, 1, 1)
    assert own["place"] == np.float32(4 / 8)
    item = told(page, "news")
    assert (item["in article"], item["in nav"], item["in list"], item["links"]) == (0, 1, 1, 1)
    assert item["alike 0 up"] in (1, 3)
    assert item["levels to prose"] > 0


def test_what_elements_hold_adds_up() -> None:
    page = scanned(ARTICLE)
    sums = sum_blocks(page.nodes, page.blocks)
    assert sums.blocks[0] == len(page.blocks)
    assert sums.prose[0] == sum(map(len, STORY))
    assert sums.paragraphs[0] == 3


def test_equal_paths_have_equal_hashes_and_others_do_not() -> None:
    page = scanned("<ul><li class=a>x<li class=a>y<li class=b>z</ul>")
    hashes = path_hashes(page.nodes)[-3:]
    assert hashes[0] == hashes[1] != hashes[2]


def test_wide_characters_weigh_three_and_their_links_as_much_more() -> None:
    blocks = np.zeros((3, scanned(ARTICLE).blocks.shape[1]), np.int32)
    blocks[0, [CHARACTERS, LINK_CHARACTERS]] = 10, 4
    blocks[1, [CHARACTERS, LINK_CHARACTERS, WIDE]] = 10, 4, 5  # 5 narrow ones and 5 of three: 20
    assert weight(blocks, 0) == (10, 4)
    assert weight(blocks, 1) == (20, 8)
    assert weight(blocks, 2) == (1, 0)
