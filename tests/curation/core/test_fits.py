"""What an option for examples says, and what it cannot say."""

from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.core.fits import Examples


def test_paths_and_mappings() -> None:
    assert Examples.of("a.jsonl") == Examples(files=("a.jsonl",))
    assert Examples.of(("a", "b")) == Examples(files=("a", "b"))
    examples = Examples(chain="books")
    assert Examples.of(examples) is examples


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"files": ("a",), "chain": "b"}, "files and chain are both given"),
        ({"where": "a > 1"}, "text, where and label are of files"),
        ({"chain": "b", "label": "c"}, "text, where and label are of files"),
        ({"files": ("a",), "text": ""}, "text is empty"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Examples(**options)
