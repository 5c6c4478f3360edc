"""The leaves that a weight stands for, and the weights that are refused."""

import pytest

from curation.core.errors import RecipeError
from curation.tokens.mixing.weight_names import (
    SourceLabels,
    Split,
    check_covered,
    check_keys,
    check_stars,
    covers,
    key_of,
    overlap,
    several,
)
from tests.support import refusal

LEAVES = ["books", "web/de", "web/en", "web-x"]
UNKNOWN = SourceLabels()
TWO = SourceLabels(("en", "de", "other", "none"), ("en", "de"))  # a filter keeps two languages
ANY = SourceLabels(("en", "de", "other", "none"), ("en", "de", "other", "none"))


@pytest.mark.parametrize(
    ("key", "covered"),
    [
        ("web", ["web/de", "web/en"]),
        ("web/en", ["web/en"]),
        ("web-x", ["web-x"]),
        ("w", []),
        ("web/", []),
        ("", LEAVES),
    ],
)
def test_a_key_stands_for_a_leaf_or_what_is_below_it(key: str, covered: list[str]) -> None:
    assert [leaf for leaf in LEAVES if covers(key, leaf)] == covered


@pytest.mark.parametrize(
    ("leaf", "keys", "key"),
    [
        pytest.param("web/en", ["*/en", "others"], "*/en", id="a label of every source"),
        pytest.param("web/en", ["*/en", "web/en"], "web/en", id="its own name goes before a label of every source"),
        pytest.param("web/en", ["*/en", "web"], "web", id="its source too"),
        pytest.param("old/web/en", ["*/en"], "*/en", id="a label of another run"),
        pytest.param("en", ["*/en"], None, id="a source that is called like a label"),
        pytest.param("web/en-gb", ["*/en"], None, id="another label"),
        pytest.param("web/fr", ["*/en", "others"], "others", id="the rest"),
        pytest.param("books", ["web", "others"], "others", id="a source among the rest"),
        pytest.param("books", ["web"], None, id="no key"),
        pytest.param("books", [""], "", id="one group"),
    ],
)
def test_the_key_of_a_leaf(leaf: str, keys: list[str], key: str | None) -> None:
    assert key_of(leaf, keys) == key


@pytest.mark.parametrize(
    ("keys", "pair"),
    [
        (["web", "web-x", "books"], None),
        (["web/en", "web/de", "web/en-gb"], None),
        (["web-x", "web/en", "web"], ("web", "web/en")),
        (["old/web", "a", "old"], ("old", "old/web")),
        (["*/en", "web", "others", "*/de"], None),
    ],
)
def test_keys_that_stand_for_the_same(keys: list[str], pair: tuple[str, str] | None) -> None:
    assert overlap(keys) == pair


def test_every_key_needs_a_leaf_and_every_leaf_a_key() -> None:
    check_keys("weights", ["books", "web", "web-x"], LEAVES)
    check_covered(["books", "web", "web-x"], LEAVES)
    with pytest.raises(RecipeError, match=r"weights names 'web/fr', which no pack holds; did you mean 'web/"):
        check_keys("weights", ["web/fr"], LEAVES)
    with pytest.raises(
        RecipeError, match=r"no weight for source 'web/de'; give it one \(0 leaves it out\), or 'others' one"
    ):
        check_covered(["books", "web/en", "web-x"], LEAVES)


@pytest.mark.parametrize(
    "keys", [["*/en", "others"], ["web", "others"], ["others"], ["*/en", "*/de", "books", "web-x"]]
)
def test_labels_and_the_rest_cover_leaves(keys: list[str]) -> None:
    check_keys("weights", keys, LEAVES)
    check_covered(keys, LEAVES)


def test_a_label_that_no_source_has() -> None:
    with pytest.raises(RecipeError, match=r"weights names '\*/fr', which no pack holds"):
        check_keys("weights", ["*/fr"], LEAVES)
    with pytest.raises(RecipeError, match=r"weights names '\*/books', which no pack holds"):
        check_keys("weights", ["*/books"], LEAVES)


def test_a_source_called_others() -> None:
    with pytest.raises(RecipeError, match="weights names 'others', which also is a source here"):
        check_keys("weights", ["web", "others"], ["web", "others"])
    check_keys("weights", ["web"], ["web", "others"])


@pytest.mark.parametrize("key", ["*", "*/", "web/*", "w*", "*/en/x", "*en", "*/e n"])
def test_stars_elsewhere(key: str) -> None:
    with pytest.raises(RecipeError, match=r"phase 'a': .* has a \* that stands for nothing; `\*/en` is the label en"):
        check_stars(["web", key], "phase 'a': ")


def test_stars_that_stand_for_all_sources() -> None:
    check_stars(["*/en", "*/from_0.5", "web"])


@pytest.mark.parametrize(
    ("keys", "web", "message"),
    [
        pytest.param(["web/fr", "others"], UNKNOWN, None, id="labels are not known, the rest has a weight"),
        pytest.param(["web"], UNKNOWN, None, id="the whole source"),
        pytest.param(
            ["web/fr"], UNKNOWN, "source 'web' may have more labels than have a weight; give the", id="a rest"
        ),
        pytest.param(["*/fr"], UNKNOWN, "source 'web' may have more labels", id="of every source, a rest"),
        pytest.param(["web/en", "web/de"], TWO, None, id="all that arrive"),
        pytest.param(["*/en", "*/de"], TWO, None, id="all that arrive, of every source"),
        pytest.param(["web/en", "web/de", "web/none"], TWO, None, id="one more may be named"),
        pytest.param(["web/en"], TWO, "no weight for 'web/de'; give it one (0", id="one of two"),
        pytest.param(
            ["web/en", "web/de"], ANY, "no weight for 'web/other', 'web/none'; give it one (0", id="any arrives"
        ),
        pytest.param(["web/en", "others"], ANY, None, id="any arrives, and the rest has a weight"),
        pytest.param(["web/fr", "others"], TWO, "'web/fr', which no pack holds; did you mean 'web/", id="no label"),
    ],
)
def test_before_a_source_is_split(keys: list[str], web: SourceLabels, message: str | None) -> None:
    split: Split = {"web": web}
    refused = refusal(check_keys, "weights", keys, ["web"], split) or refusal(check_covered, keys, ["web"], split)
    assert (refused is None) if message is None else (message in str(refused)), refused


@pytest.mark.parametrize(
    ("key", "keys", "leaves", "split", "expected"),
    [
        ("web", ["web"], ["web"], {}, False),
        ("web", ["web"], ["web"], {"web": UNKNOWN}, True),
        ("web", ["web"], ["web/en", "web/de"], {}, True),
        ("web/en", ["web/en", "others"], ["web"], {"web": UNKNOWN}, False),
        ("*/en", ["*/en", "others"], ["web"], {"web": UNKNOWN}, False),
        ("*/en", ["*/en", "others"], ["web", "books"], {"web": UNKNOWN, "books": UNKNOWN}, True),
        ("*/en", ["*/en", "books"], ["web", "books"], {"web": UNKNOWN, "books": UNKNOWN}, False),
        ("*/en", ["*/en", "others"], ["web/en", "books/en"], {}, True),
        ("others", ["web", "others"], ["web", "books"], {}, False),
        ("others", ["web", "others"], ["web", "books", "code"], {}, True),
        ("others", ["web/en", "others"], ["web"], {"web": UNKNOWN}, True),
    ],
)
def test_whether_a_key_stands_for_several(
    key: str, keys: list[str], leaves: list[str], split: Split, expected: bool
) -> None:
    assert several(key, keys, leaves, split) is expected
