"""Both finalisers beside values that their authors' code gives."""

import numpy as np

from curation.text.kernels.mix64 import GOLDEN, murmur3, murmur3_by, murmur3_each, splitmix64, splitmix64_each

SEED = 1234567


def test_outputs_of_splitmix64() -> None:
    """The first three for a seed, as the reference implementation gives them (Rosetta Code lists them)."""
    states = np.uint64(SEED) + np.arange(1, 4, dtype=np.uint64) * GOLDEN
    assert splitmix64_each(states).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert splitmix64(states[0]) == 6457827717110365317


def test_murmur3_step() -> None:
    """By hand with Python's integers."""
    value = SEED
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % 2**64
    value ^= value >> 33
    assert murmur3(np.uint64(SEED)) == murmur3_by(np.uint64(SEED), np.uint64(33)) == value
    assert murmur3_each(np.array([SEED, 0], np.uint64)).tolist() == [value, 0]
