"""Dropout whose zeros follow from a key of the row, the place in it, the channel and the site in the model: the same in
whichever batch and process the row is, and again when a block is recomputed. B rows, L places, D width.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from training.batch import Batch

BITS = 24  # of the uniform number
SITES = 4  # of a block, at most


class DropoutKeys(NamedTuple):
    """What zeros follow from, besides channel and site."""

    rows: Tensor  # int64[B]
    places: Tensor | None = None  # int64[L], where in the row each place is; None: 0 … L - 1


def block_keys(batch: Batch, block: int) -> DropoutKeys | None:
    """The keys of a block; -1 stands for what is before the first one. None: there is no dropout."""
    return None if batch.keys is None else DropoutKeys(_mixed(batch.keys) + block * SITES, batch.own_places)


def dropout(x_BLD: Tensor, rate: float, keys: DropoutKeys | None, site: int) -> Tensor:
    """x with a share `rate` of its elements set to 0 and the others scaled up; x itself without keys. Each use in a
    block has another `site` below SITES."""
    if not rate or keys is None:
        return x_BLD
    _, length, width = x_BLD.shape
    place_L = torch.arange(length, device=x_BLD.device) if keys.places is None else keys.places
    channel_D = torch.arange(width, device=x_BLD.device)
    row_BL = _mixed(_mixed(keys.rows + site)[:, None] + place_L)
    kept = _mixed(row_BL[:, :, None] + channel_D) & ((1 << BITS) - 1) >= rate * (1 << BITS)
    return x_BLD * kept.to(x_BLD.dtype) / (1 - rate)


def _mixed(x: Tensor) -> Tensor:
    """int64: neighbours far apart. The finaliser of Steele et al. 2014, "SplittableRandom", in signed numbers."""
    x = x * -7046029254386353131
    x = (x ^ (x >> 30)) * -4658895280553007687
    x = (x ^ (x >> 27)) * -7723592293110705685
    return x ^ (x >> 31)
