"""Writes the kept text of a run as files that other tools read, with a list of them.

    part-00000.parquet …, or .jsonl, .jsonl.gz, .jsonl.zst
    datasets: train-00000.parquet …, validation-00000.parquet …, README.md, which `load_dataset` reads the splits from
    _export: JSON of what was written, from which stages; last, so in a store the folder is whole once it is there

Memory is a few row groups, however large the run. The same run gives the same bytes.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from curation.account.sealed.run_folder import RunFolder
from curation.account.texts.kept_documents import KeptDocuments
from curation.account.texts.text_files import DocumentFiles, Form, TextFile, by_split
from curation.core import storage
from curation.core.errors import UserError
from curation.core.new_folder import new_folder

LIST = "_export"  # without an ending, by which `datasets` would take it for data
README = """---
configs:
- config_name: default
  data_files:
{files}
---
# {name}

{documents:,} documents, as winnow's run {name} kept them in its stage {stages}. Load with `datasets.load_dataset`.
The columns are {columns}.
"""


@dataclass(frozen=True, kw_only=True)
class TextExport:
    """The files that were written, and what they hold."""

    format: str
    output: str
    run: str
    stages: tuple[str, ...]  # folders
    columns: tuple[str, ...]
    documents: int
    files: tuple[TextFile, ...]


def export_text(
    run: RunFolder,
    output: str,
    *,
    form: Form = "parquet",
    stage: str | None = None,
    columns: Sequence[str] | None = None,
) -> TextExport:
    """The kept documents of the stage with this name or, for None, of the last ones, in a new folder. `columns` are
    those of `KeptDocuments.of`.

    Raises UserError for an output that is not empty and a column that is not there, InputError for a stage without
    text.
    """
    documents = KeptDocuments.of(run, stage, columns)
    with writing(run, documents, output, form) as (folder, files):
        files += (_datasets if form == "datasets" else _plain)(documents, folder, form)
        if form == "datasets":
            storage.write_bytes(storage.join(folder, "README.md"), _readme(run, documents, files).encode())
    return account(run, documents, output, form, files)


@contextmanager
def writing(run: RunFolder, documents: KeptDocuments, output: str, form: str) -> Iterator[tuple[str, list[TextFile]]]:
    """A new folder and the list of its files, to be added to; LIST is written at the end. Raises UserError where
    there was no document."""
    files = list[TextFile]()
    with new_folder(output) as folder:
        yield folder, files
        if not files:
            raise UserError(f"no document of {run.folder} is left; see `winnow funnel {run.folder}`")
        listed = asdict(account(run, documents, output, form, files))
        del listed["output"]  # a folder may be moved
        storage.write_bytes(storage.join(folder, LIST), (json.dumps(listed, indent=1) + "\n").encode())


def account(run: RunFolder, documents: KeptDocuments, output: str, form: str, files: Sequence[TextFile]) -> TextExport:
    return TextExport(
        format=form,
        output=storage.absolute(output),
        run=run.record.name,
        stages=tuple(stage.entry.folder for stage in documents.stages),
        columns=documents.columns,
        documents=sum(file.documents for file in files),
        files=tuple(files),
    )


def _plain(documents: KeptDocuments, folder: str, form: Form) -> list[TextFile]:
    files = DocumentFiles(folder, "part", form)
    for table in documents.batches():
        files.add(table)
    return files.close()


def _datasets(documents: KeptDocuments, folder: str, form: Form) -> list[TextFile]:
    """By the splits that `tokenize` made; without one, all documents are for training."""
    splits = ("train", "validation") if documents.has("split") else ("train",)
    files = {split: DocumentFiles(folder, split, form) for split in splits}
    for table in documents.batches(*(["split"] if documents.has("split") else [])):
        for split, rows in by_split(table) if len(splits) > 1 else (("train", table),):
            files[split].add(rows.select(list(documents.columns)))
    return [file for one in files.values() for file in one.close()]


def _readme(run: RunFolder, documents: KeptDocuments, files: Sequence[TextFile]) -> str:
    splits = dict.fromkeys(file.name.partition("-")[0] for file in files)
    return README.format(
        files="\n".join(f"  - split: {split}\n    path: {split}-*.parquet" for split in splits),
        name=run.record.name,
        documents=sum(file.documents for file in files),
        stages=" and ".join(stage.name for stage in documents.stages),
        columns=", ".join(f"`{name}`" for name in documents.columns),
    )
