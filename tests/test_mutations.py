"""The damage that fuzz targets do is the same for the same seed, and does damage."""

import random

from tests.mutations import mutated

DATA = b"Content-Length: 300\r\n" + bytes(range(256)) * 4


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert [mutated(DATA, random.Random(seed)) for seed in range(50)] == [
        mutated(DATA, random.Random(seed)) for seed in range(50)
    ]


def test_nearly_every_seed_gives_other_bytes() -> None:
    made = {mutated(DATA, random.Random(seed)) for seed in range(200)}
    assert len(made - {DATA}) > 190


def test_nothing_can_be_damaged_too() -> None:
    assert all(isinstance(mutated(b"", random.Random(seed)), bytes) for seed in range(200))
