"""Drafts a recipe for files by a look at some of them: their form, the languages of their texts, and how much there is.

The recipe is a beginning: it has what suits such files in general, and its comments say what each line rests on.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from curation.core import catalog
from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.core.protocols import ReadTally, Source
from curation.core.verbs import READ
from curation.core.wording import counted, listed, percent, size
from curation.extract.resiliparse import Resiliparse
from curation.filters.language import Language
from curation.sources.inspection import InspectedFile, inspected
from curation.text.languages.kits import SHIPPED, kits

TEMPLATE = Path(__file__).parent / "recipe_draft.yaml.jinja"
UNITS = 8  # of a source from which documents are drawn …
UNIT_BYTES = 64 << 20  # … of about this size where a file can be cut …
DOCUMENTS = 400  # … and as many from all together
LEAST_SHARE = 0.02  # of the documents of a sample, for a language to be kept: rarer ones are often mistakes
SHOWN = 6  # languages in a comment
CODE = ("stack", "starcoder")  # corpora of programs, which are of no language
# Bytes of text for each byte of a file, roughly: an archive's are pages with their markup, and packed.
SHARE_OF_TEXT = {"warc": 0.2, "parquet": 2.0, "packed": 3.0}
PACKED = (".gz", ".zst", ".xz", ".lz4", ".bz2")
SMALL = 256e6  # bytes of input that would be few units of work
# Bytes of text -> tokens of the vocabulary and length of a row; rules of thumb.
SIZES = ((10e6, 4096, 256), (1e9, 16_384, 1024), (20e9, 32_768, 2048), (float("inf"), 65_536, 4096))


@dataclass(frozen=True)
class DraftedSource:
    """Files that one `read`, in YAML, reads; `languages` counts documents of a sample, most first."""

    name: str
    look: InspectedFile  # at one of the files
    read: str
    files: Sequence[InputFile]
    html: bool
    documents: int  # of the sample
    languages: dict[str, int]
    faults: Sequence[str]  # that were met in it

    @property
    def bytes(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def text_bytes(self) -> float:
        """About as much text as there is before anything is dropped."""
        form = self.look.form
        packed = form != "warc" and self.files[0].path.endswith(PACKED)
        return self.bytes * SHARE_OF_TEXT.get("packed" if packed else form, 1.0)

    @property
    def kept(self) -> list[str]:
        """The languages that are no exceptions."""
        least = LEAST_SHARE * sum(self.languages.values())
        return [name for name, count in self.languages.items() if count >= least and self.look.corpus not in CODE]

    @property
    def without_kit(self) -> str:
        """Languages that are judged by the general limits."""
        return ", ".join(name for name in self.kept if name not in kits(SHIPPED).by_language)

    @property
    def seen(self) -> str:
        """The languages in words."""
        shares = [f"{name} {percent(count, self.documents)}" for name, count in self.languages.items()]
        return f"of {counted(self.documents, 'document')} looked at: {listed(shares, SHOWN) or 'none that is clear'}"


def draft(given: Sequence[str], name: str) -> str:
    """The text of a recipe called `name` that reads what is given: files, folders, globs or URIs.

    Of files in one folder whose names differ in their digits alone, one is looked at. Raises InputError for what is
    missing, empty, of no form that is known, or without documents.
    """
    sources = _sources(given)
    text_bytes = sum(source.text_bytes for source in sources)
    vocabulary, row = next((tokens, row) for most, tokens, row in SIZES if text_bytes < most)
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return environment.from_string(TEMPLATE.read_text()).render(
        name=name,
        sources=sources,
        code=CODE,
        counted=counted,
        size=size,
        text_bytes=int(text_bytes),
        vocabulary=vocabulary,
        row=row,
        small=sum(source.bytes for source in sources) < SMALL,
    )


def _sources(given: Sequence[str]) -> list[DraftedSource]:
    """One for each way to read; what was given stands in its paths where all of it is read so."""
    groups: dict[str, list[tuple[str, InputFile, InspectedFile]]] = {}
    for pattern, file, look in _looked_at(given):
        read = yaml.safe_load(look.read)[0]["read"]
        options = {key: {**options, "paths": []} for key, options in read.items()}
        groups.setdefault(json.dumps(options), []).append((pattern, file, look))
    every = Counter(pattern for group in groups.values() for pattern, _, _ in group)
    names = Counter[str]()
    sources = []
    for read, group in groups.items():
        here = Counter(pattern for pattern, _, _ in group)
        whole = {pattern for pattern in here if pattern and here[pattern] == every[pattern]}
        paths = dict.fromkeys(pattern if pattern in whole else file.path for pattern, file, _ in group)
        look = group[0][2]
        name = look.corpus or look.form.replace("warc", "web")
        names[name] += 1
        own = name if names[name] == 1 else f"{name}_{names[name]}"
        sources.append(_drafted(own, look, json.loads(read), [*paths], [file for _, file, _ in group]))
    return sources


def _looked_at(given: Sequence[str]) -> Iterator[tuple[str, InputFile, InspectedFile]]:
    """Each file once, with what named it, "" where that names files of others too, and what it, or one like it, is."""
    looks: dict[str, InspectedFile] = {}
    known: set[str] = set()
    for pattern in given:
        relative = "://" not in pattern and not Path(pattern).is_absolute()
        every = list_files(pattern)
        new = [file for file in every if file.path not in known]
        known.update(file.path for file in new)
        for file in new:
            path = os.path.relpath(file.path) if relative else file.path
            folder, _, name = path.rpartition("/")
            alike = f"{folder}/{re.sub(r'[0-9]+', '0', name)}"
            if alike not in looks:
                looks[alike] = inspected(path)
            yield pattern if len(new) == len(every) else "", replace(file, path=path), looks[alike]


def _drafted(
    name: str, look: InspectedFile, read: dict[str, Any], paths: list[str], files: list[InputFile]
) -> DraftedSource:
    """Raises InputError for files without documents."""
    ((key, options),) = read.items()
    source: Any = catalog.find(READ, key)(**options)
    tally = ReadTally()
    text = pa.chunked_array(_texts(source, files, tally), pa.large_string()).combine_chunks()
    if not len(text):
        raise InputError(f"{look.path} has no documents: winnow inspect shows what was found of it")
    language = Language()
    measured = language.measure(pa.record_batch({"text": text}))
    sure = pc.greater_equal(measured["score"], language.min_score)
    languages = dict(Counter(measured["label"].filter(sure).to_pylist()).most_common())
    lines = yaml.safe_dump({key: {**options, "paths": paths}}, sort_keys=False, width=1 << 30, allow_unicode=True)
    faults = [repr(f"{fault['file']}: {fault['error']}") for fault in tally.faults]  # without control characters
    return DraftedSource(name, look, lines.strip(), files, source.yields == "html", len(text), languages, faults)


def _texts(source: Source, files: Sequence[InputFile], tally: ReadTally) -> Iterator[pa.Array]:
    """Texts from the beginnings of some units, spread over all."""
    units = source.split(files, group_bytes=0, split_bytes=UNIT_BYTES)
    most = min(UNITS, len(units))
    for number in range(most):
        left = DOCUMENTS // most
        for batch in source.read(units[number * len(units) // most], "draft", tally):
            rows = batch.slice(0, left)
            yield (Resiliparse().extract(rows, {}, lambda *_: None) if source.yields == "html" else rows)["text"]
            left -= len(rows)
            if not left:
                break
