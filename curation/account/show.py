"""Looks into one stage's output: rows with their reason, signals and the beginning of their text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from curation.account.funnel import open_stages
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest
from curation.core.parquet_file import open_parquet
from curation.core.settings import nearest

PREVIEW = 300  # characters of text
WIDE = ("tokens",)


@dataclass(frozen=True)
class Row:
    """A document as the stage left it."""

    doc_id: str
    url: str | None
    reason: str | None
    text: str
    signals: dict[str, Any]


def show(folder: str, stage: str, *, reason: str | None = None, limit: int = 10) -> list[Row]:
    """The first rows of a stage, in shard order: with a reason that begins with `reason`, "kept", or all.

    `stage` is the stage's name or folder. Raises InputError for an unknown stage, or a reason that it never gave.
    """
    path, manifest = find_stage(folder, stage)
    if not manifest.parts:
        raise InputError(f"{stage} is a {manifest.verb} stage and holds no documents; look at the stage before it")
    given = manifest.merged("dropped")
    if reason not in (None, "kept") and not any(one.startswith(str(reason)) for one in given):
        raise InputError(f"{stage} dropped nothing as {reason!r}{nearest(str(reason), [*given, 'kept'])}")
    rows: list[Row] = []
    for part in manifest.parts:
        if reason not in (None, "kept") and not any(one.startswith(str(reason)) for one in part.dropped):
            continue
        for row in _rows(storage.join(path, part.file), reason):
            if len(rows) == limit:
                return rows
            rows.append(row)
    return rows


def find_stage(folder: str, stage: str) -> tuple[str, Manifest]:
    """Folder and manifest of a stage by its name or folder name."""
    _, stages = open_stages(folder)
    for entry, path, manifest in stages:
        if stage in (entry.name, entry.folder):
            return path, manifest
    names = [entry.name for entry, _, _ in stages]
    raise InputError(f"the run has no stage {stage!r}{nearest(stage, names)}")


def _rows(path: str, reason: str | None) -> Iterator[Row]:
    with open_parquet(path) as parquet:
        columns = [field.name for field in parquet.schema_arrow if field.name not in WIDE]
        for group in range(parquet.metadata.num_row_groups):
            table = parquet.read_row_group(group, columns=columns)
            if reason == "kept":
                table = table.filter(pc.is_null(table["drop_reason"]))
            elif reason is not None:
                table = table.filter(pc.fill_null(pc.starts_with(table["drop_reason"], reason), False))
            for values in table.to_pylist():
                yield _row(values)


def _row(values: dict[str, Any]) -> Row:
    signals = {name: value for name, value in values.items() if isinstance(value, dict)}
    text = (values["text"] or "")[:PREVIEW]
    return Row(values["doc_id"], values["url"], values["drop_reason"], text, signals)
