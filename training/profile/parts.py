"""Adds up the time of profiled steps by part: attention, feed-forward, loss, optimizer, communication, data wait, rest.

On a GPU the time is that of kernels, and communication counts where no other kernel runs beside it. On a CPU it is that
of the thread that trains. A backward pass counts for the part whose forward pass it belongs to. Compiled blocks are one
part, apart from the products of attention. All parts together are the time of the steps.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

PREFIX = "winnow: "  # of the ranges that `training.profile.recorder` opens
STEP = PREFIX + "step"
PARTS = ("attention", "feed-forward", "compiled blocks", "loss", "optimizer", "communication", "data wait", "rest")
BEGINS = {
    "Optimizer.": "optimizer",
    **dict.fromkeys(("FSDP::", "c10d::", "nccl", "gloo:", "record_param_comms"), "communication"),
    **dict.fromkeys(("Torch-Compiled Region", "CompiledFunction"), "compiled blocks"),
}
HOLDS = {"CrossEntropy": "loss", "scaled_dot_product": "attention"}

Intervals = list[tuple[int, int]]


class Span(NamedTuple):
    """One event of torch's profiler; times in ns."""

    name: str
    start: int
    end: int
    thread: int = 1
    number: int = 0
    launched_by: int = 0  # number of the event on the CPU that launched it; only what runs on a GPU has one
    sequence: int = -1  # of the node of autograd that it makes or runs
    forward_thread: int = 0  # where that node was made; only where it runs
    on_device: bool = False


def spans_of(events: Iterable[Any]) -> list[Span]:
    """From events of kineto."""
    return [
        Span(
            one.name(),
            one.start_ns(),
            one.end_ns(),
            one.start_thread_id(),
            one.correlation_id(),
            one.linked_correlation_id(),
            one.sequence_nr(),
            one.fwd_thread_id(),
            one.device_type().name != "CPU",
        )
        for one in events
        if one.device_type().name == "CPU" or not one.is_user_annotation()
    ]


def seconds_by_part(spans: Sequence[Span], waited: float) -> dict[str, float]:
    """Seconds of all steps together; `waited`: seconds for data."""
    steps = [one for one in spans if one.name.startswith(STEP)]
    walk = _Walk(steps)
    # What runs backward in a thread of its own comes after the forward passes.
    on_cpu = (one for one in spans if not one.on_device)
    for span in sorted(on_cpu, key=lambda one: (one.thread not in walk.threads, one.thread, one.start, -one.end)):
        walk.enter(span)
    walk.leave()
    kernels = [one for one in spans if one.on_device and one.launched_by in walk.launched]
    times: dict[str, int] = defaultdict(int)
    computing: Intervals = []
    sending: Intervals = []
    of_kernels = ((one.start, one.end, _named(one.name) or walk.launched[one.launched_by]) for one in kernels)
    for start, end, part in of_kernels if kernels else walk.active:
        times[part] += end - start
        (sending if part == "communication" else computing).append((start, end))
    times["communication"] = _covered([*computing, *sending]) - _covered(computing)
    found = {part: times[part] / 1e9 for part in PARTS} | {"data wait": waited}
    whole = sum(one.end - one.start for one in steps) / 1e9
    return found | {"rest": max(whole - sum(found[part] for part in PARTS[:-1]), 0.0)}


class _Walk:
    """Goes through the events of each thread, outer ones first."""

    def __init__(self, steps: Sequence[Span]) -> None:
        self.threads = {one.thread for one in steps}  # those that train
        self.active: list[tuple[int, int, str]] = []  # where an event runs, but none in it, with its part
        self.launched: dict[int, str] = {}  # part, by an event's number
        self._steps = steps
        self._made: dict[tuple[int, int], str] = {}  # part, by thread and sequence
        self._open: list[tuple[Span, str, int]] = []  # with its part, and where its last inner event ended

    def enter(self, span: Span) -> None:
        self.leave(span)
        if not self._open and not any(step.start <= span.start < step.end for step in self._steps):
            return
        part = _named(span.name) or self._made.get((span.forward_thread, span.sequence), "")
        part = part or (self._open[-1][1] if self._open else "rest")
        if span.sequence >= 0 and not span.forward_thread:
            self._made[span.thread, span.sequence] = part
        self.launched[span.number] = part
        self._open.append((span, part, span.start))

    def leave(self, following: Span | None = None) -> None:
        """Closes the events that do not hold the following one."""
        while self._open:
            span, part, at = self._open.pop()
            inside = following is not None and following.thread == span.thread and following.start < span.end
            end = following.start if following and inside else span.end
            # A range without an event waits; what other threads do is counted where they send.
            runs = part == "communication" or (span.thread in self.threads and not span.name.startswith(PREFIX))
            if runs and at < end:
                self.active.append((at, end, part))
            if following and inside:
                self._open.append((span, part, max(at, following.end)))
                return


def _covered(intervals: Intervals) -> int:
    """Length of all together, in which overlaps count once."""
    length = 0
    reached = 0
    for start, end in sorted(intervals):
        length += max(0, end - max(start, reached))
        reached = max(reached, end)
    return length


def _named(name: str) -> str:
    """The part that a name says; empty where it says none."""
    if name.startswith(PREFIX):
        return "rest" if name.startswith(STEP) else name.removeprefix(PREFIX)
    found = next((part for begin, part in BEGINS.items() if name.startswith(begin)), "")
    return found or next((part for word, part in HOLDS.items() if word in name), "")
