"""Kept keys and values give what reading the whole row gives, place by place, also behind padding and documents."""

from dataclasses import replace

import pytest
import torch

from curation.core.errors import InputError
from tests.training.models.made import LENGTH, MODELS, SEGMENTS, example_of, model_of
from training.batch import Batch, Kind
from training.models.decoder.network import CachedDecoder, DecoderNetwork


@pytest.mark.parametrize("name", ["decoder", "decoder_untied", "decoder_gpt2", "decoder_olmo2"])
@pytest.mark.parametrize("pieces", [[LENGTH], [1] * LENGTH, [5, 1, 1, 4, 1]], ids=["at once", "one by one", "mixed"])
def test_logits_are_those_of_the_whole_row(name: str, pieces: list[int]) -> None:
    model = model_of(MODELS[name][0])
    assert isinstance(model, DecoderNetwork)
    # Padding of two lengths before two documents, which do not see each other.
    rows = [example_of(Kind.PLAIN, seed, segments=SEGMENTS[::-1].copy()) for seed in (1, 2)]
    rows[1] = replace(rows[1], segments=(rows[1].segments > 1).astype("int32"))
    batch = Batch.of(rows)
    assert batch.segments is not None
    cache = CachedDecoder(model, 2, LENGTH)
    found = [
        cache.logits(cache.read(tokens, segments))
        for tokens, segments in zip(batch.inputs.split(pieces, 1), batch.segments.split(pieces, 1), strict=True)
    ]
    with torch.no_grad():
        torch.testing.assert_close(torch.cat(found, dim=1), model.logits(batch), rtol=0, atol=1e-5)


def test_there_is_no_room_behind_the_learned_positions() -> None:
    model = model_of(MODELS["decoder_gpt2"][0])
    assert isinstance(model, DecoderNetwork)
    with pytest.raises(InputError, match=r"rows of 13 tokens are longer than learned_positions 12; give shorter ones"):
        model.cached(1, LENGTH + 1)
