"""What the limits and edits of a run's recipe cost documents that people call good: books, papers, an encyclopedia.

    winnow audit RUN --clean good.jsonl.gz      a file, folder or glob of JSON lines or Parquet with a field `text`
    winnow audit RUN --clean books              a source of the recipe

A file's documents go through the filters and rewriters of each source of the recipe, with the run's own assets, in this
process. Each limit is tried on all of them. Stages that compare documents are left out, since copies are no matter of a
document. Of a source, the run's own signals and verdicts are read, of all its stages.

Tokens are those of the run's tokenizer, each document with its end, or, where the run has none, words. Documents are
told apart by the field `kind`, else `source`, where a file has it, else by file.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.annotate.files import FileUnit, file_units
from curation.account.audit.losses import measured, stored
from curation.account.audit.losses.measured import GROUP, Count, MeasuredStage
from curation.account.audit.losses.report import ChainLoss, CleanAudit
from curation.account.sealed.components import check_files, components_of
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import TOKENIZER_COPY, SealedStage
from curation.account.sealed.walk import later_stages
from curation.account.tune.limits import rule_sets
from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.text.counts import count_words
from curation.tokens.around_documents import around_documents
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load

FIELDS = ("doc_id", "url", "source", "licence", "declared_language")  # that filters may read besides the text
KINDS = ("kind", "source")  # the fields that documents are told apart by, the first that there is
WORDS = "words"
BATCH_BYTES = 16 << 20  # of text


def audit_clean(run: RunFolder, clean: str) -> CleanAudit:
    """What the run's recipe drops and cuts of the documents of `clean`: a source of the recipe, else files.

    Raises InputError for a run without documents, for files that cannot be read, have no text or no document, for rule
    sets that this winnow does not have, and for models and lists that are no longer what the run read.
    """
    starts = {stage.entry.chain: stage for stage in run.stages if stage.verb.begins}
    if not starts:
        raise InputError(f"{run.folder} has no finished stage of documents; run its recipe with winnow curate")
    name, count = _counter(run)
    if clean in starts:
        return CleanAudit(run.folder, clean, name, "chain", (stored.losses(run, starts[clean], count),))
    units = _units(clean, list(starts))
    fields = [name for name in units[0].fields() if all(name in unit.fields() for unit in units)]
    by = next((name for name in KINDS if name in fields), "")
    columns = ["text", *(name for name in FIELDS if name in fields)]
    if next(documents(units, by, columns), None) is None:
        raise InputError(f"--clean {clean}: there is no document with a text")
    chains = tuple(_of_chain(run, start, units, by, columns, count) for start in starts.values())
    return CleanAudit(run.folder, clean, name, by or "file", chains)


def documents(units: Sequence[FileUnit], by: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """All documents with a text: GROUP, `text` and `columns`, in batches of about BATCH_BYTES of text at most."""
    for unit in units:
        for table in unit.texts(list(dict.fromkeys(["text", *columns, *([by] if by else [])]))):
            table = table.filter(table["text"].is_valid())
            group = _group(table, by, unit)
            wanted = [pc.cast(table[name], pa.large_string() if name == "text" else pa.string()) for name in columns]
            table = pa.Table.from_arrays([group, *wanted], names=[GROUP, *columns]).combine_chunks()
            yield from (part for batch in table.to_batches() for part in parts(batch))


def words(text: pa.Array) -> Ints:
    """int64[N]: words of each text[N], 0 for null."""
    return np.asarray(count_words(text).words)


def _units(clean: str, chains: Sequence[str]) -> list[FileUnit]:
    try:
        return file_units(clean, None)
    except InputError as error:
        if not any(mark in clean for mark in "/.*?["):
            hint = nearest(clean, chains)
            raise InputError(f"--clean {clean}: neither a file nor a source of the recipe{hint}") from error
        raise


def _of_chain(
    run: RunFolder, start: SealedStage, units: Sequence[FileUnit], by: str, columns: Sequence[str], count: Count
) -> ChainLoss:
    steps = list[MeasuredStage]()
    left_out = list[str]()
    for stage in later_stages(run, start):
        if stage.verb.judges or stage.verb.edits:
            components = rule_sets(run, stage) if stage.verb.judges else components_of(run, stage)
            check_files(stage, components)
            steps.append(MeasuredStage(stage.name, stage.verb, tuple(components.items())))
        elif stage.verb.clusters:
            left_out.append(f"{stage.name} compares documents, and is left out")
    if not steps:
        raise InputError(f"the source {start.entry.chain} has no finished filter or rewriter, so nothing is lost")
    return measured.losses(start.entry.chain, steps, documents(units, by, columns), columns, count, left_out)


def _counter(run: RunFolder) -> tuple[str, Count]:
    """What is counted, and how: tokens of the run's last tokenizer, else words."""
    encoding = [stage for stage in run.stages if stage.verb.encodes]
    for stage in reversed(encoding):
        for name in storage.list_names(stage.folder):
            if name.startswith(TOKENIZER_COPY):
                around = around_documents(stage.manifest)
                tokenizer = load(storage.join(stage.folder, name), around["begin"], around["end"])
                return f"tokens of {stage.name}", partial(_encoded, tokenizer)
    return WORDS, words


def _encoded(tokenizer: LoadedTokenizer, text: pa.Array) -> Ints:
    lengths = np.asarray(pc.list_value_length(tokenizer.encode(text)), np.int64)
    return np.where(np.asarray(text.is_valid()), lengths, 0)


def _group(table: pa.Table, by: str, unit: FileUnit) -> pa.ChunkedArray:
    if by:
        return pc.fill_null(table[by].cast(pa.string()), "(none)")
    name = pa.repeat(pa.scalar(PurePosixPath(unit.path).name), len(table))
    return pa.chunked_array([name])


def parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Slices of about BATCH_BYTES of text."""
    lengths = np.asarray(pc.binary_length(batch.column("text")), np.int64)
    part = np.cumsum(lengths) // BATCH_BYTES
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(batch)]
    yield from (batch.slice(start, stop - start) for start, stop in pairwise(edges) if stop > start)
