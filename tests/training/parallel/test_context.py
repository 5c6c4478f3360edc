"""The places that a process has of a row; what attention finds with them is in test_parity.py."""

import pytest
import torch

from tests.training.checkpoint.models import batch
from training.config.parse import parse
from training.parallel.context import check_context, own_places, shared


def test_every_process_has_a_piece_of_the_head_and_one_of_the_tail() -> None:
    assert own_places(12, 0, 3).tolist() == [0, 1, 10, 11]
    assert own_places(12, 2, 3).tolist() == [4, 5, 6, 7]
    assert sorted(torch.cat([own_places(12, rank, 3) for rank in range(3)]).tolist()) == list(range(12))


def test_labels_go_with_their_inputs() -> None:
    whole = batch([*range(9)])
    part = shared(whole, 1, 2)
    assert part.inputs.tolist() == [[2, 3, 4, 5]]
    assert part.labels.tolist() == [[3, 4, 5, 6]]
    assert part.own_places is not None
    assert part.own_places.tolist() == [2, 3, 4, 5]
    assert part.key_places is not None
    assert part.key_places.tolist() == [0, 1, 6, 7, 2, 3, 4, 5]


def test_what_permutes_or_masks_is_refused() -> None:
    shares = {"parallel": {"context": 2}}
    causal = parse(shares)
    check_context(causal, causal.model.build(64))
    masked = parse({**shares, "objective": {"masked": {}}, "model": {"encoder": {}}})
    with pytest.raises(ValueError, match="the objective gives prefixed ones; take a causal objective"):
        check_context(masked, masked.model.build(64))
    permuted = parse({**shares, "objective": {"permutation": {}}, "model": {"two_stream": {}}})
    with pytest.raises(ValueError, match="the objective gives permuted ones"):
        check_context(permuted, permuted.model.build(64))
