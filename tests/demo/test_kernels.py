"""The few pages that kernels are compiled with beside the crawl pass through every stage of the demo's recipe."""

import pytest

from demo import kernels


def test_the_pages_pass_through_every_stage_of_the_demo() -> None:
    assert kernels.main([]) == 0


def test_a_recipe_that_is_not_there_is_an_error() -> None:
    with pytest.raises(Exception, match="nowhere"):
        kernels.main(["nowhere"])
