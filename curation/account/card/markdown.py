"""A card as Markdown: front matter for data hubs, then short tables, from the origin of the data to its hashes.

The words are in TEMPLATE. Text from pages and people is made harmless: in code a backtick becomes ', a bar ¦ and an
unprintable character U+FFFD; in prose, Markdown's marks are escaped. A hub shows the file if it lies beside the data as
README.md.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import jinja2
import yaml

from curation.account.card.facts import Card
from curation.account.card.tokens import PackedSplit, Packing
from curation.account.mixture import MixLine, Mixture, sum_of_lines
from curation.core.energy import Figure
from curation.core.printable import printable
from curation.core.verbs import VERBS
from curation.core.wording import count, fence, listed, per, percent, size
from curation.text.licences.names import in_words

TEMPLATE = "card.md.jinja"
LONGEST = 160  # characters of a value from a document, path or person
SHOWN = 15  # licences, languages, and sub-sources of a pack or of a phase
GUARDS = ("expect_kept", "max_errors", "max_removed", "local_links")  # options of stages that do not affect the data
# Hubs' names for numbers of documents with up to three digits, four, …
SIZES = (
    *("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "10B<n<100B"),
    *("100B<n<1T", "n>1T"),
)
HUB_LICENCES = {  # lower-case SPDX -> the hubs' name, if it differs
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
    "pddl-1.0": "pddl",
}
HUB_NAMES = """apache-2.0 mit bsd-2-clause bsd-3-clause cc0-1.0 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0
cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 gpl-2.0 gpl-3.0
lgpl-3.0 agpl-3.0 mpl-2.0 unlicense""".split()
BY_SUB_SOURCE = "By sub-source:"
LARGEST = "By sub-source, the largest (`winnow card --json` has all):"
COUNTS = ("rows", "tokens", "documents", "utf8_bytes", "padding", "cut")
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$:@-])")

Counted = TypeVar("Counted", PackedSplit, MixLine)


def templates(folder: Path) -> jinja2.Environment:
    """Templates of Markdown with filters for text from elsewhere and for figures."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters = (code, prose, count, size, listed, tallied, figure, split_tables, mix_tables)
    environment.filters |= {"json": json.dumps, **{each.__name__: each for each in filters}}
    return environment


def markdown(card: Card) -> str:
    ends = [stage for stage in card.stages if stage.name in card.contents.stages]
    recipe = yaml.safe_dump(_recipe(card), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    digits = len(str(card.contents.total.documents))
    return (
        templates(Path(__file__).parent)
        .get_template(TEMPLATE)
        .render(
            card=card,
            hub_licence=hub_licence(card.about.licence),
            size_category=SIZES[min(max(digits - 3, 0), len(SIZES) - 1)],
            shown_by_hubs=() if any(stage.dropped for stage in ends) else ends,  # hubs show every row of their files
            shown=SHOWN,
            recipe=recipe.rstrip(),
            fence=fence(recipe),
            percent=percent,
            per=per,
        )
    )


def code(text: str) -> str:
    """Any text as one line of code, safe in tables."""
    shown = _printable(text).replace("`", "'").replace("|", "¦")
    return f"`{shown[:LONGEST] + '…' if len(shown) > LONGEST else shown or '(empty)'}`"


def prose(text: str) -> str:
    """Any text as words of a paragraph or heading, without Markdown or HTML markup."""
    return _MARKS.sub(r"\\\1", _printable(text))


def _printable(text: str) -> str:
    """One line, with runs of whitespace as one blank."""
    return printable(" ".join(text.split()))


def tallied(counts: Mapping[str, int], *, code: Callable[[str], str] | None = code) -> str:
    """ "a 1, b 2"; the names as code, or as they are."""
    return listed(f"{code(name) if code else name} {number:,}" for name, number in counts.items())


def figure(value: Figure) -> str:
    """ "0.0123", or the word that it is unmeasured."""
    return value if isinstance(value, str) else f"{value:,.4g}"


def hub_licence(licence: str) -> str:
    """As hubs name it: "unknown" if none is given, "other" for one that they do not list."""
    plain = (in_words(licence) or licence).lower().removesuffix("-only").removesuffix("-or-later")
    small = HUB_LICENCES.get(plain, plain)
    known = not licence or small in (*HUB_NAMES, *HUB_LICENCES.values())
    return (small or "unknown") if known else "other"


def split_tables(packing: Packing) -> list[tuple[str, list[PackedSplit]]]:
    """Titles and lines: rows by source and split, then the largest sub-sources."""
    splits = [split for split in packing.splits if split.documents]
    return _tables([splits], lambda split: split.split, _sum_of_splits)


def mix_tables(mixture: Mixture) -> list[tuple[str, list[MixLine]]]:
    """Titles and lines: what each phase takes from each source, then the largest sub-sources."""
    phases = [list(lines) for _, lines in groupby(mixture.lines, key=lambda line: line.phase)]
    return _tables(phases, lambda line: line.phase, sum_of_lines)


def _tables(
    groups: Sequence[Sequence[Counted]],
    kind: Callable[[Counted], str],
    sum_of: Callable[[str, Sequence[Counted]], Counted],
) -> list[tuple[str, list[Counted]]]:
    """Sums by kind over the sub-sources of each source (its name up to the first "/"), then the largest lines of each
    group; only these where there are no sub-sources."""
    lines = [line for group in groups for line in group]
    largest = [line for group in groups for line in _largest(group, sum_of)]
    if not any("/" in line.source for line in lines):
        return [("", largest)]
    grouped = defaultdict[tuple[str, str], list[Counted]](list)
    for line in lines:
        grouped[kind(line), line.source.partition("/")[0]].append(line)
    title = LARGEST if max(map(len, groups)) > SHOWN else BY_SUB_SOURCE
    return [("", [sum_of(source, own) for (_, source), own in grouped.items()]), (title, largest)]


def _largest(lines: Sequence[Counted], sum_of: Callable[[str, Sequence[Counted]], Counted]) -> list[Counted]:
    """The SHOWN lines with most tokens, in their order, then the others as one line."""
    if len(lines) <= SHOWN:
        return list(lines)
    least = sorted((line.tokens for line in lines), reverse=True)[SHOWN - 1]
    largest = [line for line in lines if line.tokens >= least][:SHOWN]
    others = [line for line in lines if line not in largest]
    return largest + [sum_of(f"{len(others):,} others", others)]  # noqa: RUF005 - mypy cannot follow unpacking


def _sum_of_splits(name: str, own: Sequence[PackedSplit]) -> PackedSplit:
    names = {split.split for split in own}
    counts = {field: sum(getattr(split, field) for split in own) for field in COUNTS}
    return PackedSplit(name, names.pop() if len(names) == 1 else "both", **counts)


def _recipe(card: Card) -> dict[str, Any]:
    """The recipe in the order in which people write one, without GUARDS."""
    chains = {source: [_stage(item) for item in chain] for source, chain in card.recipe["sources"].items()}
    names = ("version", "name", "shards", "privacy")
    head: dict[str, Any] = {name: card.recipe[name] for name in names if name in card.recipe}
    return {**head, "sources": chains, "joined": [_stage(item) for item in card.recipe["joined"]]}


def _stage(item: dict[str, Any]) -> dict[str, Any]:
    """The verb comes first."""
    kept = {name: value for name, value in item.items() if name not in GUARDS and (name != "name" or value)}
    verbs = [name for name in kept if name in VERBS]
    return {name: kept[name] for name in (*verbs, *(name for name in kept if name not in verbs))}
