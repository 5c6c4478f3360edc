"""Learns to take main text from pages as careful extractors do, at the speed of a scanner; `extract: learnt` uses it.

    - read: {warc: {paths: [crawl/*.warc.gz]}}
    - fit: {extractor: {teacher: {trafilatura: {}}, pages: 1000}}
    - extract: {learnt: {model: "@extractor"}}

The pages come from the source that it stands in. The teachers read them as they read any page; blocks of a page are
labelled by how much of each stands in the teachers' texts, and two stages of trees learn the labels. A fifth of the
hosts is held out: against what the teachers took of their pages the model is judged, also when fitted to fewer pages.

    - fit: {extractor: {truth: people/*.jsonl.gz}}

In place of a teacher there may be people's text of some pages (`curation/extract/student/truth.py`): then only pages at
their URLs, as the archives have them, are drawn and learned from.

The file is described in `curation/extract/student/student_file.py`. It holds no text of the pages.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

import pyarrow as pa

from curation.core.component import Files
from curation.core.errors import InputError, RecipeError
from curation.core.fits import LearnsPages
from curation.core.input_files import InputFile
from curation.core.needs import Needs
from curation.core.protocols import Extractor as Teacher
from curation.core.verbs import EXTRACT, Verb
from curation.core.wording import counted
from curation.extract.learnt import Learnt
from curation.extract.student.boosting import Boosting
from curation.extract.student.course import Course, taught
from curation.extract.student.student_file import packed
from curation.extract.student.truth import check_truth, read_truth, texts_at, truth_files

_LEAST = 20  # pages
_OTHERWISE = "or write `extract: {trafilatura: {}}` in place of this fit and of `learnt` in the recipe"
_READER = Learnt(model="@extractor")  # pages are read as the extractor reads them unless told otherwise
_LESSONS = pa.schema(
    [
        ("doc_id", pa.string()),
        ("host", pa.string()),
        ("markup", pa.large_binary()),
        ("taught", pa.list_(pa.large_string())),  # of each teacher; "" where it found nothing
    ]
)


@dataclass(frozen=True, kw_only=True)
class Extractor(LearnsPages):
    """The teachers, and how much is learned from."""

    teacher: Annotated[Mapping[str, Teacher], "extractors by key: of several, the mean of what they say is learned"] = (
        field(default_factory=dict)
    )
    truth: Annotated[
        str | tuple[str, ...],
        "in place of a teacher: JSON lines or Parquet with people's `text` of pages by `url`; paths, globs or URIs",
    ] = ()
    pages: Annotated[int, "that the teachers read, or whose text people give"] = 1000
    archives: Annotated[int, "input files that are read whole to draw them, or groups of small ones"] = 8
    trees: Annotated[int, "of each stage"] = 200

    holds: ClassVar[Mapping[str, Verb]] = {"teacher": EXTRACT}
    holds_several: ClassVar[tuple[str, ...]] = ("teacher",)
    version: ClassVar[int] = 2
    asset: ClassVar[str] = "extractor.bin"

    def __post_init__(self) -> None:
        if bool(self.teacher) is bool(self.truth):
            given = "both given" if self.teacher else "missing"
            raise RecipeError(f"teacher and truth are {given}; give one, e.g. teacher: {{trafilatura: {{}}}}")
        if "learnt" in self.teacher:
            raise RecipeError("a learnt extractor cannot teach another: name the one that it learned from")
        if any(teacher.media != "html" for teacher in self.teacher.values()):
            raise RecipeError("a teacher reads pages, not PDF files: name another")
        for name, least in (("pages", _LEAST), ("archives", 1), ("trees", 1)):
            if getattr(self, name) < least:
                raise RecipeError(f"{name} is {getattr(self, name)}; it must be at least {least}")

    def assets(self) -> Mapping[str, Files]:
        """The files of people's text. Raises InputError where there are none that can be read."""
        paths = tuple(file.path for file in self._files)
        for path in paths:
            check_truth(path)
        return {"truth": paths} if paths else {}

    def needs(self) -> Needs:
        """The features of 1,000 pages take 200 MB, three times; people's text took 4.3 times its files."""
        held = 6 * sum(file.size for file in self._files)
        return Needs(memory=(1 << 30) + 1_500_000 * self.pages + held)

    def notes(self) -> tuple[str, ...]:
        """What the fit costs."""
        names = " and ".join(self.teacher)
        how = f"with {names}, about 25 ms each," if names else f"that {self._truth} knows"
        minutes = max(1, self.pages // 400)
        return (
            f"reads up to {self.archives} units of input whole and {self.pages:,} of their pages {how} and learns for "
            f"about {counted(minutes, 'minute')} on one core",
        )

    @property
    def _files(self) -> tuple[InputFile, ...]:
        return truth_files((self.truth,) if isinstance(self.truth, str) else self.truth)

    @property
    def _truth(self) -> str:
        """The files of people's text by name."""
        first, *others = (file.path.rpartition("/")[2] for file in self._files)
        return f"truth {first}" + (f" and {len(others)} more" if others else "")

    def schema(self) -> pa.Schema:
        """Markup, and what the teachers took of it."""
        return _LESSONS

    def of_use(self, pages: pa.RecordBatch) -> pa.BooleanArray:
        """With people's text, the pages that have one."""
        return self._people(pages).is_valid() if self.truth else super().of_use(pages)

    def look(self, pages: pa.RecordBatch) -> pa.RecordBatch:
        """RAW[N] -> rows of `schema`, without pages past a limit."""
        told = [self._told(teacher, pages) for teacher in self.teacher.values()]
        told += [self._people(pages).to_pylist()] if self.truth else []
        content, kinds = (pages.column(name).to_pylist() for name in ("content", "content_type"))
        rows = []
        ids, urls = (pages.column(name).to_pylist() for name in ("doc_id", "url"))
        for number, doc_id in enumerate(ids):
            row = _READER.prepare(content[number] or b"", kinds[number])
            if row.markup is not None:
                texts = [texts[number] or "" for texts in told]
                rows.append({"doc_id": doc_id, "host": _host(urls[number]), "markup": row.markup, "taught": texts})
        return pa.RecordBatch.from_pylist(rows, schema=_LESSONS)

    def _told(self, teacher: Teacher, pages: pa.RecordBatch) -> list[str | None]:
        found: list[str | None] = teacher.extract(pages, {}, lambda *_: None).column("text").to_pylist()
        return found

    def _people(self, pages: pa.RecordBatch) -> pa.Array:
        return texts_at(pages.column("url"), self._files)

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Pages with the teachers' or people's texts -> the model. Raises InputError where there are too few, and for
        pages of a single host."""
        course = Course()
        seen = 0
        for batch in rows:
            for row in batch.to_pylist():
                seen += 1
                course.add(row["doc_id"], row["host"], _READER.scan(row["markup"]), row["taught"])
        if not seen:
            raise InputError(self._nothing())
        names = [*self.teacher] or [self._truth]
        if len(course.lessons) < _LEAST:
            raise InputError(
                f"{len(course.lessons)} of {seen:,} pages have text of {', '.join(names)}, and {_LEAST} are the least "
                f"to learn from; give more archives, {_OTHERWISE}"
            )
        if len(course.hosts) < 2:
            raise InputError(
                f"all {seen:,} pages are of the host {next(iter(course.hosts))!r}, so that none can be held out; give "
                f"archives of several hosts, {_OTHERWISE}"
            )
        student, facts = taught(course, Boosting(trees=self.trees))
        facts |= {"teacher": names, "pages": seen}
        return {self.asset: packed(student, facts)}

    def _nothing(self) -> str:
        if not self.truth:
            return "the source has no pages to learn from; see what its input files hold"
        url = read_truth(self._files)["url"][0]
        return (
            f"no page of up to {self.archives} units of input that were read is at a URL of {self._truth}, such as "
            f"{url}; write URLs as the archives have them, or raise `archives`"
        )


def _host(url: str | None) -> str:
    try:
        return (urlsplit(url or "").hostname or "").lower()
    except ValueError:
        return ""
