"""Dropout whose zeros follow from a key of the row, the place in it, the channel and the site in the model: the same in
whichever batch and process the row is, and again when a block is recomputed. B rows, L places, D width.
"""

import torch
from torch import Tensor

BITS = 24  # of the uniform number
SITES = 4  # of a block, at most


def block_keys(keys_B: Tensor | None, block: int) -> Tensor | None:
    """The keys of a block's rows; -1 stands for what is before the first one."""
    return None if keys_B is None else _mixed(keys_B) + block * SITES


def dropout(x_BLD: Tensor, rate: float, keys_B: Tensor | None, site: int) -> Tensor:
    """x with a share `rate` of its elements set to 0 and the others scaled up; x itself without keys. Each use in a
    block has another `site` below SITES."""
    if not rate or keys_B is None:
        return x_BLD
    _, length, width = x_BLD.shape
    place_L = torch.arange(length, device=x_BLD.device)
    channel_D = torch.arange(width, device=x_BLD.device)
    row_BL = _mixed(_mixed(keys_B + site)[:, None] + place_L)
    kept = _mixed(row_BL[:, :, None] + channel_D) & ((1 << BITS) - 1) >= rate * (1 << BITS)
    return x_BLD * kept.to(x_BLD.dtype) / (1 - rate)


def _mixed(x: Tensor) -> Tensor:
    """int64: neighbours far apart. The finaliser of Steele et al. 2014, "SplittableRandom", in signed numbers."""
    x = x * -7046029254386353131
    x = (x ^ (x >> 30)) * -4658895280553007687
    x = (x ^ (x >> 27)) * -7723592293110705685
    return x ^ (x >> 31)
