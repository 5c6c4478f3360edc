"""The hash in plain Python is the compiled one."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.hashing import hash64
from curation.text.plain_hash import plain_hash64


def test_of_no_text() -> None:
    assert plain_hash64("") == 0


@given(st.text(max_size=40))
def test_as_compiled(text: str) -> None:
    assert plain_hash64(text) == hash64(pa.array([text], pa.large_string()))[0]
