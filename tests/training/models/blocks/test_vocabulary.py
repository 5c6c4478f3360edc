"""The part of a vocabulary that a process holds."""

from types import SimpleNamespace
from typing import Any, cast

from training.models.blocks.vocabulary import part_of


def test_each_process_holds_its_share_of_the_tokens() -> None:
    group = object()
    for rank, first in ((0, 0), (1, 8), (2, 16)):
        mesh = SimpleNamespace(size=lambda: 3, get_local_rank=lambda rank=rank: rank, get_group=lambda: group)
        part = part_of(cast(Any, SimpleNamespace(shape=(24, 5), device_mesh=mesh)))
        assert (part.first, part.size, part.group) == (first, 8, group)
