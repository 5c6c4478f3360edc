"""Drafts a recipe for files by a look at some of them: their form, the languages of their texts, and how much there is.

The recipe is a beginning: it has what suits such files in general, and its comments say what each line rests on.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from curation.core import catalog
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import ReadTally
from curation.core.verbs import READ
from curation.core.wording import counted, listed, percent, size
from curation.filters.language import Language
from curation.rewrite.unicode import Unicode
from curation.sources.inspection import InspectedFile
from curation.sources.yaml_text import yaml_text
from curation.text.languages.kits import SHIPPED, kits
from pipelines.draft_files import OF_A_SITE, DraftFile, covering, draft_files
from pipelines.draft_quality import DraftQuality, quality_of
from pipelines.draft_sample import extractor_of, sampled_texts

TEMPLATE = Path(__file__).parent / "recipe_draft.yaml.jinja"
LEAST_SHARE = 0.02  # of the documents of a sample, for a language to be kept: rarer ones are often mistakes
SHOWN = 6  # languages in a comment
LEFT_OUT = 20  # files in comments
CODE = ("stack", "starcoder", "code")  # corpora and a source of programs, which are of no language
NAMES = {"plain_text": "text", "warc": "web"}  # of a recipe's sources, where they are not called as what reads them
# Bytes of text for each byte of a file, roughly: an archive's are pages with their markup, and packed.
SHARE_OF_TEXT = {"warc": 0.2, "html": 0.2, "parquet": 2.0, "packed": 3.0}
PACKED = (".gz", ".zst", ".xz", ".lz4", ".bz2")
RULES = ("gopher_quality", "gopher_repetition")
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
    extractor: str  # "" for texts
    documents: int  # of the sample
    languages: dict[str, int]
    faults: Sequence[str]  # that were met in it
    quality: DraftQuality | None = None  # None: no language is clear

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
        return [name for name, count in self.languages.items() if count >= least and not self.code]

    @property
    def code(self) -> bool:
        """Whether it has programs."""
        return (self.look.corpus or self.look.source) in CODE

    @property
    def without_kit(self) -> str:
        """Languages that are judged by the general limits."""
        return ", ".join(name for name in self.kept if name not in kits(SHIPPED).by_language)

    @property
    def seen(self) -> str:
        """The languages in words."""
        shares = [f"{name} {percent(count, self.documents)}" for name, count in self.languages.items()]
        return f"of {counted(self.documents, 'document')} looked at: {listed(shares, SHOWN) or 'none that is clear'}"


def draft(given: Sequence[str], name: str, on_left_out: Callable[[str], None] = lambda line: None) -> str:
    """The text of a recipe called `name` that reads what is given: files, folders, globs or URIs.

    What cannot be read of it is named in a comment, and to `on_left_out`, each with its reason. Raises InputError for
    what is missing, or where nothing of it can be read, as it is empty, of no form that is known, or without documents.
    """
    sources, left_out = _sources(given)
    for reason in left_out.values():
        on_left_out(reason)
    text_bytes = sum(source.text_bytes for source in sources)
    vocabulary, row = next((tokens, row) for most, tokens, row in SIZES if text_bytes < most)
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return environment.from_string(TEMPLATE.read_text()).render(
        name=name,
        sources=sources,
        left_out=[*map(repr, left_out.values())][:LEFT_OUT],
        others=max(len(left_out) - LEFT_OUT, 0),
        counted=counted,
        size=size,
        text_bytes=int(text_bytes),
        vocabulary=vocabulary,
        row=row,
        small=sum(source.bytes for source in sources) < SMALL,
    )


def _sources(given: Sequence[str]) -> tuple[list[DraftedSource], dict[str, str]]:
    """One for each way to read, and why files are left out, by their paths."""
    found = draft_files(given)
    groups: dict[str, list[DraftFile]] = {}
    for file in found.read:
        read = yaml.safe_load(file.look.read)[0]["read"]
        options = {key: {**options, "paths": []} for key, options in read.items()}
        groups.setdefault(json.dumps(options), []).append(file)
    names = Counter[str]()
    sources = []
    for read, group in groups.items():
        look = group[0].look
        name = look.corpus or NAMES.get(look.source, look.source)
        own = name if not names[name] else f"{name}_{names[name] + 1}"
        files = [one.file for one in group if look.source != "html" or not OF_A_SITE.search(one.file.path)]
        try:
            sources.append(_drafted(own, look, json.loads(read), covering(group, found), files))
        except InputError as error:
            found.left_out |= {one.file.path: str(error) for one in group}
        else:
            names[name] += 1
    if not sources:
        first, *others = found.left_out.values()
        more = f"; {counted(len(others), 'other file')} cannot be read either" if others else ""
        raise InputError(first + more)
    return sources, found.left_out


def _drafted(
    name: str, look: InspectedFile, read: dict[str, Any], paths: list[str], files: list[InputFile]
) -> DraftedSource:
    """Raises InputError for files without documents."""
    ((key, options),) = read.items()
    source: Any = catalog.find(READ, key)(**options)
    tally = ReadTally()
    text = pa.chunked_array(sampled_texts(source, files, tally), pa.large_string()).combine_chunks()
    if not len(text):
        raise InputError(
            f"{look.path} has no documents ({look.form}: {look.seen}); `winnow inspect` shows what was counted"
        )
    text, _ = Unicode().rewrite(pa.record_batch({"text": text}))  # as in the recipe
    language = Language()
    measured = language.measure(pa.record_batch({"text": text}))
    sure = pc.greater_equal(measured["score"], language.min_score)
    languages = dict(Counter(measured["label"].filter(sure).to_pylist()).most_common())
    lines = yaml_text({key: {**options, "paths": paths}}, flow=False)
    faults = [repr(f"{fault['file']}: {fault['error']}") for fault in tally.faults]  # without control characters
    drafted = DraftedSource(name, look, lines.strip(), files, extractor_of(look.source), len(text), languages, faults)
    return replace(drafted, quality=quality_of(text, drafted.kept, RULES)) if drafted.kept else drafted
