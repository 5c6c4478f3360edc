"""The plot: a PNG of three panels, the same for the same figures, whatever they are."""

import struct

import numpy as np
import pytest

from curation.models.classifier.evaluation import evaluate
from curation.models.classifier.plot import png


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([0.9, 0.8, 0.3, 0.1], id="spread"),
        pytest.param([0.5, 0.5, np.nan, np.nan], id="equal, and without words"),
    ],
)
def test_a_plot(scores: list[float]) -> None:
    values = np.array(scores)
    positive = np.array([True, False, True, False])
    content = png("a title", values, positive, evaluate(values, positive))
    width, height = struct.unpack(">II", content[16:24])
    assert 1500 < width < 2500
    assert 400 < height < 700
    assert png("a title", values, positive, evaluate(values, positive)) == content
