"""Plots: what they can be written to."""

import pytest

from curation.core.errors import UserError
from pipelines.render.plots import check


def test_other_suffixes_are_refused() -> None:
    check("a/b.svg")
    with pytest.raises(UserError, match=r"--plot x\.pdf: expected a name that ends in \.png or \.svg"):
        check("x.pdf")
