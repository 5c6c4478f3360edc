"""What `winnow duplicates` shows: what was removed, clusters by size and the largest ones, sources and domains."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from curation.core.wording import counted, size
from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, counts, view

if TYPE_CHECKING:  # slow to import
    from curation.account.duplicates import Removal, StageDuplicates

SHOWN = 5  # clusters with their samples; --json has all
# What a dedup stage counted, in words.
FIGURES = {
    "keys": "{:,} keys compared",
    "refined_keys": "{:,} keys compared in the second round",
    "links": "{:,} links of documents to their duplicates by equal keys",
    "candidates": "{:,} candidates for links",
    "pairs": "{:,} different pairs of them verified",
    "verified": "{:,} of these linked",
    "rounds": "clusters joined in {:,} rounds of tasks",
}
DIAMETER = "diameter: links from one document to the farthest other one, copies of one text counting as one"


def stages(console: Console, dedups: "Sequence[StageDuplicates]") -> None:
    for number, stage in enumerate(dedups):
        if number:
            console.print()
        _sums(console, stage)
        if stage.sizes:
            console.print(_histogram(stage))
        _clusters(console, "largest clusters", stage.largest)
        if stage.clusters_above:
            split = f", {stage.clusters_split:,} of them split" if stage.clusters_split else ", none split"
            _clusters(console, f"{counted(stage.clusters_above, 'cluster')} above the limits{split}", stage.above)
        console.print(_removal("source", stage.by_source))
        if stage.by_host:
            console.print(_removal("host", stage.by_host))


def _sums(console: Console, stage: "StageDuplicates") -> None:
    removed = ", ".join(f"{method} {count:,}" for method, count in stage.removed.items()) or "none"
    say(console, f"[bold]{stage.name}[/]: {stage.rows:,} documents, removed: {removed}")
    facts = [words.format(stage.figures[name]) for name, words in FIGURES.items() if stage.figures.get(name)]
    facts += [
        f"{count:,} keys of {name.partition('.')[0]} in groups too large to compare all pairs"
        for name, count in stage.figures.get("skipped", {}).items()
        if count
    ]
    say(console, f"  {', '.join(facts)}")
    bloom = stage.figures.get("bloom")
    if bloom:
        say(
            console,
            f"  wrote a Bloom filter of {bloom['items']:,} keys, {size(bloom['bytes'])}, false-positive rate "
            f"{bloom['rate']:.2g}",
        )


def _histogram(stage: "StageDuplicates") -> Table:
    most = max(count for _, count in stage.sizes)
    rows = []
    for upto, count in stage.sizes:
        low = upto if upto <= 4 else upto // 2 + 1
        sizes = f"{low:,}" if low == upto else f"{low:,} - {upto:,}"
        rows.append((sizes, f"{count:,}", "█" * round(30 * count / most)))
    return table(("documents in a cluster", " clusters", ""), rows, box=None, header_style="bold")


def _clusters(console: Console, title: str, clusters: "Sequence[dict[str, Any]]") -> None:
    if not clusters:
        return
    say(console, f"[bold]{title}[/] ({DIAMETER})")
    for cluster in clusters[:SHOWN]:
        say(console, f"  {cluster['documents']:,} documents, diameter {_diameter(cluster['diameter'])}")
        for sample in cluster["samples"]:
            mark = "[green]kept[/]" if sample["kept"] else "[red]copy[/]"
            say(console, f"    {mark} {plain(sample['url'] or '(no url)')}")
            say(console, f"         {plain(sample['beginning'][:100])}")


def _removal(group: str, removals: "Sequence[Removal]") -> Table:
    columns = (Column(group, "name"), *counts("documents", "removed"), Column("share", form=".1%"))
    return view(columns, removals, box=None, header_style="bold")


def _diameter(edges: int) -> str:
    """A cluster that is too large for one task has none."""
    return str(edges) if edges >= 0 else "not measured"
