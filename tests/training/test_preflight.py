"""What is refused with the model at hand: one larger than the memory, and formats that a device has not."""

from dataclasses import replace

import pytest

from training.config.parse import parse
from training.models.decoder import Decoder
from training.preflight import check_start


def test_a_model_larger_than_the_memory_is_refused_with_the_estimate() -> None:
    config = parse({"model": {"decoder": {"layers": 80, "width": 65536, "heads": 64, "vocabulary": 128_000}}})
    with pytest.raises(ValueError, match=r"has [0-9,]{15,} parameters, which take at least 12 bytes each .* GiB; take"):
        check_start(config, 2, here=True)
    check_start(replace(config, model=Decoder(vocabulary=100)), 2, here=True)
    check_start(config, 2, here=False)


def test_a_format_that_the_device_has_not() -> None:
    config = parse({"precision": "fp16", "model": {"decoder": {"vocabulary": 100}}})
    with pytest.raises(ValueError, match="precision is fp16, which needs a GPU"):
        check_start(config, 1, here=True)
