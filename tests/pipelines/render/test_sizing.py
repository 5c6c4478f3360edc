"""What a run will take: a row per stage, one line for all, then warnings and what is assumed."""

from dataclasses import replace

from curation.engine.sizing.sizing import Sizing, StageSize
from pipelines.render.sizing import sizing
from tests.pipelines.render.printed import cells, printed

STAGE = StageSize("extract", 2_700_000_000, 90_000, 21_600_000.0, 7200.0, 7_400_000_000_000, 360_000, 3 << 30, ())
SIZED = Sizing(
    nodes=100,
    cpus=32,
    hours=2.0,
    node_hours=200.0,
    core_hours=6000.0,
    cost=250.0,
    file_bytes=7_400_000_000_000,
    requests=360_000,
    memory=3 * 10**9,
    stages=(STAGE, replace(STAGE, name="mix", documents=0, units=0)),
    warnings=("extract, step read: [slow]",),
    assumed=("one thing", "another"),
)


def test_a_row_per_stage_and_a_line_for_all() -> None:
    lines = printed(sizing, SIZED)
    rows = cells(lines)
    assert rows[0] == ["extract", "2,700,000,000", "90,000", "6,000", "2", "7,400", "360,000", "3.2"]
    assert rows[1][:3] == ["mix", "", "0"]
    explained, total, warning, assumed = lines[-4:]
    assert explained == "GB memory: of one task, which takes one core; units: tasks of the stage"
    assert total == (
        "total: 2 hours on 100 nodes of 32 cores, 250.00 at the price given; 6,000 core-hours of work, "
        "7,400 GB written, up to 360,000 requests; 96 GB of memory keep all cores of a node busy"
    )
    assert warning == "warning: extract, step read: [slow]"
    assert assumed == "assumed: one thing; another"


def test_no_price_no_cost() -> None:
    assert "at the price" not in "".join(printed(sizing, replace(SIZED, cost=None)))
