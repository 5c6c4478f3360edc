"""A card as Markdown: front matter for data hubs, then short tables, from the origin of the data to its hashes.

A hub shows the file if it lies beside the data as README.md. Empty paragraphs of TEMPLATE are left out.
"""

import json
from collections.abc import Iterator, Sequence

from curation.account.card import sections, token_sections
from curation.account.card.contents import Share
from curation.account.card.facts import Card
from curation.account.card.text import code, prose, table
from curation.core.wording import count, percent, size
from curation.text.licences.names import in_words

TEMPLATE = """{front}

# {name}

{unfinished}

Text for pretraining language models{by}. Every figure below comes from the sealed files of the run that
made the data.

{summary}

## Where it is from

{inputs}

{paths}

## What is in it

The documents that the run kept up to {ends}.{not_counted}

{sources}

### Licences

As each page, file or recipe declares them: identifiers for known licences (AND: all apply; OR: the user
may choose), otherwise the declared words.

{licences}

### Languages

{languages_by}

{languages}

{domains}

## How documents were chosen

{stages}

{dropped}

{edits}

{redacted}

{contaminated}

{tokens}

{takedowns}

## Known limits

{limits}

## How it was made

With {versions}. The recipe {recipe_name} with every option that affects the data:

{recipe}

## Hashes

A stage's address is the SHA-256 of everything that decides its bytes: options, versions of rules, assets,
inputs, and the addresses of earlier stages.

{addresses}

{hashes}"""
DOMAINS = "### Domains\n\nRegistered domains, those with most documents first; {all:,} in all.\n\n{table}"
SHOWN = 15  # licences and languages
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
LANGUAGES_BY = {
    "language": "As a classifier labelled them; each document carries its label.",
    "declared_language": "As pages or records declare them; no classifier labelled the documents.",
    "": "No stage of documents is sealed yet.",
}


def markdown(card: Card) -> str:
    fields = _head(card) | _data(card)
    for section in (
        sections.read,
        sections.chosen,
        sections.checked,
        token_sections.tokens,
        sections.taken_down,
        sections.made,
    ):
        fields |= section(card)
    paragraphs = (paragraph.format_map(fields) for paragraph in TEMPLATE.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def _head(card: Card) -> dict[str, str]:
    total = card.contents.total
    about = card.about
    facts = {
        "documents": count(total.documents),
        "text": f"{size(total.text_bytes)} of UTF-8",
        "tokens": count(total.tokens) if total.tokens is not None else "not tokenized",
        "sources": ", ".join(code(source.source) for source in card.inputs),
        "licence of the whole": code(about.licence) if about.licence else "not given",
        "version": code(about.version),
    }
    stated = {"published": about.published, "from": about.url, "cite as": about.citation}
    facts |= {name: prose(value) for name, value in stated.items() if value}
    unfinished = "**This run is not finished: the card describes its sealed stages only.**"
    return {
        "front": "\n".join(_front(card)),
        "name": prose(about.name),
        "unfinished": "" if card.complete else unfinished,
        "by": f", by {prose(about.creator)}" if about.creator else "",
        "summary": table(("", ""), facts.items()),
        "limits": "\n".join(f"- {sentence}" for sentence in card.known_limits),
    }


def _front(card: Card) -> Iterator[str]:
    """YAML whose values are JSON strings, which YAML reads unchanged."""
    yield "---"
    yield f"pretty_name: {json.dumps(card.about.name)}"
    yield from _hub_licence(card.about.licence)
    labels = [share.name for share in card.contents.languages if share.name]
    if labels and card.contents.languages_by == "language":
        yield "language:"
        yield from (f"- {json.dumps(label)}" for label in sorted(labels))
    yield 'task_categories:\n- "text-generation"'
    digits = len(str(card.contents.total.documents))
    yield f"size_categories:\n- {json.dumps(SIZES[min(max(digits - 3, 0), len(SIZES) - 1)])}"
    ends = [stage for stage in card.stages if stage.name in card.contents.stages]
    if ends and not any(stage.dropped for stage in ends):  # a hub shows every row of these files as the data
        yield 'configs:\n- config_name: "documents"\n  data_files:'
        yield from (f"  - {json.dumps(f'{stage.folder}/part-*.parquet')}" for stage in ends)
    yield "---"


def _hub_licence(licence: str) -> Iterator[str]:
    """`unknown` if none is given, `other` with its name for one that hubs do not list."""
    plain = (in_words(licence) or licence).lower().removesuffix("-only").removesuffix("-or-later")
    small = HUB_LICENCES.get(plain, plain)
    known = not licence or small in (*HUB_NAMES, *HUB_LICENCES.values())
    yield f"license: {json.dumps((small or 'unknown') if known else 'other')}"
    if not known:
        yield f"license_name: {json.dumps(licence)}"


def _data(card: Card) -> dict[str, str]:
    kept = card.contents
    gone = f"\nNot counted: {count(kept.taken_down)} that were taken down and have no text." if kept.taken_down else ""
    columns = ("source", " documents", " text", " tokens", "crawled from", "to", " undated")
    dated = ((*_cells(share), *_dates(share)) for share in kept.sources)
    domains = table(("domain", " documents"), ((code(name), count(number)) for name, number in kept.domains))
    return {
        "ends": ", ".join(map(code, kept.stages)) or "its end",
        "not_counted": gone,
        "sources": table(columns, dated),
        "licences": _shares("licence", kept.licences),
        "languages_by": LANGUAGES_BY[kept.languages_by],
        "languages": _shares("language", kept.languages),
        "domains": DOMAINS.format(all=kept.all_domains, table=domains) if kept.domains else "",
    }


def _shares(heading: str, shares: Sequence[Share]) -> str:
    """The largest shares, and the others in one line."""
    text_bytes = sum(share.text_bytes for share in shares)
    others = shares[SHOWN:]
    rows = [(*_cells(share), percent(share.text_bytes, text_bytes)) for share in shares[:SHOWN]]
    if others:
        tokens = None if others[0].tokens is None else sum(share.tokens or 0 for share in others)
        total = Share("", sum(share.documents for share in others), sum(share.text_bytes for share in others), tokens)
        rows.append((f"{len(others):,} others", *_cells(total)[1:], percent(total.text_bytes, text_bytes)))
    return table((heading, " documents", " text", " tokens", " of the text"), rows)


def _cells(share: Share) -> tuple[str, str, str, str]:
    name = "none stated" if share.name is None else code(share.name)
    return name, count(share.documents), size(share.text_bytes), count(share.tokens)


def _dates(share: Share) -> tuple[str, str, str]:
    return share.first_date or "unknown", share.last_date or "unknown", count(share.undated)
