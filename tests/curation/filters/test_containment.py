"""How much of a document stands in others: the limit at its value and past it, and what may be no share."""

from typing import Any

import pyarrow as pa
import pytest

from curation.core.component import struct_type
from curation.core.errors import RecipeError
from curation.dedup.line import Line
from curation.filters.containment import Containment
from tests.support import documents, verdict

SPANS = struct_type(Line().signal_types())


def spans(*bounds: tuple[int, int], size: int) -> dict[str, Any]:
    listed = [{"start": start, "stop": stop} for start, stop in bounds]
    return {"spans": listed, "units": 9, "repeated": len(listed), "text_bytes": size}


def shares(*values: dict[str, Any] | None) -> list[float | None]:
    columns = documents(*["text"] * len(values)).append_column("line", pa.array(values, SPANS))
    found: list[float | None] = Containment(of="line").measure(columns)["share"].to_pylist()
    return found


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        pytest.param([(0, 80)], None, id="80 %"),
        pytest.param([(0, 81)], "share:high", id="81 %"),
        pytest.param([(0, 40), (50, 90)], None, id="two spans"),
        pytest.param([(0, 40), (50, 91)], "share:high", id="two spans, one byte more"),
    ],
)
def test_limit(bounds: list[tuple[int, int]], reason: str | None) -> None:
    assert verdict(Containment(of="line"), "text", line=spans(*bounds, size=100)) == reason
    assert verdict(Containment(of="line", max_share=1.0), "text", line=spans(*bounds, size=100)) is None


def test_shares() -> None:
    none = spans(size=10)
    empty = spans(size=0)
    some = spans((0, 1), (2, 4), size=4)
    assert shares(none, None, some, empty) == [0.0, None, 0.75, 0.0]
    assert shares() == []


def test_a_column_without_passages_is_refused() -> None:
    batch = documents("text", exact=[{"duplicate_of": 1, "copies": 2, "cluster": 1}])
    with pytest.raises(RecipeError, match="exact finds no passages"):
        Containment(of="exact").measure(batch)
