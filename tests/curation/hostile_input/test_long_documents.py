"""The longest document that a source lets through, made of the shortest words and lines, in every shipped recipe."""

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.dedup_methods import DedupMethod, Verifies
from curation.core.document import DOCUMENT, MAX_DOCUMENT_BYTES
from curation.engine.apply import mapped
from curation.engine.recipe.recipe import Stage, parse
from curation.text.text_hash import text_hashes
from tests.peak_memory import LIMIT, peak_memory

RECIPES = Path(__file__).parents[3] / "pipelines" / "curate"
SHAPES = ("words", "lines", "sentences")
ENGINE = 4 * MAX_DOCUMENT_BYTES // 10**6  # MB: copies that a task holds beside what its component takes


def longest(shape: str, size: int = MAX_DOCUMENT_BYTES) -> pa.RecordBatch:
    """A document of `size` bytes of letters, each followed by a space, a newline, or a full stop and a space."""
    mark = {"words": b" ", "lines": b"\n", "sentences": b". "}[shape]
    data = np.tile(np.frombuffer(b"x" + mark, np.uint8), size // (1 + len(mark)))
    data[:: 1 + len(mark)] = np.random.default_rng(1).integers(97, 123, len(data[:: 1 + len(mark)]), np.uint8)
    ends = pa.array([0, len(data)], pa.int64()).buffers()[1]
    text = pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(data))
    names = {"doc_id": "0" * 32, "url": "https://example.org/a", "source": "web"}
    columns = {f.name: text if f.name == "text" else pa.array([names.get(f.name)], f.type) for f in DOCUMENT}
    return pa.RecordBatch.from_pydict(columns, schema=DOCUMENT)


def stages() -> list[tuple[str, int]]:
    """(recipe, number) of every stage with components that read text, without those that need what a fit of the run
    learns, such as "@evalsets"; each set of components once."""
    seen = {}
    for path in sorted(RECIPES.glob("*.yaml")):
        for number, stage in enumerate(_stages(path.stem)):
            if stage.verb.name in ("filter", "rewrite", "dedup") and "'@" not in repr(stage.components):
                seen.setdefault((stage.verb.name, repr(stage.components)), (path.stem, number))
    return list(seen.values())


def _stages(recipe: str) -> list[Stage]:
    parsed = parse((RECIPES / f"{recipe}.yaml").read_text(), recipe)
    return list(itertools.chain(*parsed.sources.values(), parsed.joined))


def measure(recipe: str, number: int, shape: str) -> None:
    stage = _stages(recipe)[number]
    batch = longest(shape)
    if stage.verb.name != "dedup":
        needed = {name for _, component in stage.components for name in component.reads}
        if needed <= set(batch.schema.names):
            mapped(stage.verb, stage.components, batch)
        return
    for _, method in stage.components:
        assert isinstance(method, DedupMethod)
        method.keys_of(method.sign(batch)) if isinstance(method, Verifies) else method.keys(batch)
    text_hashes(batch["text"])


@pytest.mark.soak
@pytest.mark.parametrize(("recipe", "number"), stages())
def test_a_stage_stays_within_a_task_on_the_longest_document(recipe: str, number: int) -> None:
    peaks = {shape: peak_memory(measure, recipe, number, shape)[0] for shape in SHAPES}
    print(recipe, number, peaks)
    assert max(peaks.values()) + ENGINE <= LIMIT, peaks
