"""A folder with kernels of its own, that nothing has compiled yet."""

from pathlib import Path

import pytest

KERNELS = """
from curation.text.kernels.compiler.kernel import kernel

@kernel
def inner(value: int) -> int:
    return value + 1

@kernel
def outer(value: int) -> int:
    return inner(value) * 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    return tmp_path
