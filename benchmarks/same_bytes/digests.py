"""Digests of what a run wrote, by the names of its stages; addresses, times and absolute paths are left out."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

# Files of the engine's own bookkeeping, which hold seconds, and locks.
BOOKKEEPING = ("_manifest.json", ".lock")
COMMITS = "group-"
# Of a manifest: what is a time, an address or a version, and what stands elsewhere here.
NOT_DATA = {"address", "address_parts", "format", "steps", "versions", "wall_seconds"}
TIMES = {"seconds", "wall_seconds", "first_seconds", "cpu_seconds", "when", "created", "date", "modified"}

Json = Any


def stages(run: Path) -> dict[str, Json]:
    """Stage -> `files` (name -> `bytes`, and of a Parquet file `rows` and `columns`), `drop_reasons` and `manifest`."""
    names = _names(run)
    digests = {}
    for entry in _entries(run):
        folder = run / entry["folder"]
        files = [file for file in sorted(folder.rglob("*")) if _is_data(file)]
        tables = {file: pq.ParquetFile(file).read() for file in files if file.suffix == ".parquet"}
        manifest = json.loads((folder / "_manifest.json").read_bytes())
        digests[entry["name"]] = {
            "files": {str(file.relative_to(folder)): _file(file, tables.get(file), names) for file in files},
            "drop_reasons": _reasons(tables.values()),
            "manifest": without_names({key: manifest[key] for key in manifest.keys() - NOT_DATA}, names),
        }
    return digests


def addresses(run: Path) -> dict[str, Json]:
    """Stage -> its `address`, and `parts`: that of which it is the hash, without the addresses of other stages."""
    parts = {}
    for entry in _entries(run):
        manifest = json.loads((run / entry["folder"] / "_manifest.json").read_bytes())
        own = {key: value for key, value in manifest["address_parts"].items() if key != "upstream"}
        parts[entry["name"]] = {"address": entry["address"], "parts": without_names(own, _names(run))}
    return parts


def names_of(run: Path) -> dict[str, str]:
    """What stands for a stage or a place -> what stands for it here; longer ones first."""
    return _names(run) if (run / "run.json").exists() else {str(run.parent.parent): ""}


def stage_names(run: Path, verb: str) -> list[str]:
    """The stages of a verb, in order."""
    return [entry["name"] for entry in _entries(run) if entry["verb"] == verb]


def first_document(run: Path, verb: str) -> list[str]:
    """The doc_id of the first row of the first stage of a verb; none if that has no documents."""
    folders = [run / entry["folder"] for entry in _entries(run) if entry["verb"] == verb]
    files = [file for folder in folders[:1] for file in sorted(folder.glob("part-*.parquet"))]
    tables = (pq.read_table(file, columns=["doc_id"], partitioning=None) for file in files)
    return next((table["doc_id"].slice(0, 1).to_pylist() for table in tables if table.num_rows), [])


def without_names(value: Json, names: Mapping[str, str]) -> Json:
    """The value without times, with the names of stages in place of their addresses."""
    if isinstance(value, dict):
        return {
            without_names(key, names): without_names(item, names) for key, item in value.items() if key not in TIMES
        }
    if isinstance(value, list):
        return [without_names(item, names) for item in value]
    if isinstance(value, str):
        for name, short in names.items():
            value = value.replace(name, short)
    return value


def _entries(run: Path) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = json.loads((run / "run.json").read_bytes())["stages"]
    assert len({entry["name"] for entry in entries}) == len(entries), "a recipe's stages have different names"
    return entries


def _names(run: Path) -> dict[str, str]:
    names = {str(run.parent.parent): ""}
    for entry in _entries(run):
        names[entry["address"]] = entry["name"]
        names[entry["folder"]] = entry["name"]
    return names


def _is_data(file: Path) -> bool:
    return file.is_file() and file.name not in BOOKKEEPING and not file.name.startswith(COMMITS)


def _file(file: Path, table: pa.Table | None, names: Mapping[str, str]) -> Json:
    content = file.read_bytes()
    if file.suffix == ".json":  # a mix's index names the folders of its rows; no other file of data has an address
        content = without_names(content.decode(), names).encode()
    digest: Json = {"bytes": hashlib.sha256(content).hexdigest()}
    if table is not None:
        digest["rows"] = table.num_rows
        digest["columns"] = {name: _column(table[name]) for name in table.column_names}
    return digest


def _column(column: pa.ChunkedArray) -> str:
    """The type and a hash of the values, whatever the chunks."""
    values = pa.table({"column": column}).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, values.schema) as writer:
        writer.write_table(values)
    return f"{column.type} {hashlib.sha256(sink.getvalue()).hexdigest()}"


def _reasons(tables: Any) -> dict[str, int]:
    """Drop reason -> documents, over all part files."""
    counts = Counter[str]()
    for table in tables:
        if "drop_reason" in table.column_names:
            counts.update(reason for reason in table["drop_reason"].to_pylist() if reason is not None)
    return dict(sorted(counts.items()))
