"""Which keys each query sees: one rule per kind of batch, in the form in which the device computes with it.

On the CPU, and where a bias is added to the scores, it is a boolean mask; on a GPU a mask of whole blocks for
FlexAttention, or the places where documents begin. Those two are not run on the CPU, and so not by the tests; the rule
that they are made from is the same. B rows, Q queries, K keys.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from training.batch import Batch

if TYPE_CHECKING:
    from torch.nn.attention.flex_attention import BlockMask

# Indices of row, head, query and key, which broadcast -> whether the key is seen.
Rule: TypeAlias = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Visible:
    """With none of these, a query sees the keys up to its own place. A query that sees no key gets zeros."""

    mask: Tensor | None = None  # bool[B or 1, 1, Q, K]
    block_mask: "BlockMask | None" = None
    starts: Tensor | None = None  # int32: of documents, causal and apart, if all rows are joined; and the end


def by_rule(rule: Rule, sizes: tuple[int, int, int], device: torch.device, *, biased: bool = False) -> Visible:
    """The rule for B rows of Q queries and K keys; `biased`: a bias will be added to the scores."""
    rows, queries, keys = sizes
    if device.type == "cuda" and not biased:
        from torch.nn.attention.flex_attention import create_block_mask

        return Visible(block_mask=create_block_mask(rule, rows, None, queries, keys, device=device))
    row, query, key = (torch.arange(size, device=device) for size in sizes)
    row = row[:, None, None]
    return Visible(mask=rule(row, row, query[:, None], key).view(-1, 1, queries, keys))


def visible(batch: Batch, *, dtype: torch.dtype, reach: int | None = None) -> Visible:
    """For a model of `batch.inputs` that computes in `dtype`: keys of the query's segment that are not later or that
    `seen` marks, at most `reach` places away. Without segments, all of the row count as one."""
    segments = batch.segments
    seen = batch.seen
    own = batch.own_places
    keys = batch.key_places
    rows, length = batch.inputs.shape
    size = length if keys is None else len(keys)
    if reach is not None and reach >= size - 1:
        reach = None
    if segments is None and own is None and reach is None:
        return Visible()
    if batch.starts is not None and own is None and reach is None and has_varlen(batch.inputs.device, dtype):
        return Visible(starts=batch.starts)

    def rule(row: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        query = query if own is None else own[query]
        key = key if keys is None else keys[key]
        kept = key <= query
        if seen is not None:
            kept = kept | seen[row, key]
        if segments is not None:
            kept = kept & (segments[row, query] == segments[row, key])
        return kept if reach is None else kept & ((query - key).abs() <= reach)

    return by_rule(rule, (rows, length, size), batch.inputs.device)


@lru_cache
def has_varlen(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether torch computes attention of documents of many lengths, as `attend` calls it, on this device."""
    if device.type != "cuda" or dtype not in (torch.bfloat16, torch.float16):
        return False
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:  # an older torch
        return False
    known = {"window_size", "enable_gqa", "scale"} <= signature(varlen_attn).parameters.keys()
    return known and torch.cuda.get_device_capability(device) >= (8, 0)
