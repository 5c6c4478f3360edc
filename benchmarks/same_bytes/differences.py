"""Says where two recordings differ."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ABSENT = "absent"
ADDRESSES = "addresses"
Place = tuple[
    str, ...
]  # names from the outside in, such as runs, demo, stages, gopher, files, part-00000.parquet, bytes


@dataclass(frozen=True)
class Difference:
    """One value that differs: `place` has run, stage, file and kind; ABSENT where one side has no such value."""

    place: Place
    before: Any
    after: Any


def in_one_only(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The runs that only one side has, which cannot be compared."""
    return sorted(before["runs"].keys() ^ after["runs"].keys())


def data_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """All but those of addresses, in the order of their places; runs that only one side has are passed over."""
    passed_over = {("runs", run) for run in in_one_only(before, after)}
    one = _leaves(before, passed_over)
    other = _leaves(after, passed_over)
    return _differences(one, other)


def _differences(one: Mapping[Place, Any], other: Mapping[Place, Any]) -> list[Difference]:
    return [
        Difference(place, one.get(place, ABSENT), other.get(place, ABSENT))
        for place in sorted(one.keys() | other.keys())
        if repr(one.get(place, ABSENT)) != repr(other.get(place, ABSENT))  # 2 and 2.0 are not printed alike
    ]


def changed_addresses(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Place, list[str]]:
    """Run and stage -> the parts of the address that changed; none where it only follows that of a stage before."""
    changed: dict[Place, list[str]] = {}
    for run, stages in _addresses(before).items():
        for stage, now in _addresses(after).get(run, {}).items():
            then = stages.get(stage, now)
            if then["address"] != now["address"]:
                parts = _differences(_leaves(then["parts"]), _leaves(now["parts"]))
                changed[run, stage] = sorted({part.place[0] for part in parts})
    return changed


def _addresses(recording: Mapping[str, Any]) -> dict[str, Any]:
    return {name: run.get(ADDRESSES, {}) for name, run in recording["runs"].items()}


def _leaves(recording: Mapping[str, Any], passed_over: Collection[Place] = ()) -> dict[Place, Any]:
    """Place -> value; an empty mapping or list is a value too. Addresses and places in `passed_over` are left out."""
    return {
        place: value
        for place, value in _walk((), recording)
        if place[:2] not in passed_over and place[2:3] != (ADDRESSES,)
    }


def _walk(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _walk((*place, key), item)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _walk((*place, str(number)), item)
    else:
        yield place, value
