"""The decoder: sizes counted by hand, no look into the future, positions that are relative, documents kept apart."""

import pytest
import torch
from torch import Tensor

from training.models.decoder import Decoder
from training.models.decoder.network import document_mask, rotary_angles, rotate
from training.trainable import Trainable

SMALL = Decoder(layers=2, width=16, heads=4, kv_heads=2, hidden=24)


def decoder(config: Decoder = SMALL, seed: int = 0) -> Trainable:
    return config.build(50, seed)


def tokens(seed: int = 0) -> Tensor:
    return torch.randint(0, 50, (3, 12), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("tied", "parameters"),
    [
        # A block: query and output 16 x 16, key and value 16 x 8, three 16 x 24 matrices, two norms of 16.
        pytest.param(True, 50 * 16 + 2 * (2 * 256 + 2 * 128 + 3 * 384 + 32) + 16, id="tied"),
        pytest.param(False, 2 * 50 * 16 + 2 * (2 * 256 + 2 * 128 + 3 * 384 + 32) + 16, id="own head"),
    ],
)
def test_parameters_and_shape(tied: bool, parameters: int) -> None:
    model = decoder(Decoder(layers=2, width=16, heads=4, kv_heads=2, hidden=24, tied_embeddings=tied))
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters
    assert model(tokens()).shape == (3, 12, 50)


def test_a_later_token_does_not_change_earlier_logits() -> None:
    model = decoder()
    before = tokens()
    after = before.clone()
    after[:, 7] = (after[:, 7] + 1) % 50
    changed = (model(before) != model(after)).any(dim=-1)
    assert not changed[:, :7].any()
    assert changed[:, 7:].all()


@pytest.mark.parametrize("across", [True, False])
def test_attention_stays_in_the_document_if_asked(across: bool) -> None:
    config = Decoder(layers=2, width=16, heads=4, attend_across_documents=across)
    model = decoder(config)
    before = tokens()
    segments = torch.tensor([[1] * 5 + [2] * 4 + [0] * 3] * 3)
    after = before.clone()
    after[:, 2] = (after[:, 2] + 1) % 50
    changed = (model(before, segments) != model(after, segments)).any(dim=-1)
    assert changed[:, 2:5].all()
    assert changed[:, 5:].any().item() is across


def test_document_mask() -> None:
    assert document_mask(torch.tensor([[1, 1, 2]])).tolist() == [
        [[[True, False, False], [True, True, False], [False, False, True]]]
    ]


def test_attention_without_a_mask_is_the_mask_of_one_document() -> None:
    inside = Decoder(layers=2, width=16, heads=4, kv_heads=2, hidden=24, attend_across_documents=False)
    one_document = torch.ones(3, 12, dtype=torch.int32)
    torch.testing.assert_close(decoder(inside)(tokens(), one_document), decoder()(tokens()))


def test_rotary_positions_are_relative() -> None:
    query, key = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))
    angles = rotary_angles(20, 8, 100.0)

    def score(query_position: int, key_position: int) -> float:
        turned = (rotate(query, angles[[query_position]]) * rotate(key, angles[[key_position]])).sum()
        return float(turned)

    assert score(9, 4) == pytest.approx(score(15, 10), abs=1e-5)
    assert score(9, 4) != pytest.approx(score(9, 5), abs=1e-2)
    assert score(0, 0) == pytest.approx(float((query * key).sum()), abs=1e-6)


def test_rotary_angles_by_hand() -> None:
    angles = rotary_angles(3, 4, 100.0)  # wavelengths 100^0 and 100^(-1/2)
    torch.testing.assert_close(angles, torch.tensor([[0.0, 0.0], [1.0, 0.1], [2.0, 0.2]]))


def test_rotation_keeps_length_and_type() -> None:
    x = torch.randn(2, 3, 5, 8).bfloat16()
    turned = rotate(x, rotary_angles(5, 8, 10_000.0))
    assert turned.dtype == torch.bfloat16
    torch.testing.assert_close(turned.float().norm(dim=-1), x.float().norm(dim=-1), rtol=0.02, atol=0.02)


def test_weights_follow_from_the_seed() -> None:
    one, same, other = (decoder(seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["embedding.weight"], other["embedding.weight"])
    assert one["norm.weight"].eq(1).all()


def test_residual_projections_start_smaller() -> None:
    state = decoder(Decoder(layers=8, width=128, heads=4)).state_dict()
    assert state["blocks.0.attention.query.weight"].std().item() == pytest.approx(0.02, rel=0.05)
    assert state["blocks.0.attention.output.weight"].std().item() == pytest.approx(0.02 / 4, rel=0.05)


def test_flops_per_token_by_hand() -> None:
    matrices = 2 * (2 * 256 + 2 * 128 + 3 * 384) + 50 * 16  # the embedding counts once, as the head
    assert decoder().flops_per_token(12) == 6 * matrices + 6 * 2 * 12 * 16
