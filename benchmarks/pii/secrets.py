"""How fast secrets are found on one core, in MB of UTF-8 and documents per second, beside plain Python patterns.

    python -m benchmarks.pii.secrets --rules ../shared/data/lists/gitleaks.toml ../shared/data/code/code.jsonl.gz
    python -m benchmarks.pii.secrets                                       winnow's own rules, seeded pages
    python -m benchmarks.pii.secrets --rules gitleaks.toml --gitleaks gitleaks FILES …      and gitleaks' own program

The peer searches each whole document with the pattern of every rule that has a keyword in it, in the same process and
on the same documents (`--plain` of them, drawn evenly; it is slow). Both must find the same, else the command fails.
gitleaks gets each document as a file of its own; what only one of the two finds is counted by rule. Figures are CPU
time, of winnow in the fastest of `--repeats` rounds.

In the JSON file: `documents`, `megabytes`, `rules`, `findings` by kind, `parts` (`megabytes_per_second` and
`documents_per_second` of winnow and of plain patterns), `ratio`, and with gitleaks `only_winnow` and `only_gitleaks`.
"""

import json
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import add_text_options, megabytes_of, texts_from

BATCH_ROWS = 1000


def gitleaks_findings(program: Path, rules: Path, texts: Sequence[str]) -> Counter[tuple[int, str]]:
    """How often gitleaks finds each kind in each document."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            Path(folder, f"{number}.txt").write_bytes(text.encode())
        report = Path(folder, "report.json")
        command = (program, "dir", folder, "--config", rules, "--report-path", report, "--report-format", "json")
        subprocess.run([*command, "--exit-code", "0", "--max-decode-depth", "0"], check=True, capture_output=True)
        found = json.loads(report.read_text())
    return Counter((int(Path(one["File"]).stem), one["RuleID"].lower().replace("-", "_")) for one in found)


def measure(texts: pa.Array, rules: Sequence[str], *, embedded: bool, repeats: int, plain: int) -> dict[str, Any]:
    from curation.models.secrets.finder import Finder
    from curation.models.secrets.gitleaks import read_rules
    from curation.models.secrets.own_rules import own_rules

    finder = Finder([*([own_rules()] if embedded else []), *map(read_rules, rules)])
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    found = [finder.find(batch["text"], pa.nulls(len(batch), pa.string())) for batch in batches]
    kinds = Counter(span["kind"] for spans in found for row in spans.to_pylist() for span in row)
    seconds = fastest(lambda batch: finder.find(batch["text"], pa.nulls(len(batch), pa.string())), batches, repeats)
    some = texts.take(pa.array(range(0, len(texts), max(1, len(texts) // plain))))
    urls = pa.nulls(len(some), pa.string())
    start = time.thread_time()
    expected = finder.found_plainly(some, urls)
    plain_seconds = time.thread_time() - start
    if finder.found(some, urls) != expected:
        raise SystemExit("winnow and plain patterns find different secrets")
    megabytes = megabytes_of(texts)
    some_megabytes = megabytes_of(some)
    parts = {
        "winnow": {"megabytes_per_second": megabytes / seconds, "documents_per_second": len(texts) / seconds},
        "plain patterns": {
            "megabytes_per_second": some_megabytes / plain_seconds,
            "documents_per_second": len(some) / plain_seconds,
        },
    }
    return {
        "documents": len(texts),
        "megabytes": megabytes,
        "plain_documents": len(some),
        "rules": len(finder.kinds),
        "findings": dict(kinds.most_common()),
        "parts": parts,
        "ratio": parts["winnow"]["megabytes_per_second"] / parts["plain patterns"]["megabytes_per_second"],
    }


def compare(texts: pa.Array, rules: Path, program: Path) -> dict[str, dict[str, int]]:
    """Findings by kind that only one of winnow and gitleaks has, of the same rules."""
    from curation.models.secrets.finder import Finder
    from curation.models.secrets.gitleaks import read_rules

    given = read_rules(str(rules)).rules
    urls = pa.array([f"https://a.test/{number}.txt" for number in range(len(texts))])
    ours = Counter((one.document, given[one.rule].kind) for one in Finder([read_rules(str(rules))]).found(texts, urls))
    theirs = gitleaks_findings(program, rules, texts.to_pylist())
    return {
        name: dict(Counter(kind for _, kind in (left - right).elements()))
        for name, left, right in (("only_winnow", ours, theirs), ("only_gitleaks", theirs, ours))
    }


def show(figures: dict[str, Any]) -> None:
    title = f"{figures['documents']:,} documents, {figures['megabytes']:.1f} MB, {figures['rules']} rules, one core"
    table = empty_table(title, "part", "MB/s", "documents/s")
    for name, part in figures["parts"].items():
        table.add_row(name, f"{part['megabytes_per_second']:.2f}", f"{part['documents_per_second']:,.0f}")
    console = Console()
    console.print(table)
    console.print(f"{figures['ratio']:,.0f} times plain patterns; the same findings", highlight=False)
    for name in ("findings", "only_winnow", "only_gitleaks"):
        if name in figures:
            shown = ", ".join(f"{kind} {count}" for kind, count in figures[name].items()) or "none"
            console.print(f"{name.replace('_', ' ')}: {shown}", highlight=False)


def main() -> None:
    parser = command_line("pii.secrets", __doc__)
    add_text_options(parser, repeats=3)
    parser.add_argument("--rules", action="append", default=[], metavar="FILE", help="gitleaks' rules, beside our own")
    parser.add_argument("--no-own", action="store_true", help="without winnow's own rules")
    parser.add_argument("--plain", type=int, default=500, help="documents for the plain patterns")
    parser.add_argument("--gitleaks", type=Path, metavar="PROGRAM", help="gitleaks itself, of version 8.25 or newer")
    options = parser.parse_args()
    texts = texts_from(options.files, options)
    figures = measure(texts, options.rules, embedded=not options.no_own, repeats=options.repeats, plain=options.plain)
    if options.gitleaks:
        figures |= compare(texts, Path(options.rules[0]), options.gitleaks)
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
