"""How fast URLs are judged on one core, by lists of many domains.

    python -m benchmarks.heuristics.url_blocklist                          1,000,000 seeded domains, 200,000 seeded URLs
    python -m benchmarks.heuristics.url_blocklist --lists DIR FILE …    list files, as the option `lists` takes them

One URL in ten is below a listed domain. Figures are CPU time of the fastest of `--repeats` rounds. In the JSON file:
`domains`, `documents`, `dropped`, `seconds_to_load`, `megabytes_loaded` (entries and tables of all lists) and `parts`,
for each part `seconds` and `documents_per_second`.
"""

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from curation.core.rules import first_failure
from curation.filters.url_blocklist import UrlBlocklist
from curation.models.lists import public_suffixes, url_lists
from curation.models.lists.url_lists import KINDS
from curation.text.urls.list_matches import domains_of, hosts_of, prefixes_of
from curation.text.urls.parse import parse_urls
from curation.text.urls.words import split_words, subwords_of, words_of

BATCH_ROWS = 1000
_SUFFIXES = ("com", "com", "com", "org", "net", "de", "co.uk", "com.br", "info", "fr")
_LETTERS = "etaoinshrdlucmfwypvbgk"


def seeded_domains(count: int, draw: random.Random) -> list[str]:
    """Different names of 5 to 16 letters and a number below common suffixes."""
    return [
        f"{''.join(draw.choices(_LETTERS, k=draw.randint(5, 16)))}{number}.{draw.choice(_SUFFIXES)}"
        for number in range(count)
    ]


def seeded_urls(count: int, domains: Sequence[str], draw: random.Random) -> list[str]:
    """URLs of two to five path segments, one in ten of them below one of the domains."""
    urls = []
    for _ in range(count):
        name = "".join(draw.choices(_LETTERS, k=12))
        host = draw.choice(domains) if draw.random() < 0.1 else f"{name}.{draw.choice(_SUFFIXES)}"
        words = ["".join(draw.choices(_LETTERS, k=draw.randint(2, 9))) for _ in range(draw.randint(4, 12))]
        cuts = draw.choices("/--_", k=len(words))
        path = "".join(cut + word for cut, word in zip(cuts, words, strict=True)).lstrip("-_/")
        urls.append(f"https://{draw.choice(('', 'www.', 'blog.'))}{host}/{path}?id={draw.randint(1, 10**6)}")
    return urls


def parts_of(judge: UrlBlocklist) -> dict[str, Callable[[pa.RecordBatch], object]]:
    """What is timed on a batch; each part parses the URLs first."""
    listed = {kind: judge.listed(kind).entries for kind in KINDS}
    suffixes = public_suffixes.load(judge.public_suffixes)
    return {
        "parse": lambda batch: parse_urls(batch["url"]),
        "domains": lambda batch: domains_of(parse_urls(batch["url"]), listed["domains"]),
        "hosts": lambda batch: hosts_of(parse_urls(batch["url"]), listed["hosts"]),
        "urls": lambda batch: prefixes_of(parse_urls(batch["url"]), listed["urls"]),
        "words": lambda batch: words_of(split_words(parse_urls(batch["url"])), listed["words"]),
        "subwords": lambda batch: subwords_of(split_words(parse_urls(batch["url"])), listed["subwords"]),
        "registered_domain": lambda batch: suffixes.registered(parse_urls(batch["url"])),
        "measure": judge.measure,
    }


def measure(judge: UrlBlocklist, urls: Sequence[str], repeats: int) -> dict[str, Any]:
    start = time.thread_time()
    entries = [judge.listed(kind).entries for kind in KINDS]
    seconds_to_load = time.thread_time() - start
    batches = pa.table({"url": pa.array(urls, pa.string())}).to_batches(max_chunksize=BATCH_ROWS)
    failures = [first_failure(judge.measure(batch), judge.rules(), len(batch)) for batch in batches]
    parts = {}
    for name, part in parts_of(judge).items():
        seconds = fastest(part, batches, repeats)
        parts[name] = {"seconds": seconds, "documents_per_second": len(urls) / seconds}
    return {
        "domains": entries[KINDS.index("domains")].total,
        "documents": len(urls),
        "dropped": sum(len(failure) - failure.null_count for failure in failures),
        "seconds_to_load": seconds_to_load,
        "megabytes_loaded": sum(array.nbytes for arrays in entries for array in arrays) / 1e6,
        "parts": parts,
    }


def show(figures: dict[str, Any]) -> None:
    title = (
        f"{figures['documents']:,} URLs by {figures['domains']:,} domains, one core; "
        f"loaded in {figures['seconds_to_load']:.2f} s to {figures['megabytes_loaded']:.0f} MB; "
        f"{figures['dropped']:,} dropped"
    )
    table = empty_table(title, "part", "ns/URL", "URLs/s")
    for name, part in figures["parts"].items():
        rate = part["documents_per_second"]
        table.add_row(name, f"{1e9 / rate:,.0f}", f"{rate:,.0f}")
    Console().print(table)


def main() -> None:
    parser = command_line("heuristics.url_blocklist", __doc__)
    parser.add_argument("--lists", nargs="+", help="list files and folders instead of seeded domains")
    parser.add_argument("--domains", type=int, default=1_000_000, help="seeded domains, if no lists are given")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        seeded = Path(folder) / "seeded.domains"
        if not options.lists:
            seeded.write_text("\n".join(seeded_domains(options.domains, draw)))
        judge = UrlBlocklist(lists=tuple(options.lists or [str(seeded)]))
        domains = judge.listed("domains").entries
        chosen = domains.names(np.array(draw.choices(range(len(domains)), k=10_000))).to_pylist()
        url_lists.load.cache_clear()  # what is loaded is timed
        figures = measure(judge, seeded_urls(options.documents, chosen, draw), options.repeats)
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
