"""Dropout: its share, its scale, and zeros that follow from key, site, place and channel alone."""

import torch

from training.models.blocks.dropout import DropoutKeys, dropout

KEYS = DropoutKeys(torch.tensor([7, 8, -(2**63), 2**63 - 1]))


def test_a_share_is_zero_and_the_rest_scaled() -> None:
    dropped = dropout(torch.ones(4, 200, 200), 0.2, KEYS, 3)
    assert dropped.unique().tolist() == [0.0, 1.25]
    share = (dropped == 0).float().mean(dim=(1, 2))
    assert ((share - 0.2).abs() < 4 * (0.2 * 0.8 / 40_000) ** 0.5).all()  # four standard deviations
    by_place = (dropped == 0).float().mean(dim=2).flatten()
    by_channel = (dropped == 0).float().mean(dim=1).flatten()
    for shares in (by_place, by_channel):  # 200 draws each: their deviation is that of independent ones
        assert 0.8 < float(shares.std() / (0.2 * 0.8 / 200) ** 0.5) < 1.2


def test_a_row_is_the_same_in_any_batch_and_another_with_any_other_key_or_site() -> None:
    x = torch.ones(4, 50, 20)
    whole = dropout(x, 0.5, KEYS, 0)
    assert torch.equal(dropout(x[1:3, :30], 0.5, DropoutKeys(KEYS.rows[1:3]), 0), whole[1:3, :30])
    assert len({tuple(row.flatten().tolist()) for row in whole}) == 4
    assert not torch.equal(dropout(x, 0.5, KEYS, 1), whole)
    agreement = (whole[0] == whole[1]).float().mean()  # of neighbouring keys: that of chance
    assert 0.4 < float(agreement) < 0.6


def test_it_is_nothing_without_keys_or_rate() -> None:
    x = torch.ones(4, 2, 2)
    assert dropout(x, 0.5, None, 0) is x
    assert dropout(x, 0.0, KEYS, 0) is x
    assert dropout(x.bfloat16(), 0.5, KEYS, 0).dtype == torch.bfloat16
