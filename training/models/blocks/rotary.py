"""Positions, and rotary position embedding: pairs of a head's elements turn by an angle that grows with the position.

Source: Su et al. 2021, "RoFormer" (arXiv:2104.09864). A pair has one element from each half of a head, as in published
Llama weights. Tables are made once for a batch and kept nowhere. B rows, L places, E width of a head.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from training.batch import Batch


class Rotary(NamedTuple):
    """Of each place: float32[B or 1, 1, L, E / 2]."""

    cos: Tensor
    sin: Tensor


def positions(batch: Batch) -> Tensor:
    """int64[B or 1, L]: of each input, how many are before it in its segment; in the row if there are no segments."""
    own = batch.own_places
    if batch.segments is None:
        places = torch.arange(batch.inputs.shape[1], device=batch.inputs.device) if own is None else own
        return places[None]
    places = torch.arange(batch.segments.shape[1], device=batch.inputs.device)[None]
    goes_on = torch.zeros_like(batch.segments, dtype=torch.bool)
    goes_on[:, 1:] = batch.segments[:, 1:] == batch.segments[:, :-1]
    before = places - torch.where(goes_on, 0, places).cummax(dim=1).values
    return before if own is None else before[:, own]


def rotary(positions_BL: Tensor, head_width: int, theta: float) -> Rotary:
    """Position times the frequency of each pair, highest frequency first."""
    pairs = torch.arange(0, head_width, 2, dtype=torch.float32, device=positions_BL.device)
    angles = positions_BL[:, None, :, None] * theta ** (-pairs / head_width)
    return Rotary(angles.cos(), angles.sin())


def rotate(x_BHLE: Tensor, turn: Rotary) -> Tensor:
    """Turns the pair (e, e + E/2) of every head by its angle, in float32; the result has the type of x."""
    low, high = x_BHLE.float().chunk(2, dim=-1)
    turned = torch.cat((low * turn.cos - high * turn.sin, high * turn.cos + low * turn.sin), dim=-1)
    return turned.type_as(x_BHLE)
