"""Presets give what is left out, options that are given win, parameters of published models count as published."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest
import torch

from training.config.components import Architecture
from training.models.decoder import Decoder
from training.models.electra import Electra
from training.models.encoder import Encoder
from training.models.encoder_decoder import EncoderDecoder
from training.models.rope_scaling import RopeScaling
from training.models.two_stream import TwoStream

FAMILIES = (Decoder, Encoder, EncoderDecoder, TwoStream, Electra)


@pytest.mark.parametrize(
    ("architecture", "vocabulary", "parameters"),
    [
        pytest.param(Decoder(preset="8b"), 128_256, 8_030_261_248, id="Llama 3 8B"),
        pytest.param(Decoder(preset="70b"), 128_256, 70_553_706_496, id="Llama 3 70B"),
        pytest.param(Decoder(preset="7b"), 32_000, 6_738_415_616, id="Llama 2 7B"),
        pytest.param(Decoder(preset="13b"), 32_000, 13_015_864_320, id="Llama 2 13B"),
        pytest.param(Decoder(preset="34b"), 32_000, 33_743_970_304, id="Code Llama 34B"),
        pytest.param(Decoder(preset="70b"), 32_000, 68_976_648_192, id="Llama 2 70B"),
        pytest.param(Decoder(preset="405b"), 128_256, 405_853_388_800, id="Llama 3.1 405B"),
        pytest.param(Decoder(preset="3b"), 128_256, 3_212_749_824, id="Llama 3.2 3B"),
        # Of a block: query and output 2,048 x 2,048, key and value 2,048 x 1,024, three of 2,048 x 8,192, two norms.
        pytest.param(Decoder(preset="1b"), 32_000, 16 * 62_918_656 + 2048 + 65_536_000, id="1b"),
        pytest.param(Decoder(preset="125m"), 50_304, 12 * 7_079_424 + 768 + 38_633_472, id="125m"),
        pytest.param(Decoder(preset="gpt2"), 50_257, 124_439_808, id="GPT-2"),
        pytest.param(Decoder(preset="qwen3_0.6b"), 151_936, 596_049_920, id="Qwen3 0.6B"),
        pytest.param(Encoder(preset="modernbert_base"), 50_368, 149_655_232, id="ModernBERT base"),
        pytest.param(EncoderDecoder(preset="t5_small"), 32_128, 76_961_152, id="T5 v1.1 small"),
        pytest.param(EncoderDecoder(preset="t5_base"), 32_128, 247_577_856, id="T5 v1.1 base"),
    ],
)
def test_parameters_of_a_preset(architecture: Architecture, vocabulary: int, parameters: int) -> None:
    with torch.device("meta"):
        model = architecture.build(vocabulary)
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


@pytest.mark.parametrize("family", FAMILIES)
def test_every_preset_builds_and_leaves_nothing_open(family: Any) -> None:
    for preset in family.presets:
        architecture = family(preset=preset)
        open_options = [name for name, value in asdict(architecture).items() if value is None]
        assert set(open_options) <= {"vocabulary", "base_width", "learned_positions", "sliding_window"}
        assert family(**vars(architecture)) == architecture
        with torch.device("meta"):
            assert architecture.build(128).blocks


def test_given_options_win_over_the_preset() -> None:
    model = Decoder(preset="1b", layers=2, kv_heads=4)
    assert (model.layers, model.width, model.kv_heads, model.hidden, model.rope_theta) == (2, 2048, 4, 8192, 500_000)


@pytest.mark.parametrize(
    ("width", "hidden"), [pytest.param(96, 256, id="exactly 256"), pytest.param(98, 320, id="261.3 rounded up to 64")]
)
def test_the_inner_width_is_eight_thirds_of_the_width(width: int, hidden: int) -> None:
    assert Decoder(width=width, heads=1).hidden == hidden


def test_heads_follow() -> None:
    assert (Decoder(width=96, heads=6).head_width, Decoder(width=96, heads=6).kv_heads) == (16, 6)
    assert Decoder(width=96, heads=5, head_width=8).head_width == 8
    assert EncoderDecoder(width=9, heads=3, head_width=3).head_width == 3  # nothing turns


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        pytest.param(Decoder, {"preset": "1bn"}, "preset is '1bn'; did you mean '1b'?", id="preset"),
        pytest.param(Decoder, {"layers": 0}, "layers is 0; give 1 or more", id="no layer"),
        pytest.param(Decoder, {"width": 50, "heads": 4}, "must give an even whole number", id="heads do not divide"),
        pytest.param(Decoder, {"width": 12, "heads": 4}, "must give an even whole number", id="odd head"),
        pytest.param(Decoder, {"heads": 6, "kv_heads": 4}, "heads 6 is not a multiple of kv_heads 4", id="groups"),
        pytest.param(Decoder, {"base_width": 0}, "base_width is 0; give 1 or more", id="base"),
        pytest.param(Decoder, {"sliding_window": 0}, "sliding_window is 0; give 1 or more", id="sees nothing"),
        pytest.param(
            Decoder,
            {"learned_positions": 8, "rope_scaling": RopeScaling(type="linear", factor=2)},
            "rope_scaling is of rotary positions, but learned_positions replace them",
            id="two kinds of positions",
        ),
        pytest.param(Decoder, {"dropout": 1.0}, "dropout is 1.0; give 0 to below 1", id="nothing is left"),
        pytest.param(Decoder, {"initial_deviation": 0.0}, "initial_deviation is 0.0; give a number above 0", id="0"),
        pytest.param(Encoder, {"local_window": 1}, "local_window is 1; give 2 or more", id="no neighbour"),
        pytest.param(Encoder, {"global_every": 0}, "global_every is 0; give 1 or more", id="no global layer"),
        pytest.param(Electra, {"generator_divisor": 3}, "3 must divide width 256 and heads 4", id="generator"),
    ],
)
def test_what_cannot_be(family: Any, options: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        family(**options)


@pytest.mark.parametrize(
    ("initialisation", "reads", "writes"),
    [
        pytest.param("plain", 0.02, 0.02, id="plain"),
        pytest.param("scaled", 0.02, 0.005, id="scaled: over the root of 16"),
        pytest.param("fan_in", 0.125, 0.125, id="fan_in: one over the root of 64"),
    ],
)
def test_initialisation(initialisation: Any, reads: float, writes: float) -> None:
    sizes = Decoder(layers=8, initialisation=initialisation)
    assert sizes.deviation(64) == pytest.approx(reads)
    assert sizes.deviation(64, writes=True) == pytest.approx(writes)
