"""A run: the Python API to every question about it.

    run = Run.open("runs/demo")
    run.stage("gopher").to_pandas(["url", "gopher_quality.words"], where=pc.field("drop_reason").is_null())
    run.why(url="https://example.org/page")
    for batch in run.token_batches(batch_rows=8):
        batch.tokens  # uint16[8, row_tokens]

A method imports what it needs when it is called, so that each question imports only its own code.
"""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import InputError, UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from curation.account.audit.audit import Audit
    from curation.account.card.facts import About, Card
    from curation.account.duplicates import StageDuplicates
    from curation.account.evalsets.report import Report
    from curation.account.evalsets.seen import ItemExposure
    from curation.account.evalsets.validation import ValidationOverlap
    from curation.account.funnel import Funnel
    from curation.account.lineage.why import Story
    from curation.account.show import ShownRow
    from curation.account.tune.fit_languages import FittedKits
    from curation.account.tune.tune_report import Tuning
    from curation.account.verify.verify import Verification
    from curation.tokens.shards import RowBatch, TokenData

PARTS = "part-*.parquet"


class Run(RunFolder):
    """Opened by `Run.open(folder)`, which reads only `run.json`. `stages` has the sealed stages, in order."""

    def __str__(self) -> str:
        """One line: its folder, stages, documents and tokens."""
        from curation.account.summary import summary

        return summary(self)

    def __repr__(self) -> str:
        return f"Run.open({self.folder!r})"

    def _repr_html_(self) -> str:
        """A notebook shows the line over a table of the stages."""
        from curation.account.summary import as_html

        return as_html(self)

    def kept(self, columns: Sequence[str] = ("text",)) -> "Iterator[pa.RecordBatch]":
        """The documents that every stage kept, with these columns, as `SealedStage.scan` gives them."""
        from curation.account.summary import kept

        return kept(self, columns)

    def dropped(self, columns: Sequence[str] = ("text",)) -> "Iterator[pa.RecordBatch]":
        """The documents that a stage dropped, each once, with these columns, the `stage` and its `drop_reason`."""
        from curation.account.summary import dropped

        return dropped(self, columns)

    def texts(self) -> Iterator[str]:
        """The texts that every stage kept."""
        return (text for batch in self.kept() for text in batch.column("text").to_pylist())

    def funnel(self) -> "Funnel":
        """What each stage read, kept and dropped, and why."""
        from curation.account.funnel import funnel

        return funnel(self)

    def why(
        self,
        *,
        url: str | None = None,
        doc_id: str | None = None,
        record_id: str | None = None,
        trainings: Sequence[str] = (),
    ) -> "list[Story]":
        """Every decision about the documents with this url, or this id in their data set, or the one with this doc_id,
        then their token rows and the training steps that saw them. `trainings` are folders of training runs in addition
        to those beside the run.

        Raises InputError if there is no such document.
        """
        from curation.account.lineage.why import why

        return why(self, url=url, doc_id=doc_id, record_id=record_id, trainings=trainings)

    def show(
        self,
        stage: str,
        *,
        reason: str | None = None,
        kept: bool = False,
        limit: int = 10,
        random: int | None = None,
        seed: int = 0,
    ) -> "list[ShownRow]":
        """The first rows of a stage, or `random` ones of all its parts: of all documents, of those that it kept, or of
        those whose drop reason begins with `reason`."""
        from curation.account.redacted import Redactor
        from curation.account.show import show

        return show(
            self.stage(stage), Redactor.of(self), reason=reason, kept=kept, limit=limit, random=random, seed=seed
        )

    def files(self, stage: str | None = None) -> list[str]:
        """Globs of the part files of the stage with this name or folder, or of every stage of documents, in order.

        A glob over the run's folder would count documents several times: it also keeps the sealed stages of earlier
        recipes, so that going back to one costs nothing. Raises InputError for an unknown stage, a stage without
        documents, and a run without documents.
        """
        stages = self.stages if stage is None else (self.stage(stage),)
        folders = [source.folder for source in stages if source.verb.documents and source.shards]
        if not folders and stage is not None:
            raise InputError(f"{stage} is a {stages[0].verb} stage and has no documents; name another stage, or none")
        if not folders:
            raise InputError(f"{self.folder} has no finished stage with documents; run its recipe with winnow curate")
        return [storage.join(glob.escape(folder), PARTS) for folder in folders]

    def duplicates(self) -> "list[StageDuplicates]":
        """What each dedup stage removed."""
        from curation.account.duplicates import duplicates

        return duplicates(self)

    def tune(self, stage: str | None = None, **limits: Any) -> "list[Tuning]":
        """What other limits would win and lose; `limits` as `curation.account.tune.tune.tune` takes them."""
        from curation.account.tune.tune import tune

        return tune(self, stage, **limits)

    def fit_languages(self, folder: str, stage: str | None = None, *, quantile: float | None = None) -> "FittedKits":
        """Writes kits of languages fitted to the run's filter stages; see `curation.account.tune.fit_languages`."""
        from curation.account.tune.fit_languages import fit_languages
        from curation.account.tune.tune import chosen

        return fit_languages(self, chosen(self, stage, {}), Path(folder), quantile=quantile)

    def audit(self, *, by: Sequence[str] = (), terms: Sequence[str] = (), attributes: Sequence[str] = ()) -> "Audit":
        """Which groups the stages drop more often than the rest; see `curation.account.audit.audit.audit`."""
        from curation.account.audit.audit import audit

        return audit(self, by=by, terms=terms, attributes=attributes)

    def evalsets_report(self) -> "Report":
        """How many items of each evaluation set its documents hold, before and after its stages; see
        `curation.account.evalsets.report`. Raises InputError without a contamination stage."""
        from curation.account.evalsets.report import report

        return report(self)

    def evalsets_seen(self, item: str, *, model: str | None = None, trainings: Sequence[str] = ()) -> "ItemExposure":
        """Which documents hold an item, by its id or its text, and which token rows and training steps; `model`, a
        training run's folder, limits the answer to what that model has read."""
        from curation.account.evalsets.seen import seen

        return seen(self, item, model=model, trainings=trainings)

    def evalsets_validation(self) -> "ValidationOverlap":
        """Near copies of the validation documents among the training documents. Raises InputError without a validation
        split."""
        from curation.account.evalsets.validation import validation

        return validation(self)

    def card(self, about: "About | None" = None) -> "Card":
        """The facts of the run's data card."""
        from curation.account.card.card import card

        return card(self, about)

    def verify(self, *, deep: bool = False) -> "Verification":
        """Whether the files of all its stages are what their commits say; `deep` reads them all."""
        from curation.account.verify.verify import verify

        return verify(self, deep=deep)

    def token_data(self) -> "TokenData":
        """Training and validation rows of the run's last mix, by step and by position. Raises InputError without a
        mix."""
        from curation.tokens.shards import TokenData

        return TokenData.open(self.folder)

    def token_batches(self, batch_rows: int, *, first_step: int = 0) -> "Iterator[RowBatch]":
        """The mix's batches in the order of training: `tokens` uint16|uint32[B, L] and `segment_ids` int32[B, L], with
        L = sequence length + 1 and B = batch_rows. The last batch has the rows that are left, so it may be smaller.
        Raises InputError without a mix, UserError for less than one row or a step before the first."""
        if batch_rows < 1 or first_step < 0:
            raise UserError(f"batch_rows is {batch_rows} and first_step {first_step}; give at least 1 and 0")
        data = self.token_data()
        places = range(first_step * batch_rows, data.rows, batch_rows)
        return (data.read(first, min(batch_rows, data.rows - first)) for first in places)
