"""The decoder: no look into the future, prefixes that see themselves, initial weights, maximal update scaling."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.models.made import SMALL, batch_of, example_of, model_of
from training.batch import Batch, Kind
from training.models.decoder import Decoder
from training.models.decoder.network import DecoderNetwork

ONE = np.ones(12, np.int32)  # all of a row is one document


def changed(model: torch.nn.Module, kind: Kind, place: int, **options: object) -> list[bool]:
    """Of each label of a row, whether its logits change with the token at a place."""
    before = example_of(kind, segments=ONE, **options)
    inputs = before.inputs.copy()
    inputs[place] = inputs[place] % 48 + 2
    rows = [before, replace(before, inputs=inputs)]
    first, second = (model.logits(Batch.of([row])) for row in rows)  # type: ignore[operator]
    differing: list[bool] = (first != second).any(dim=-1)[0].tolist()
    return differing


def test_a_later_token_does_not_change_earlier_logits() -> None:
    assert changed(model_of(Decoder(**SMALL)), Kind.PLAIN, 7) == [place >= 7 for place in range(12)]


def test_a_token_changes_those_whose_windows_reach_it() -> None:
    """Two layers of three tokens each reach four places on."""
    window = Decoder(**SMALL, sliding_window=3)
    assert changed(model_of(window), Kind.PLAIN, 4) == [4 <= place <= 8 for place in range(12)]
    example = example_of(Kind.PLAIN, segments=ONE)
    model = model_of(window)
    together = model.logits(Batch.of([example], together=True))
    torch.testing.assert_close(together, model.logits(Batch.of([example])))


def test_learned_positions_begin_anew_with_each_document() -> None:
    model = model_of(Decoder(**SMALL, learned_positions=12))
    same = np.full(12, 7)
    halves = np.repeat(np.array([1, 2], np.int32), 6)
    logits = model.logits(Batch.of([example_of(Kind.PLAIN, inputs=same, segments=halves)]))
    torch.testing.assert_close(logits[:, :6], logits[:, 6:])
    assert not torch.allclose(logits[:, 0], logits[:, 1], atol=1e-3)


def test_a_prefix_sees_itself_and_the_rest_what_is_before() -> None:
    seen = np.arange(12) < 4
    every = {"places": np.arange(12), "labels": np.ones(12, np.int64), "weights": np.ones(12, np.float32)}
    model = model_of(Decoder(**SMALL))
    assert changed(model, Kind.PREFIXED, 3, seen=seen, **every) == [True] * 12
    assert changed(model, Kind.PREFIXED, 7, seen=seen, **every) == [place >= 7 for place in range(12)]


def test_without_segments_it_is_one_document() -> None:
    model = model_of(Decoder(**SMALL, kv_heads=2))
    example = example_of(Kind.PLAIN, segments=ONE)
    together = model.logits(Batch.of([example], together=True))
    torch.testing.assert_close(together, model.logits(Batch.of([example])))


def test_initial_weights() -> None:
    state = model_of(Decoder(layers=8, width=128, heads=4, qk_norm=True)).state_dict()
    assert state["blocks.0.attention.query.weight"].std().item() == pytest.approx(0.02, rel=0.05)
    assert state["blocks.0.attention.output.weight"].std().item() == pytest.approx(0.02 / 4, rel=0.05)
    assert state["blocks.0.feed_forward.down.weight"].std().item() == pytest.approx(0.02 / 4, rel=0.05)
    assert state["norm.weight"].eq(1).all()
    assert state["blocks.7.attention.key_norm.weight"].shape == (32,)
    assert "head.weight" not in state


def test_initial_weights_of_gpt2() -> None:
    sizes = {"layers": 8, "width": 128, "heads": 4, "hidden": 512, "learned_positions": 256}
    state = model_of(Decoder(preset="gpt2", **sizes)).state_dict()
    assert state["position_embedding.weight"].std().item() == pytest.approx(0.02, rel=0.05)
    assert state["blocks.0.feed_forward.up.weight"].shape == (512, 128)
    assert not any(tensor.any() for name, tensor in state.items() if name.endswith("bias"))
    assert state["blocks.7.attention_norm.bias"].shape == (128,)
    assert "blocks.0.feed_forward.gate.weight" not in state


def test_initial_weights_of_olmo2() -> None:
    sizes = {"layers": 2, "width": 128, "heads": 4, "kv_heads": 2, "hidden": 64}
    state = model_of(Decoder(**sizes, norm_position="after", qk_norm="width")).state_dict()
    assert state["blocks.0.attention.key_norm.weight"].shape == (64,)
    assert state["blocks.0.attention_output_norm.weight"].eq(1).all()
    assert not [name for name in state if "attention_norm" in name]


def test_maximal_update_scaling() -> None:
    """At four times the base width matrices begin half as large, and logits are divided by 4."""
    wide = Decoder(**SMALL, base_width=4)
    plain = Decoder(**SMALL)
    assert wide.scale() == 1 / 4
    model, other = model_of(wide), model_of(plain)
    assert isinstance(model, DecoderNetwork)
    assert (model.width_multiplier, other.width_multiplier) == (4, 1)
    deviations = {name: role.deviation for name, role in other.roles().items()}
    for name, role in model.roles().items():
        assert role.deviation == pytest.approx(deviations[name] / (1 if name == "embedding.weight" else 2))
    other.load_state_dict(model.state_dict())
    single = example_of(Kind.PLAIN, segments=np.arange(12, dtype=np.int32))  # no scores matter: each place sees one
    torch.testing.assert_close(model.logits(Batch.of([single])) * 4, other.logits(Batch.of([single])))


def test_at_the_base_width_only_the_scores_differ() -> None:
    base = Decoder(**SMALL, base_width=16)
    assert model_of(base).roles() == model_of(Decoder(**SMALL)).roles()
    assert not torch.allclose(
        model_of(base).logits(batch_of(Kind.PLAIN)), model_of(Decoder(**SMALL)).logits(batch_of(Kind.PLAIN)), atol=1e-9
    )
