"""A card as Croissant: JSON-LD for data search engines, with which `mlcroissant` also loads the kept documents.

Source: MLCommons 2024, "Croissant Format Specification" 1.0 and its extension for responsible AI (RAI) 1.0. Choices:
part files and token shards are sets by glob, which keeps the card small; `run.json`, manifests, tokenizers and the mix
index are single files with their SHA-256. All paths are relative to the run, so the records can be read only if the
card lies there. Unknown fields are left out: the format recommends licence, date and citation, and its checker warns if
one is missing.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from curation.account.card.facts import Card
from curation.account.card.opt_outs import OptOutFacts
from curation.core import storage
from curation.core.manifest import MANIFEST, RUN
from curation.core.wording import count, size
from curation.text.licences.names import SPDX, in_words

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
WORDS = "croissant.yaml"  # the JSON-LD context, and what columns mean
PARQUET = "application/x-parquet"
BINARY = "application/octet-stream"
JSON = "application/json"
TOKEN_FILES = {  # by suffix: name of the set, encoding, content
    "bin": ("bin", BINARY, "Rows of tokens, little-endian, without a header."),
    "idx": ("idx", BINARY, "Offsets and lengths of the segments in each row of the .bin file of the same name."),
    "parquet": ("lineage", PARQUET, "The document of each segment in the .bin file of the same name."),
}
INTEGERS = ("origin_offset", "row", "position", "doc_offset", "length")
TYPES = {"crawled_at": "sc:DateTime"} | dict.fromkeys(INTEGERS, "sc:Integer")


def croissant(card: Card, folder: str) -> dict[str, Any]:
    """The card as JSON-LD; `folder` is the run, whose small files are hashed."""
    about = card.about
    files = [_file(folder, name, kind) for name, kind in _small_files(card, folder)]
    dataset: dict[str, Any] = {
        "@context": _words("context"),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": about.name,
        "description": description(card),
        "version": about.version,
        "license": _licence(about.licence),
        "creator": {"@type": "sc:Organization", "name": about.creator} if about.creator else "",
        "url": about.url,
        "datePublished": about.published,
        "citeAs": about.citation,
        "inLanguage": [share.name for share in card.contents.languages if share.name],
        **_responsible(card),
        "distribution": [*files, *_file_sets(card)],
        "recordSet": list(_record_sets(card)),
    }
    return {name: value for name, value in dataset.items() if value}


def croissant_bytes(card: Card, folder: str) -> bytes:
    return (json.dumps(croissant(card, folder), indent=1, ensure_ascii=False) + "\n").encode()


def description(card: Card) -> str:
    total = card.contents.total
    sources = ", ".join(source.source for source in card.inputs)
    amount = f"{count(total.documents)} documents with {size(total.text_bytes)} of text"
    in_tokens = f", {count(total.tokens)} tokens," if total.tokens is not None else ""
    state = "" if card.complete else " The run is not finished; this describes its sealed stages."
    return f"Text for pretraining language models: {amount}{in_tokens} from {sources}.{state}"


def _licence(licence: str) -> str:
    """The page of an SPDX identifier in any spelling; anything else as given."""
    name = in_words(licence)
    return f"https://spdx.org/licenses/{name}.html" if name in SPDX else licence


def _responsible(card: Card) -> dict[str, Any]:
    dates = [day for share in card.contents.sources for day in (share.first_date, share.last_date) if day]
    steps = [
        f"{stage.name} ({stage.verb}: {', '.join(stage.components)}): {stage.rows:,} documents in, {stage.kept:,} kept"
        for stage in card.stages
        if stage.has_documents
    ]
    steps += map(_opt_outs, card.opt_outs)
    read = (
        f"{source.source}: {source.records:,} records of {source.files:,} files"
        f"{'' if source.file_bytes is None else f' ({size(source.file_bytes)})'}, read with {source.reader}"
        for source in card.inputs
    )
    return {
        "rai:dataCollection": "; ".join(read),
        "rai:dataCollectionTimeframe": [min(dates), max(dates)] if dates else [],
        "rai:dataPreprocessingProtocol": steps,
        "rai:dataLimitations": list(card.known_limits),
    }


def _opt_outs(one: OptOutFacts) -> str:
    kept = ", ".join(f"{rule.kept:,} by {rule.rule}" for rule in one.rules if rule.kept) or "none"
    return (
        f"{one.stage}: opt-outs honoured: {', '.join(one.honoured) or 'none'}; refusing and kept: {kept}; "
        "the struct column opt_outs of each document has the refusals by rule, and its site's statements as written"
    )


def _small_files(card: Card, folder: str) -> Iterator[tuple[str, str]]:
    yield RUN, JSON
    for stage in card.stages:
        yield f"{stage.folder}/{MANIFEST}", JSON
    for tokenizer in card.tokenizers:
        if tokenizer.file:
            yield tokenizer.file, JSON if tokenizer.file.endswith(".json") else BINARY
    if card.mixture is not None:
        yield f"{card.mixture.folder}/index.json", JSON


def _file(folder: str, name: str, kind: str) -> dict[str, Any]:
    content = storage.read_bytes(storage.join(folder, name))
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": kind,
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _file_sets(card: Card) -> Iterator[dict[str, Any]]:
    ends = [stage.folder for stage in card.stages if stage.name in card.contents.stages]
    if ends:
        yield _file_set("document-files", "Documents, one a row.", PARQUET, *(f"{end}/part-*.parquet" for end in ends))
    for packing in card.packings:
        for suffix, (kind, encoding, words) in TOKEN_FILES.items():
            globs = (f"{packing.folder}/{split}-*.{suffix}" for split in ("tokens", "validation"))
            words = f"{words} SHA-256 of them all: {packing.digest}."
            yield _file_set(f"{packing.stage}-{kind}-files", words, encoding, *globs)


def _file_set(name: str, words: str, encoding: str, *globs: str) -> dict[str, Any]:
    facts = {"description": words, "encodingFormat": encoding, "includes": list(globs)}
    return {"@type": "cr:FileSet", "@id": name, "name": name, **facts}


def _record_sets(card: Card) -> Iterator[dict[str, Any]]:
    if card.contents.stages:
        dropped = any(stage.dropped for stage in card.stages if stage.name in card.contents.stages)
        columns = {name: words for name, words in _words("documents").items() if name in card.schema}
        if not dropped:
            del columns["drop_reason"]
        words = "The documents that the run kept" + ("; those with a drop_reason were dropped." if dropped else ".")
        yield _record_set("documents", words, "document-files", columns)
    for packing in card.packings:
        name = f"{packing.stage}-lineage"
        words = "The documents and tokens in each row of tokens."
        yield _record_set(name, words, f"{name}-files", _words("lineage"))


def _record_set(name: str, words: str, files: str, columns: Mapping[str, str]) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "description": meaning,
            "dataType": TYPES.get(column, "sc:Text"),
            "source": {"fileSet": {"@id": files}, "extract": {"column": column}},
        }
        for column, meaning in columns.items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": words, "field": fields}


def _words(section: str) -> dict[str, Any]:
    every: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name(WORDS).read_text(encoding="utf-8"))
    return every[section]
