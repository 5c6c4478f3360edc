"""Says in one line or a small table what a run holds, and reads the documents that it kept and dropped."""

from collections.abc import Iterator, Sequence
from html import escape

import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.walk import last_stages
from curation.core.wording import counted


def summary(run: RunFolder) -> str:
    """ "Run runs/demo: 15 stages, 3,395 documents read, 2,123 kept, 2,138,326 tokens packed". Raises InputError where a
    stage is no longer sealed."""
    read = sum(stage.manifest.total("rows") for stage in run.stages if stage.verb.begins)
    kept = sum(stage.manifest.total("kept") for stage in last_stages(run.stages))
    packs = [stage.manifest.tokens or {} for stage in run.stages if stage.verb.packs]
    tokens = sum(part["tokens"] for pack in packs for part in pack["parts"])
    parts = [counted(len(run.stages), "stage"), f"{counted(read, 'document')} read", f"{kept:,} kept"]
    parts += [f"{counted(tokens, 'token')} packed"] if tokens else []
    return f"Run {run.folder}: {', '.join(parts)}{'' if run.record.complete else '; not finished'}"


def kept(run: RunFolder, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The documents that every stage kept and nobody has taken down, in order. Raises as `SealedStage.scan`."""
    gone = pc.field("doc_id").isin(pa.array(run.record.tombstones, pa.string()))
    for stage in last_stages(run.stages):
        yield from stage.scan(columns, where=pc.field("drop_reason").is_null() & ~gone)


def dropped(run: RunFolder, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The documents that each stage dropped, with these columns, followed by `stage` and `drop_reason`: each document
    once, in the order of the stages. Raises as `SealedStage.scan`."""
    names = [name for name in dict.fromkeys(columns) if name not in ("stage", "drop_reason")]
    for stage in run.stages:
        if not stage.verb.documents:
            continue
        for batch in stage.scan([*names, "drop_reason"], where=pc.field("drop_reason").is_valid()):
            stages = pa.array([stage.name] * len(batch), pa.string())
            given = [batch.column(name) for name in names]
            yield pa.RecordBatch.from_arrays(
                [*given, stages, batch.column("drop_reason")], [*names, "stage", "drop_reason"]
            )


def as_html(run: RunFolder) -> str:
    """The summary over a table of the stages of documents: what each read, dropped and kept."""
    rows = []
    for stage in run.stages:
        if stage.verb.documents:
            read, left = (stage.manifest.total(name) for name in ("rows", "kept"))
            figures = "".join(f"<td>{figure:,}</td>" for figure in (read, read - left, left))
            rows.append(f"<tr><th>{escape(stage.name)}</th>{figures}</tr>")
    head = "<tr><th>stage</th><th>in</th><th>dropped</th><th>kept</th></tr>"
    return f"<p>{escape(summary(run))}</p><table>{head}{''.join(rows)}</table>"
