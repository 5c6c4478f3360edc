"""The mixture as the run's manifest has it, of the first format too."""

from pathlib import Path

import numpy as np
import pytest

from curation.account.funnel import funnel, open_stages
from curation.account.mixture import mixture
from curation.tokens.shards import TokenData
from tests.curation.account.cards import copied, edit_json


def test_mixture(carded: str) -> None:
    found = mixture(open_stages(carded)[1])
    assert found is not None
    assert (found.seed, found.row_tokens, found.other_runs) == (0, 33, ())
    (phase,) = found.phases
    assert (phase.name, phase.short, phase.tokens) == ("mix", False, sum(line.tokens for line in found.lines))
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


def test_a_mix_of_the_first_format(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    (path,) = run.glob("*-mix-*/_manifest.json")
    line = {"source": "web", "weight": 1.0, "target_tokens": 320.0, "tokens": 320, "rows": 10, "available_rows": 40}
    edit_json(path, mix={"seed": 7, "row_tokens": 33, "packs": ["07-pack-ae463b0b"], "report": [line]})
    found = mixture(open_stages(str(run))[1])
    assert found is not None
    (one,) = found.lines
    assert (one.phase, one.epochs, one.capped) == ("", 0.25, False)
    assert found.phases == ()


def test_the_funnel_ends_with_it(carded: str, untokenized: str) -> None:
    assert funnel(carded).mixture == mixture(open_stages(carded)[1])
    assert funnel(untokenized).mixture is None
