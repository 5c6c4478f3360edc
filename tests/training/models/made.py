"""Tiny models with weights of a seed, and batches of each kind made by hand."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from training.batch import Batch, Example, Kind
from training.config.components import Architecture
from training.initialise import initialise
from training.models.blocks.token_model import TokenModel
from training.models.decoder import Decoder
from training.models.electra import Electra
from training.models.encoder import Encoder
from training.models.encoder_decoder import EncoderDecoder
from training.models.rope_scaling import RopeScaling
from training.models.two_stream import TwoStream

VOCABULARY = 50
LENGTH = 12
SMALL: Mapping[str, Any] = {"layers": 2, "width": 16, "heads": 4, "hidden": 24}
MODELS: dict[str, tuple[Architecture, Kind]] = {
    "decoder": (Decoder(**SMALL, kv_heads=2), Kind.PLAIN),
    "decoder_untied": (Decoder(**SMALL, tied_embeddings=False, qk_norm=True, base_width=8), Kind.PLAIN),
    "decoder_gpt2": (
        Decoder(**SMALL, norm="layer", feed_forward="gelu", biases="all", learned_positions=LENGTH),
        Kind.PLAIN,
    ),
    "decoder_olmo2": (
        Decoder(
            **SMALL,
            **{"kv_heads": 2, "norm_position": "after", "qk_norm": "width", "biases": "qkv", "sliding_window": 3},
            rope_scaling=RopeScaling(type="yarn", factor=4.0, original_length=8),
        ),
        Kind.PLAIN,
    ),
    "decoder_prefixed": (Decoder(**SMALL), Kind.PREFIXED),
    "encoder": (Encoder(**SMALL, global_every=2, local_window=4), Kind.PREFIXED),
    "encoder_decoder": (EncoderDecoder(**SMALL, head_width=4), Kind.PAIR),
    "two_stream": (TwoStream(**SMALL), Kind.PERMUTED),
    "electra": (Electra(**SMALL, embedding_width=8, generator_divisor=2), Kind.REPLACED),
}
# Two documents of five and four tokens, and padding.
SEGMENTS = np.array([1] * 5 + [2] * 4 + [0] * 3, np.int32)
PLACES = np.array([1, 3, 6, 8])  # two of each document


def model_of(architecture: Architecture, seed: int = 0, vocabulary: int = VOCABULARY) -> TokenModel:
    """On the CPU, as a training makes it."""
    with torch.device("meta"):
        model = architecture.build(vocabulary)
    model.to_empty(device="cpu")
    initialise(model, seed)
    assert isinstance(model, TokenModel)
    return model


def example_of(kind: Kind, seed: int = 0, **changes: Any) -> Example:
    """A row of random tokens in two documents; all of a prefixed one is seen."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(2, VOCABULARY, LENGTH + 1)
    placed = kind in (Kind.PREFIXED, Kind.PERMUTED, Kind.REPLACED)
    labels = rng.integers(2, VOCABULARY, len(PLACES)) if placed else tokens[1:]
    counts = np.ones(len(PLACES)) if placed else SEGMENTS > 0
    arrays: dict[str, Any] = {
        "inputs": tokens[:-1],
        "segments": SEGMENTS,
        "labels": labels,
        "weights": counts.astype(np.float32),
    }
    if placed:
        arrays["places"] = PLACES
    if kind in (Kind.PREFIXED, Kind.REPLACED):
        arrays["seen"] = np.ones(LENGTH, bool)
    if kind is Kind.PERMUTED:
        arrays["order"] = np.array([0, 3, 2, 4, 1, 0, 2, 1, 3, 0, 1, 2], np.int32)
    if kind is Kind.PAIR:
        arrays |= {"targets": rng.integers(2, VOCABULARY, LENGTH), "target_segments": SEGMENTS}
    if kind is Kind.REPLACED:
        arrays["uniforms"] = rng.random(len(PLACES), np.float32)
        arrays["detection"] = np.where(SEGMENTS > 0, 0.5, 0).astype(np.float32)
    return Example(**arrays | changes)


def batch_of(kind: Kind, seed: int = 0, **changes: Any) -> Batch:
    """Two rows."""
    return Batch.of([example_of(kind, seed, **changes), example_of(kind, seed + 1, **changes)])
