"""A task's memory does not grow with its unit: ten times the unit takes at most half as much again."""

import gzip
import json
from pathlib import Path

import pytest

from tests.runs import python

PEAK = """
import resource, sys
from pathlib import Path
from curation.core.protocols import Piece
from curation.engine.recipe.schemas import after
from curation.engine.run.read_step import ReadStep
from curation.engine.run.steps import MapStep, ShardSources
from curation.engine.executor.work import Unit
from curation.core.verbs import FILTER
from curation.filters.gopher_quality import GopherQuality
from curation.sources.jsonl import Jsonl
inputs, folder = sys.argv[1:]
read = ReadStep(folder, "docs", Jsonl(paths=(inputs,)), None, 1 << 40)
commit = read.run(Unit(0, (Piece(inputs),)))
components = (("gopher_quality", GopherQuality()),)
schema = after(FILTER, components, read.schema())
Path(folder, "next").mkdir()
step = MapStep(folder + "/next", FILTER, components, tuple(read.schema().names), ShardSources.of(["docs"]), schema)
step.run(Unit(0, (folder + "/" + commit.parts[0].file,)))
print(commit.parts[0].text_bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(folder: Path, megabytes: int) -> tuple[int, int]:
    """Bytes of text of a unit, and the peak of a process (kB) that read and filtered it."""
    folder.mkdir()
    path = folder / "unit.jsonl.gz"
    line = json.dumps({"text": "some words of a page that goes on and on " * 250}) + "\n"
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(megabytes * 1_000_000 // len(line)):
            file.write(line)
    done = python(PEAK, str(path), str(folder))
    assert done.returncode == 0, done.stderr
    text, memory = map(int, done.stdout.split())
    return text, memory


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_memory_of_a_task(tmp_path: Path) -> None:
    small = peak(tmp_path / "small", 200)
    large = peak(tmp_path / "large", 2000)
    print(f"{small[0] / 1e6:.0f} MB: {small[1] / 1e3:.0f} MB; {large[0] / 1e6:.0f} MB: {large[1] / 1e3:.0f} MB")
    assert large[0] > 9.9 * small[0]
    assert large[1] <= 1.5 * small[1]
