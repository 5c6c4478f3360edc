"""What to know of a stage before it runs: sizes of filters, and the number and memory of its tasks."""

from curation.core.component import each
from curation.core.credentials import masked
from curation.core.dedup_methods import DedupMethod, Methods
from curation.core.needs import MEMORY
from curation.engine.dedup.layout import ROW_BYTES, WORKED_ON
from curation.engine.recipe.dedup_checks import least_buckets
from curation.engine.recipe.options import DedupOptions
from curation.engine.recipe.recipe import Stage
from curation.engine.run.exchange import BUCKET_BYTES, buckets_for


def notes(stage: Stage, documents: int | None = None) -> tuple[str, ...]:
    """What to know of a stage before it runs: the notes of its components or, of dedup, the sizes of the filters
    that it reads and writes, and the number and size of its buckets for so many documents."""
    if not isinstance(stage.options, DedupOptions):
        return tuple(line for _, component in stage.components for line in component.notes())
    methods = each(DedupMethod, stage.components)
    least = least_buckets(methods)
    lines = [line for _, method in methods for line in method.lines(least)]
    note = _exchange_note(methods, documents, least)
    return tuple(map(masked, [*lines, note] if note else lines))


def _exchange_note(methods: Methods, documents: int | None, least: int) -> str:
    """Says the number of buckets and the memory of a task on one; "" for a single small one."""
    counts = [method.keys_each() for _, method in methods]
    most = f"its task takes up to {(MEMORY + WORKED_ON * BUCKET_BYTES) / 2**30:.1f} GiB"
    if None in counts:
        rows = BUCKET_BYTES // ROW_BYTES
        return f"exchange: a bucket for every {rows:,} keys, whose number is known once they are made; {most}"
    keys = sum(count for count in counts if count is not None)
    each = f"{keys} key{'s' if keys > 1 else ''} each"
    if documents is None:
        return f"exchange: a bucket for every {BUCKET_BYTES // ROW_BYTES // keys:,} documents ({each}); {most}"
    size = documents * keys * ROW_BYTES
    buckets = buckets_for(size, least)
    if buckets == 1:
        return ""
    task = (MEMORY + WORKED_ON * size // buckets) / 2**30
    return (
        f"exchange: up to {buckets:,} buckets for {documents:,} documents ({each}); a task takes up to {task:.1f} GiB"
    )
