"""The finder of personal data beside plain Presidio: speed, spans, and what each finds of what is marked.

    python -m benchmarks.pii                    # 2,000 web pages and shared/data/pii; minutes, because of Presidio
    python -m benchmarks.pii --pages 200 --list # fewer pages, and every miss and false alarm

Both look for the kinds that Presidio looks for unless told otherwise, from `--min-score` on; plain Presidio is defined
in `curation/models/pii/recognizers.py`. Speed is CPU time of one thread: the fastest of three rounds over batches of
1,000 pages for ours, one round for Presidio. Identity: documents whose spans are the same in kind, place and score, in
variant `presidio`. Quality: with our rules, beside plain Presidio, on the half of the texts by which no rule was
chosen, by the hash of their ids; a value counts as found where a span of its kind touches it.
"""

from dataclasses import asdict
from functools import partial
from typing import Any

import pyarrow as pa
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.pii.judging import Judged, Spans, judge, judge_contacts
from benchmarks.pii.marked import FIT, JUDGE, SETS, Marked, read_pages, read_set
from benchmarks.pii.presidio import presidio_spans
from curation.models.pii.find import PiiSearch, find_personal_data
from curation.models.pii.regions import countries_of

BATCH = 1000


def sought(min_score: float, *, rules: bool) -> PiiSearch:
    return PiiSearch(variant="winnow" if rules else "presidio", min_score=min_score)


def batches_of(texts: list[Marked]) -> list[tuple[pa.Array, pa.Array, pa.Array]]:
    """Texts, languages and URLs."""
    parts = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    return [
        (
            pa.array([one.text for one in part], pa.large_string()),
            pa.array([one.language for one in part]),
            pa.array([one.url for one in part], pa.string()),
        )
        for part in parts
    ]


def our_spans(texts: list[Marked], options: PiiSearch) -> list[Spans]:
    return [
        [(span["kind"], span["start"], span["end"], round(span["score"], 5)) for span in row]
        for batch in batches_of(texts)
        for row in _found(options, batch).to_pylist()
    ]


def _found(options: PiiSearch, batch: tuple[pa.Array, pa.Array, pa.Array]) -> pa.Array:
    texts, languages, urls = batch
    return find_personal_data(texts, languages, options, countries_of(urls))


def speed(pages: list[Marked], min_score: float) -> tuple[dict[str, float], list[Spans]]:
    """Pages per second of each, and Presidio's spans."""
    theirs, seconds = presidio_spans(pages, sought(min_score, rules=False))
    figures = {"presidio": len(pages) / seconds}
    for name, rules in (("without_rules", False), ("with_rules", True)):
        options = sought(min_score, rules=rules)
        own = fastest(partial(_found, options), batches_of(pages), 3)
        figures[name] = len(pages) / own
        figures[f"{name}_times"] = seconds / own
    return figures, theirs


def different(texts: list[Marked], theirs: list[Spans], min_score: float) -> int:
    """Documents whose spans differ."""
    own = our_spans(texts, sought(min_score, rules=False))
    return sum(sorted(a) != sorted(b) for a, b in zip(own, theirs, strict=True))


def quality(texts: list[Marked], half: int, min_score: float) -> dict[str, dict[tuple[str, str], Judged]]:
    chosen = [text for text in texts if text.half == half]
    by_rules = {name: our_spans(chosen, sought(min_score, rules=rules)) for name, rules in _BOTH}
    return {name: judge(chosen, spans) for name, spans in by_rules.items()}


_BOTH = (("presidio", False), ("winnow", True))


def show(title: str, judged: dict[str, dict[Any, Judged]], console: Console, *, listed: bool) -> None:
    table = empty_table(title, "kind", "places", *(f"{name} {what}" for name, _ in _BOTH for what in ("P", "R", "F1")))
    for key in sorted({key for results in judged.values() for key in results}):
        row = [judged[name].get(key, Judged()) for name, _ in _BOTH]
        shares = [f"{share:.3f}" for one in row for share in (one.precision, one.recall, one.f1)]
        label = key if isinstance(key, str) else " ".join(key)
        table.add_row(label, str(row[1].found + len(row[1].missed)), *shares)
        for what in ("missed", "false") if listed else ():
            for shown in getattr(row[1], what):
                console.print(f"  {label} {what}: {shown}", markup=False, highlight=False)
    console.print(table)


def main() -> None:
    parser = command_line("pii", __doc__)
    parser.add_argument("--pages", type=int, default=2000, help="web pages to read")
    parser.add_argument("--min-score", type=float, default=0.4, help="spans with a lower score are left out")
    parser.add_argument("--list", action="store_true", help="print every miss and false alarm")
    arguments = parser.parse_args()
    console = Console()
    least = arguments.min_score
    pages = read_pages(arguments.pages)
    figures: dict[str, Any] = {}
    figures["speed"], theirs = speed(pages, least)
    console.print({name: round(value, 1) for name, value in figures["speed"].items()})
    figures["different"] = {"web": [different(pages, theirs, least), len(pages)]}
    sets = {name: read_set(name) for name in (*SETS, "enterprise_pii_classification")}
    for name, texts in sets.items():
        theirs, _ = presidio_spans(texts, sought(least, rules=False))
        figures["different"][name] = [different(texts, theirs, least), len(texts)]
    console.print("documents with other spans:", figures["different"])
    for half, title in ((FIT, "by which rules were chosen"), (JUDGE, "by which none was chosen")):
        judged = quality([text for name in SETS for text in sets[name]], half, least)
        show(f"Marked texts, the half {title}", judged, console, listed=arguments.list and half == JUDGE)
        linked = [page for page in pages if page.contacts and page.half == half]
        contacts = {
            name: judge_contacts(linked, our_spans(linked, sought(least, rules=rules))) for name, rules in _BOTH
        }
        show(f"Contacts of pages, the half {title}", contacts, console, listed=arguments.list and half == JUDGE)
        figures[f"half_{half}"] = {
            name: {" ".join(key): asdict(one) for key, one in results.items()} for name, results in judged.items()
        }
    write_json(figures, arguments.json)


if __name__ == "__main__":
    main()
