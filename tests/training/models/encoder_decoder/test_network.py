"""The encoder-decoder: the logits of transformers' T5 v1.1 with the same weights, buckets by hand, what sees what."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import T5Config, T5ForConditionalGeneration

from tests.training.models.made import SMALL, example_of, model_of
from training.batch import Batch, Kind
from training.models.encoder_decoder import EncoderDecoder
from training.models.encoder_decoder.network import buckets
from training.roles import Purpose, Role

ONE = np.ones(12, np.int32)
SMALL_PAIR = EncoderDecoder(**SMALL, head_width=6)
THEIRS = {
    "attention_norm": "0.layer_norm",
    "attention.query": "0.SelfAttention.q",
    "attention.key": "0.SelfAttention.k",
    "attention.value": "0.SelfAttention.v",
    "attention.output": "0.SelfAttention.o",
    "cross_norm": "1.layer_norm",
    "cross.query": "1.EncDecAttention.q",
    "cross.key": "1.EncDecAttention.k",
    "cross.value": "1.EncDecAttention.v",
    "cross.output": "1.EncDecAttention.o",
    "feed_forward_norm": "{last}.layer_norm",
    "feed_forward.gate": "{last}.DenseReluDense.wi_0",
    "feed_forward.up": "{last}.DenseReluDense.wi_1",
    "feed_forward.down": "{last}.DenseReluDense.wo",
}


def their_name(ours: str) -> str:
    """Of one of our tensors, in a T5 of two layers."""
    outside = {
        "embedding.weight": "shared.weight",
        "head.weight": "lm_head.weight",
        "encoder_norm.weight": "encoder.final_layer_norm.weight",
        "norm.weight": "decoder.final_layer_norm.weight",
        "encoder_bias.by_bucket.weight": "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        "decoder_bias.by_bucket.weight": "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    }
    if ours in outside:
        return outside[ours]
    _, number, inner = ours.removesuffix(".weight").split(".", 2)
    stack, last = ("encoder", 1) if int(number) < 2 else ("decoder", 2)
    return f"{stack}.block.{int(number) % 2}.layer.{THEIRS[inner].format(last=last)}.weight"


def test_logits_are_those_of_transformers() -> None:
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=50,
        d_model=16,
        d_kv=6,
        d_ff=24,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        pad_token_id=0,
        decoder_start_token_id=0,
    )
    theirs = T5ForConditionalGeneration(config).eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    ours = model_of(SMALL_PAIR)
    weights = theirs.state_dict()
    ours.load_state_dict({name: weights[their_name(name)] for name in ours.state_dict()})
    example = example_of(Kind.PAIR, segments=ONE, target_segments=ONE)
    with torch.no_grad():
        inputs, targets = (torch.from_numpy(ids)[None] for ids in (example.inputs, example.targets))
        expected = theirs(input_ids=inputs, decoder_input_ids=targets).logits
        torch.testing.assert_close(ours.logits(Batch.of([example])), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("distance", "both_ways", "bucket"),
    [  # of 32: both ways 8 single places and 8 steps from 8 to 128 on each side, else 16 and 16
        pytest.param(0, True, 0, id="itself"),
        pytest.param(-7, True, 7, id="7 before"),
        pytest.param(7, True, 16 + 7, id="7 behind"),
        pytest.param(-11, True, 8, id="11 before: the first step, to 8 times 2 ** 0.5"),
        pytest.param(-12, True, 9, id="12 before"),
        pytest.param(-127, True, 15, id="127 before"),
        pytest.param(500, True, 16 + 15, id="far behind"),
        pytest.param(5, False, 0, id="later, one way"),
        pytest.param(-15, False, 15, id="15 before, one way"),
        pytest.param(-18, False, 16, id="18 before: the first step, to 16 times 8 ** (1 / 16)"),
        pytest.param(-19, False, 17, id="19 before"),
        pytest.param(-900, False, 31, id="far before, one way"),
    ],
)
def test_buckets(distance: int, both_ways: bool, bucket: int) -> None:
    assert buckets(torch.tensor([distance]), both_ways=both_ways).tolist() == [bucket]


def differing(place: int, name: str) -> list[int]:
    """The labels whose logits change with the token at a place of the inputs or targets."""
    model = model_of(SMALL_PAIR)
    before = example_of(Kind.PAIR, segments=ONE, target_segments=ONE)
    tokens = getattr(before, name).copy()
    tokens[place] = tokens[place] % 48 + 2
    rows = (before, replace(before, **{name: tokens}))
    first, second = (model.logits(Batch.of([row])) for row in rows)
    return torch.nonzero((first != second).any(dim=-1)[0])[:, 0].tolist()


def test_targets_see_those_before_and_all_inputs() -> None:
    assert differing(7, "targets") == list(range(7, 12))
    assert differing(7, "inputs") == list(range(12))


def test_a_target_of_no_document_of_the_inputs() -> None:
    """Its logits are finite, and so are the gradients."""
    example = example_of(Kind.PAIR, target_segments=np.full(12, 3, np.int32))
    model = model_of(SMALL_PAIR)
    losses = model(Batch.of([example]))
    torch.autograd.backward(losses.total)
    gradients: list[Tensor] = [one.grad for one in model.parameters() if one.grad is not None]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert losses.total.isfinite()


def test_initial_weights_are_those_of_t5() -> None:
    """Of width 16, heads of 6, 4 of them, inner width 24."""
    roles = model_of(SMALL_PAIR).roles()
    assert roles["embedding.weight"] == Role(Purpose.EMBEDDING, "row", 1.0, None)
    assert roles["head.weight"] == Role(Purpose.OUTPUT, "column", 1 / 4, "labels")
    assert roles["blocks.0.attention.query.weight"].deviation == pytest.approx((16 * 6) ** -0.5)
    assert roles["blocks.3.cross.key.weight"] == Role(
        Purpose.HIDDEN, "column", 1 / 4, "inputs", roles["blocks.3.cross.key.weight"].together
    )
    assert roles["blocks.3.cross.output.weight"] == Role(Purpose.HIDDEN, "row", pytest.approx(24**-0.5), "targets", 6)
    assert roles["blocks.0.feed_forward.down.weight"].deviation == pytest.approx(24**-0.5)
    assert roles["decoder_bias.by_bucket.weight"] == Role(Purpose.EMBEDDING, None, 1 / 4)
    plain = model_of(replace(SMALL_PAIR, initialisation="plain")).roles()
    assert {role.deviation for role in plain.values()} == {0.0, 0.02}
