"""The finder of secrets beside plain Python patterns, one after the other: speed, and the same findings.

    python -m benchmarks pii.secrets --rules gitleaks.toml FILES …                     gitleaks' rules beside our own
    python -m benchmarks pii.secrets --rules gitleaks.toml --gitleaks PROGRAM FILES …  and gitleaks itself

The plain patterns search `--plain` of the documents, and must find what ours finds there. Without files: seeded texts.
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.case import Case, DisagreementError, Figures, over
from benchmarks.data import add_text_options, amounts, batches_of, chosen_texts
from curation.models.secrets.finder import Finder
from curation.models.secrets.gitleaks import read_rules
from curation.models.secrets.own_rules import own_rules


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


def beside_gitleaks(texts: pa.Array, rules: Path, program: Path) -> dict[str, dict[str, int]]:
    """Kind -> findings that only one of winnow and gitleaks has, by the same rules."""
    given = read_rules(str(rules)).rules
    urls = pa.array([f"https://a.test/{number}.txt" for number in range(len(texts))])
    ours = Counter((one.document, given[one.rule].kind) for one in Finder([read_rules(str(rules))]).found(texts, urls))
    theirs = gitleaks_findings(program, rules, texts.to_pylist())
    sides = {"only winnow": ours - theirs, "only gitleaks": theirs - ours}
    kinds = {name: Counter(kind for _, kind in found.elements()) for name, found in sides.items()}
    every = sorted({kind for found in kinds.values() for kind in found})
    return {kind: {name: found[kind] for name, found in kinds.items()} for kind in every}


class PlainFinder(Finder):
    """Searches a text by the pattern of each rule of which it holds a keyword."""

    def promising(self, content: bytes) -> list[int]:
        words = [[word.encode() for word in rule.keywords] for rule in self.rules]
        lower = content.lower()
        return [rule for rule, own in enumerate(words) if not own or any(word in lower for word in own)]


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    texts = chosen_texts(options)
    finder = Finder([*([] if options.no_own else [own_rules()]), *map(read_rules, options.rules)])
    plain = PlainFinder(finder.sets)
    some = texts.take(pa.array(range(0, len(texts), max(1, len(texts) // options.plain))))
    urls = pa.nulls(len(some), pa.string())

    def find(batch: pa.RecordBatch) -> pa.Array:
        return finder.find(batch["text"], pa.nulls(len(batch), pa.string()))

    def same(_: Any, theirs: Any) -> str:
        if finder.found(some, urls) != theirs:
            raise DisagreementError("winnow and plain patterns find different secrets")
        return f"the same {len(theirs):,} findings in {len(some):,} documents"

    batches = batches_of(texts)
    yield Case(
        name=f"{len(finder.kinds)} rules",
        ours=over(find, batches),
        peer=lambda: plain.found(some, urls),
        called="plain patterns",
        agree=same,
        amounts=amounts(texts),
        peer_amounts=amounts(some),
    )
    kinds = Counter(span["kind"] for batch in batches for row in find(batch).to_pylist() for span in row)
    if kinds:
        yield Figures("findings by kind", {kind: {"found": count} for kind, count in kinds.most_common()})
    if options.gitleaks:
        yield Figures("gitleaks", beside_gitleaks(texts, Path(options.rules[0]), options.gitleaks))


def add_options(parser: argparse.ArgumentParser) -> None:
    add_text_options(parser)
    parser.add_argument("--rules", action="append", default=[], metavar="FILE", help="gitleaks' rules, beside our own")
    parser.add_argument("--no-own", action="store_true", help="without winnow's own rules")
    parser.add_argument("--plain", type=int, default=500, help="documents for the plain patterns")
    parser.add_argument("--gitleaks", type=Path, metavar="PROGRAM", help="gitleaks itself, of version 8.25 or newer")
