"""Normalised pointwise mutual information by hand."""

from math import log

import pyarrow as pa
import pytest

from curation.account.audit.associations import Blocks, associations, npmi, pair_index

GROUPS = {"cats": ("cat", "cats"), "dogs": ("dog",)}
ATTRIBUTES = {"mood": ("sly", "brave"), "cat": ("cat",)}


def block(*words: str) -> str:
    """A block of 20 words, the given ones first."""
    return " ".join([*words, *["x"] * (20 - len(words))])


def blocks_of(*texts: str | None) -> Blocks:
    index = pair_index(GROUPS, ATTRIBUTES)
    blocks = Blocks.of(2, len(index.names))
    for text in texts:
        blocks.add(index, index.places(pa.chunked_array([pa.array([text], pa.large_string())])))
    return blocks


@pytest.mark.parametrize(
    ("both", "group", "attribute", "blocks", "value"),
    [
        pytest.param(2, 2, 2, 8, 1.0, id="only together"),
        pytest.param(2, 4, 4, 8, 0.0, id="independent"),
        pytest.param(1, 4, 4, 8, log(0.5) / log(8), id="half as often as by chance"),
        pytest.param(0, 4, 4, 8, None, id="never"),
        pytest.param(8, 8, 8, 8, 0.0, id="always"),
    ],
)
def test_by_hand(both: int, group: int, attribute: int, blocks: int, value: float | None) -> None:
    found = npmi(both, group, attribute, blocks)
    assert found == (value if value is None else pytest.approx(value))


def test_blocks_are_of_20_words_and_end_with_the_text() -> None:
    # Blocks: cat sly | dog sly; then a text of 3 words: cats brave cat
    blocks = blocks_of(f"{block('cat', 'sly')} {block('dog', 'sly')}", "cats brave cat", None, "")
    assert blocks.total == 3
    assert blocks.single.tolist() == [2, 1, 2, 1, 2]
    assert blocks.joint.tolist() == [[1, 1, 2], [1, 0, 0]]


def test_texts_together_are_texts_alone() -> None:
    texts = [f"{block('cat', 'sly')} dog", "cats brave cat", "dog brave", block("sly", "brave", "cat")]
    index = pair_index(GROUPS, ATTRIBUTES)
    together = Blocks.of(2, len(index.names))
    together.add(index, index.places(pa.chunked_array([pa.array(texts)])))
    alone = blocks_of(*texts)
    assert together.total == alone.total == 5
    assert together.joint.tolist() == alone.joint.tolist() == [[2, 2, 3], [0, 1, 0]]


def test_report_has_counts_and_leaves_out_a_groups_own_terms() -> None:
    before = blocks_of(f"{block('cat', 'sly')} {block('dog', 'sly')}", "cats brave cat")
    after = blocks_of("cats brave cat")
    found = {(each.group, each.attribute): each for each in associations(before, after, GROUPS, ATTRIBUTES)}
    assert set(found) == {("cats", "sly"), ("cats", "brave"), ("dogs", "sly")}
    sly = found["cats", "sly"]
    assert (sly.theme, sly.before.both, sly.before.group, sly.before.attribute, sly.before.blocks) == (
        "mood",
        1,
        2,
        2,
        3,
    )
    assert sly.before.npmi == pytest.approx(log(3 / 4) / log(3))
    assert (sly.after.both, sly.after.npmi) == (0, None)
