"""The kept documents of a run's stage with chosen columns, in the order of the run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.tokenizers.kept_text import text_stages
from curation.core.errors import UserError

COLUMNS = ("doc_id", "url", "source", "crawled_at", "licence", "split", "text")  # by default, those that there are
KEPT = pc.field("drop_reason").is_null()


@dataclass(frozen=True)
class KeptDocuments:
    """The rows of `stages` without a drop reason. `gone` are documents that were taken down; they are left out also
    where a stage still holds them."""

    stages: tuple[SealedStage, ...]
    columns: tuple[str, ...]
    gone: pa.Array

    @classmethod
    def of(cls, run: RunFolder, stage: str | None = None, columns: Sequence[str] | None = None) -> Self:
        """Those of the stage with this name or, for None, of the last stages; `columns` may be fields, such as
        "language.label". Raises InputError for a stage without text, UserError for a column that a stage lacks,
        while a takedown is cut off, and for None where the run is not finished."""
        if not run.record.takedowns_finished:
            raise UserError(f"a takedown in {run.folder} was cut off; run the same `winnow takedown` again, then this")
        if stage is None and not run.record.complete:
            raise UserError(
                f"{run.folder} is not finished, so its last text is not there yet; name a --stage, or run it on"
            )
        stages = tuple(text_stages(run, stage))
        if columns is None:
            columns = [name for name in COLUMNS if all(name in one.schema.names for one in stages)]
        if not columns or len({*columns}) < len(columns):
            raise UserError(f"columns are {', '.join(columns) or 'none'}; name each once, at least one")
        for one in stages:
            one.check_columns(columns)
        return cls(stages, tuple(columns), pa.array(run.record.tombstones, pa.string()))

    @property
    def count(self) -> int:
        """Documents that the stages kept, those in `gone` among them."""
        return sum(stage.manifest.total("kept") for stage in self.stages)

    def has(self, column: str) -> bool:
        return all(column in stage.schema.names for stage in self.stages)

    def batches(self, *further: str) -> Iterator[pa.Table]:
        """Tables with `columns`, those of `further` behind them, and no empty ones. Memory: a row group."""
        wanted = list(dict.fromkeys((*self.columns, *further)))
        read = list(dict.fromkeys((*wanted, "doc_id")))
        for stage in self.stages:
            for batch in stage.scan(read, KEPT):
                table = pa.table(batch)
                if len(self.gone):
                    table = table.filter(pc.invert(pc.is_in(table["doc_id"], self.gone)))
                if "text" in wanted:
                    table = table.filter(table["text"].is_valid())  # null if the document was taken down
                if table.num_rows:
                    yield plain(table.select(wanted))


def plain(table: pa.Table) -> pa.Table:
    """The table with strings of 32-bit offsets, as other libraries make them."""
    fields = [pa.field(f.name, pa.string()) if pa.types.is_large_string(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
