"""Positions, and rotary position embedding: pairs of a head's elements turn by an angle that grows with the position.

Source: Su et al. 2021, "RoFormer" (arXiv:2104.09864). A pair has one element from each half of a head, as in published
Llama weights. Tables are made once for a batch and kept nowhere. B rows, L places, E width of a head.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from training.batch import Batch
from training.models.rope_scaling import UNSCALED, RopeScaling


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


def rotary(positions_BL: Tensor, head_width: int, theta: float, scaling: RopeScaling = UNSCALED) -> Rotary:
    """Position times the frequency of each pair, highest frequency first."""
    angles = positions_BL[:, None, :, None] * frequencies(head_width, theta, scaling, positions_BL.device)
    turn = Rotary(angles.cos(), angles.sin())
    factor = scaling.attention_factor
    return Rotary(turn.cos * factor, turn.sin * factor) if factor else turn


def frequencies(head_width: int, theta: float, scaling: RopeScaling, device: torch.device) -> Tensor:
    """float32[E / 2]: the angle by which each pair turns from one position to the next."""
    pairs = torch.arange(0, head_width, 2, dtype=torch.float32, device=device)
    if scaling.type == "ntk":
        theta = ntk_theta(head_width, theta, scaling)
    plain = theta ** (-pairs / head_width)
    if scaling.type in ("none", "ntk"):
        return plain
    kept = _kept(plain, theta, scaling)
    return plain * (kept + (1 - kept) / scaling.factor)


def ntk_theta(head_width: int, theta: float, scaling: RopeScaling) -> float:
    """The base with which the lowest frequency is divided by the factor and the highest one stays."""
    return float(theta * scaling.factor ** (head_width / (head_width - 2)))


def _kept(plain: Tensor, theta: float, scaling: RopeScaling) -> Tensor | float:
    """The share of each pair's frequency, 0 to 1, that is not divided by the factor."""
    if scaling.original_length is None:
        return 0.0
    length = scaling.original_length / (2 * math.pi)  # turns in it, of a pair of frequency 1
    low, high = scaling.turns
    if scaling.type == "llama3":
        return ((plain * length - low) / (high - low)).clamp(0, 1)
    size = len(plain)
    first, last = (size * math.log(length / turns) / math.log(theta) for turns in (high, low))
    begin = max(math.floor(first), 0)  # among the pairs, rounded as in the published code
    end = min(math.ceil(last), 2 * size - 1)
    return 1 - ((torch.arange(size, device=plain.device) - begin) / max(end - begin, 0.001)).clamp(0, 1)


def rotate(x_BHLE: Tensor, turn: Rotary) -> Tensor:
    """Turns the pair (e, e + E/2) of every head by its angle, in float32; the result has the type of x."""
    low, high = x_BHLE.float().chunk(2, dim=-1)
    turned = torch.cat((low * turn.cos - high * turn.sin, high * turn.cos + low * turn.sin), dim=-1)
    return turned.type_as(x_BHLE)
