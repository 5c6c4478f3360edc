"""What `winnow duplicates` shows: what was removed, clusters by size and the largest ones, sources and domains."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # what these are made of takes longer to import than a command line should
    from curation.account.duplicates import Removal, StageDuplicates

SHOWN = 5  # clusters with their samples; --json has all


def stages(console: Console, found: "Sequence[StageDuplicates]") -> None:
    """Each stage's sums, histogram, largest clusters and removal."""
    for number, one in enumerate(found):
        if number:
            console.print()
        _sums(console, one)
        if one.sizes:
            console.print(_histogram(one))
        _clusters(console, "largest clusters", one.largest)
        if one.clusters_above:
            split = f", {one.clusters_split:,} of them split" if one.clusters_split else ", none split"
            _clusters(console, f"{one.clusters_above:,} clusters above the limits{split}", one.above)
        console.print(_removal("source", one.by_source))
        if one.by_domain:
            console.print(_removal("domain", one.by_domain))


def _sums(console: Console, one: "StageDuplicates") -> None:
    removed = ", ".join(f"{method} {count:,}" for method, count in one.removed.items()) or "none"
    say(console, f"[bold]{one.name}[/]: {one.rows:,} documents, removed: {removed}")
    facts = [f"{name.replace('_', ' ')} {value:,}" for name, value in one.found.items() if isinstance(value, int)]
    facts += [
        f"{count:,} keys of {name.partition('.')[0]} in groups too large to pair each with each"
        for name, count in one.found.get("skipped", {}).items()
        if count
    ]
    say(console, f"  {', '.join(facts)}")
    prepass, bloom = one.found.get("prepass"), one.found.get("bloom")
    if prepass:
        share = prepass["not_written"] / max(prepass["keys"], 1)
        say(
            console,
            f"  pre-pass: {prepass['not_written']:,} of {prepass['keys']:,} keys ({share:.1%}) were not written, for "
            f"{prepass['sketch_bytes'] / 1e6:,.1f} MB of sketches",
        )
    if bloom:
        say(
            console,
            f"  wrote a Bloom filter of {bloom['items']:,} keys, {bloom['bytes'] / 1e6:,.1f} MB, false-positive rate "
            f"{bloom['rate']:.2g}",
        )


def _histogram(one: "StageDuplicates") -> Table:
    most = max(count for _, count in one.sizes)
    rows = []
    for upto, count in one.sizes:
        low = upto if upto <= 4 else upto // 2 + 1
        sizes = f"{low:,}" if low == upto else f"{low:,} - {upto:,}"
        rows.append((sizes, f"{count:,}", "█" * round(30 * count / most)))
    return table(("documents in a cluster", " clusters", ""), rows, box=None, header_style="bold")


def _clusters(console: Console, title: str, clusters: "Sequence[dict[str, Any]]") -> None:
    if not clusters:
        return
    say(console, f"[bold]{title}[/]")
    for cluster in clusters[:SHOWN]:
        say(console, f"  {cluster['documents']:,} documents, diameter {cluster['diameter']}")
        for sample in cluster["samples"]:
            mark = "[green]kept[/]" if sample["kept"] else "[red]copy[/]"
            say(console, f"    {mark} {plain(sample['url'] or '(no url)')}")
            say(console, f"         {plain(sample['beginning'][:100])}")


def _removal(what: str, removals: "Sequence[Removal]") -> Table:
    rows = ((plain(one.name), f"{one.documents:,}", f"{one.removed:,}", f"{one.share:.1%}") for one in removals)
    return table((what, " documents", " removed", " share"), rows, box=None, header_style="bold")
