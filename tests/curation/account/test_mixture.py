"""The mixture as the run's manifest has it."""

import numpy as np
import pytest

from curation.account.mixture import mixture
from curation.account.run import Run
from curation.tokens.shards import TokenData


def test_mixture(carded: str) -> None:
    found = mixture(Run.open(carded).stages)
    assert found is not None
    assert (found.seed, found.row_tokens, found.other_runs) == (0, 33, ())
    (phase,) = found.phases
    assert (phase["name"], phase["short"], phase["tokens"]) == ("mix", False, sum(line.tokens for line in found.lines))
    weights = {line.source: line.weight for line in found.lines}
    assert weights == {"web": 0.75, "books": 0.25}
    data = TokenData.open(carded)
    batch = data.read(0, data.rows)
    labels = np.count_nonzero(batch.segment_ids[:, 1:], axis=1)
    assert {line.source: line.tokens for line in found.lines} == {
        source: labels[[one == source for one in batch.sources]].sum() for source in weights
    }
    for line in found.lines:
        assert line.epochs == pytest.approx(line.rows / line.available_rows)
        assert abs(line.tokens - line.target_tokens) <= 32


def test_the_funnel_ends_with_it(carded: str, untokenized: str) -> None:
    assert Run.open(carded).funnel().mixture == mixture(Run.open(carded).stages)
    assert Run.open(untokenized).funnel().mixture is None
