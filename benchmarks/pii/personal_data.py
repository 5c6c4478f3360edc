"""The finder of personal data beside plain Presidio: speed, spans, and what each finds of what is marked.

Both look for the kinds that Presidio looks for unless told otherwise, from `--min-score` on; plain Presidio is defined
in `curation/models/pii/recognizers.py`. In variant `presidio` the spans of each document must be Presidio's in kind,
place and score. Quality: with our rules, beside plain Presidio, on the half of the texts by which no rule was chosen,
by the hash of their ids, and on the other; a value counts as found where a span of its kind touches it. `--list` prints
every miss and false alarm of the former.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from benchmarks.case import Case, DisagreementError, Figures, over
from benchmarks.pii.judging import Judged, Spans, judge, judge_contacts
from benchmarks.pii.marked import FIT, JUDGE, SETS, Marked, read_pages, read_set
from curation.models.pii.find import PiiSearch, find_personal_data
from curation.models.pii.kinds import kind_of
from curation.models.pii.recognizers import plain_presidio
from curation.models.pii.regions import countries_of

BATCH = 1000
VARIANTS = ("presidio", "winnow")
Batch = tuple[pa.Array, pa.Array, pa.Array]  # texts, languages, URLs


def plainly(texts: Sequence[Marked], search: PiiSearch) -> Callable[[Marked], Any]:
    """What plain Presidio, with an engine for each language, finds in a text."""
    engines = {
        language: plain_presidio(
            language, search.all(), min_score=search.min_score, regions=search.regions_of(language)
        )
        for language in {text.language for text in texts}
    }
    return lambda text: engines[text.language].analyze(text.text, text.language)


def in_bytes(text: Marked, results: Any) -> Spans:
    """Presidio's spans, which count characters."""
    spans = []
    for one in results:
        first, last = (len(text.text[:end].encode()) for end in (one.start, one.end))
        spans.append((kind_of(one.entity_type), first, last, round(one.score, 5)))
    return spans


def batches_of(texts: Sequence[Marked]) -> list[Batch]:
    parts = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    return [
        (
            pa.array([one.text for one in part], pa.large_string()),
            pa.array([one.language for one in part]),
            pa.array([one.url for one in part], pa.string()),
        )
        for part in parts
    ]


def found(search: PiiSearch, batch: Batch) -> pa.Array:
    texts, languages, urls = batch
    return find_personal_data(texts, languages, search, countries_of(urls))


def spans_of(arrays: Sequence[pa.Array]) -> list[Spans]:
    return [
        [(span["kind"], span["start"], span["end"], round(span["score"], 5)) for span in row]
        for array in arrays
        for row in array.to_pylist()
    ]


def same_spans(texts: Sequence[Marked], ours: list[pa.Array], theirs: list[Any]) -> str:
    plain = [in_bytes(text, results) for text, results in zip(texts, theirs, strict=True)]
    other = sum(sorted(a) != sorted(b) for a, b in zip(spans_of(ours), plain, strict=True))
    if other:
        raise DisagreementError(f"{other} of {len(texts):,} documents have other spans")
    return f"the same spans in {len(texts):,} documents"


def cases(name: str, texts: Sequence[Marked], searches: dict[str, PiiSearch]) -> Iterator[Case]:
    presidio = plainly(texts, searches["presidio"])
    for variant, search in searches.items():
        yield Case(
            name=f"{name}, {variant}",
            ours=over(partial(found, search), batches_of(texts)),
            peer=over(presidio, texts),
            called="Presidio",
            agree=partial(same_spans, texts) if variant == "presidio" else None,
            amounts={"documents": len(texts)},
            packages=("presidio-analyzer", "spacy"),
        )


def quality(title: str, by_variant: dict[str, dict[Any, Judged]], *, listed: bool) -> Figures:
    rows: dict[str, dict[str, Any]] = {}
    notes = []
    for key in sorted({key for results in by_variant.values() for key in results}):
        label = key if isinstance(key, str) else " ".join(key)
        rows[label] = {}
        for variant, results in by_variant.items():
            one = results.get(key, Judged())
            shares = {"precision": one.precision, "recall": one.recall, "F1": one.f1}
            rows[label] |= {"places": one.found + len(one.missed)}
            rows[label] |= {f"{variant} {what}": round(share, 3) for what, share in shares.items()}
        kinds = ("missed", "false") if listed else ()
        notes += [f"{label} {what}: {value}" for what in kinds for value in getattr(one, what)]
    return Figures(title, rows, tuple(note.replace("[", "\\[") for note in notes))


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    searches = {name: PiiSearch(variant=name, min_score=options.min_score) for name in VARIANTS}
    pages = read_pages(options.pages)
    yield from cases("web", pages, searches)
    sets = {name: read_set(name)[: options.marked] for name in (*SETS, "enterprise_pii_classification")}
    for name, texts in sets.items():
        yield from cases(name, texts, {"presidio": searches["presidio"]})
    for half, title in ((FIT, "by which rules were chosen"), (JUDGE, "by which none was chosen")):
        marked = [text for name in SETS for text in sets[name] if text.half == half]
        linked = [page for page in pages if page.contacts and page.half == half]
        for what, texts, judging in (("Marked texts", marked, judge), ("Contacts of pages", linked, judge_contacts)):
            by_variant = {
                name: judging(texts, spans_of([found(search, batch) for batch in batches_of(texts)]))
                for name, search in searches.items()
            }
            yield quality(f"{what}, the half {title}", by_variant, listed=options.list and half == JUDGE)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=2000, help="web pages to read")
    parser.add_argument("--marked", type=int, help="texts of each marked set; default: all")
    parser.add_argument("--min-score", type=float, default=0.4, help="spans with a lower score are left out")
    parser.add_argument("--list", action="store_true", help="print every miss and false alarm")
