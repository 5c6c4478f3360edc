"""What a target does is told: that it died, raised or did not end, and with which seed to repeat it."""

from pathlib import Path

import pytest

from tests.fuzz.child import fuzz


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("dies", r"(?s)ended with -6 at seed 7 of failing\.dies: python -m tests\.fuzz\.child .* 7 failing\.dies=1"),
        ("raises", r"(?s)ended with 1 at seed 7 of failing\.raises.*ValueError: a fault"),
        ("hangs", r"not done after 5 s, at seed 7 of failing\.hangs"),
    ],
)
def test_a_failure_is_told_with_its_seed(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=told):
        fuzz({"failing.passes": 10, f"failing.{name}": 10}, tmp_path, timeout=5 if name == "hangs" else 60)


def test_a_target_that_passes_tells_its_memory(tmp_path: Path) -> None:
    assert 10 <= fuzz({"failing.passes": 10}, tmp_path) <= 500
