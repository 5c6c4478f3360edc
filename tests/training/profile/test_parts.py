"""Times by part of events made by hand: forward, backward, what is sent beside other work, and what is left."""

import pytest

from training.profile.parts import PARTS, Span, seconds_by_part

STEP = Span("winnow: step", 0, 100)
FORWARD = [
    STEP,
    Span("winnow: attention", 10, 30),
    Span("aten::mm", 12, 28, number=1, sequence=3),
    Span("winnow: feed-forward", 30, 50),
    Span("aten::mm", 32, 50, number=2, sequence=4),
]


def times(spans: list[Span], waited: float = 0.0) -> dict[str, int]:
    """ns of the parts that have some."""
    found = seconds_by_part(spans, waited)
    assert tuple(found) == PARTS
    return {part: round(seconds * 1e9) for part, seconds in found.items() if seconds}


def test_of_a_thread() -> None:
    spans = [
        *FORWARD,
        Span("_CrossEntropy", 50, 54),
        Span("gloo:all_reduce", 55, 62, thread=9),
        Span("autograd::engine::evaluate_function: MmBackward0", 60, 70, sequence=3, forward_thread=1),
        Span("aten::mm", 61, 69),
        Span("Optimizer.step#AdamW.step", 80, 90),
        Span("aten::mul", 82, 84),
        Span("aten::mm", 110, 120),  # between two steps
    ]
    expected = {"attention": 16 + 10, "feed-forward": 18, "loss": 4, "optimizer": 10, "communication": 5}
    expected |= {"data wait": 2, "rest": 100 - 63 - 2}
    assert times(spans, 2e-9) == expected
    assert times(spans[::-1], 2e-9) == expected


def test_what_is_gathered_for_a_block_is_communication() -> None:
    spans = [STEP, Span("winnow: attention", 0, 50), Span("FSDP::all_gather", 0, 20), Span("aten::copy_", 5, 10)]
    assert times([*spans, Span("aten::mm", 20, 50)]) == {"attention": 30, "communication": 20, "rest": 50}


def test_of_a_device() -> None:
    """The kernels count, which run later than what launches them; the backward pass is in a thread of its own."""
    backward = "autograd::engine::evaluate_function: MmBackward0"
    spans = [
        *FORWARD,
        Span(backward, 51, 52, thread=7, sequence=4, forward_thread=1),
        Span("aten::mm", 51, 52, thread=7, number=3),
        Span("gemm", 40, 50, launched_by=1, on_device=True),
        Span("gemm", 50, 55, launched_by=2, on_device=True),
        Span("gemm", 60, 70, launched_by=3, on_device=True),
        Span("ncclDevKernel_AllGather", 65, 75, launched_by=2, on_device=True),
        Span("gemm", 80, 90, launched_by=99, on_device=True),  # of what is no step
    ]
    assert times(spans) == {"attention": 10, "feed-forward": 15, "communication": 5, "rest": 70}


def test_compiled_blocks_are_one_part_but_for_the_products_of_attention() -> None:
    spans = [
        STEP,
        Span("Torch-Compiled Region: 0/0", 10, 40),
        Span("triton_poi_fused_mul", 10, 20),
        Span("aten::_scaled_dot_product_flash_attention", 20, 30),
    ]
    assert times(spans) == {"compiled blocks": 20, "attention": 10, "rest": 70}


@pytest.mark.parametrize("steps", [[], [STEP, Span("winnow: step", 150, 200)]])
def test_without_events(steps: list[Span]) -> None:
    assert sum(times(steps).values()) == (150 if steps else 0)
