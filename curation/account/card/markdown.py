"""A card as Markdown: front matter that data hubs read, then short tables from where the data is from to its hashes.

A hub shows the file where it lies as README.md beside the data.
"""

import json
from collections.abc import Iterator, Sequence

from curation.account.card.card_sections import chosen, made, taken_down, tokens
from curation.account.card.contents import Share
from curation.account.card.facts import Card
from curation.account.card.text import code, count, percent, prose, size, table
from curation.text.licences.names import in_words

SHOWN = 15  # licences and languages
# What hubs call a number of documents: by its digits, up to three, four, …
SIZES = (
    *("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "10B<n<100B"),
    *("100B<n<1T", "n>1T"),
)
HUB_LICENCES = {  # SPDX in small letters -> as hubs call it, where that is another name
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
    "pddl-1.0": "pddl",
}
HUB_NAMES = """apache-2.0 mit bsd-2-clause bsd-3-clause cc0-1.0 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0
cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 gpl-2.0 gpl-3.0
lgpl-3.0 agpl-3.0 mpl-2.0 unlicense""".split()
LANGUAGES_BY = {
    "language": "As a classifier took them; each document carries its label.",
    "declared_language": "As pages or records declare them; no document carries the label of a classifier here.",
    "": "No stage of documents is sealed yet.",
}


def markdown(card: Card) -> str:
    """The whole card."""
    head = (_front(card), _summary(card), _sources(card), _kept(card))
    sections = (*head, chosen(card), tokens(card), taken_down(card), _limits(card))
    return "\n".join([*(line for section in sections for line in section), *made(card)]).rstrip("\n") + "\n"


def _front(card: Card) -> Iterator[str]:
    """YAML; every value is a JSON string, which YAML reads as it is."""
    yield "---"
    yield f"pretty_name: {json.dumps(card.about.name)}"
    yield from _hub_licence(card.about.licence)
    labels = [share.name for share in card.contents.languages if share.name]
    if labels and card.contents.languages_by == "language":
        yield "language:"
        yield from (f"- {json.dumps(label)}" for label in sorted(labels))
    yield "task_categories:"
    yield '- "text-generation"'
    yield "size_categories:"
    yield f"- {json.dumps(_size(card.contents.total.documents))}"
    yield from _hub_files(card)
    yield "---"
    yield ""


def _hub_licence(licence: str) -> Iterator[str]:
    """`unknown` where none is given, `other` with its name for one that hubs do not list."""
    plain = (in_words(licence) or licence).lower().removesuffix("-only").removesuffix("-or-later")
    small = HUB_LICENCES.get(plain, plain)
    known = not licence or small in (*HUB_NAMES, *HUB_LICENCES.values())
    yield f"license: {json.dumps((small or 'unknown') if known else 'other')}"
    if not known:
        yield f"license_name: {json.dumps(licence)}"


def _hub_files(card: Card) -> Iterator[str]:
    """What a hub shows as the data: the documents, where every one of the last stage was kept."""
    ends = [stage for stage in card.stages if stage.name in card.contents.stages]
    if ends and not any(stage.dropped for stage in ends):
        yield "configs:"
        yield '- config_name: "documents"'
        yield "  data_files:"
        yield from (f"  - {json.dumps(f'{stage.folder}/part-*.parquet')}" for stage in ends)


def _size(documents: int) -> str:
    return SIZES[min(max(len(str(documents)) - 3, 0), len(SIZES) - 1)]


def _summary(card: Card) -> Iterator[str]:
    total, about = card.contents.total, card.about
    yield f"# {prose(about.name)}"
    yield ""
    if not card.complete:
        yield "**This run is not finished: the card tells what is sealed so far.**"
        yield ""
    by = f", by {prose(about.creator)}" if about.creator else ""
    yield f"Text for pretraining language models{by}. Every figure below is read from the sealed files of the run that"
    yield "made the data; what is not in them is not in this card."
    yield ""
    sources = ", ".join(code(one.source) for one in card.inputs)
    facts = {
        "documents": count(total.documents),
        "text": f"{size(total.text_bytes)} of UTF-8",
        "tokens": count(total.tokens) if total.tokens is not None else "not tokenized",
        "sources": sources,
        "licence of the whole": code(about.licence) if about.licence else "not given",
        "version": code(about.version),
    }
    said = {"published": about.published, "from": about.url, "cite as": about.citation}
    facts |= {name: prose(value) for name, value in said.items() if value}
    yield from table(("", ""), facts.items())


def _sources(card: Card) -> Iterator[str]:
    yield "## Where it is from"
    yield ""
    columns = (
        "source",
        "read with",
        " files",
        " size",
        " records",
        " passed over",
        " faults",
        "licence for rows without one",
    )
    yield from table(
        columns,
        (
            (
                code(one.source),
                " and ".join(map(code, filter(None, (one.reader, one.extractor)))),
                count(one.files),
                "unknown" if one.file_bytes is None else size(one.file_bytes),
                count(one.records),
                count(sum(one.passed_over.values())),
                count(one.faults),
                code(one.licence) if one.licence else "–",
            )
            for one in card.inputs
        ),
    )
    for one in card.inputs:
        yield f"- {code(one.source)}: {', '.join(map(code, one.paths[:SHOWN]))}{_more(len(one.paths) - SHOWN)}"
        for what, counts in (("passed over", one.passed_over), ("read leniently", one.lenient)):
            if counts:
                causes = [f"{code(cause)} {number:,}" for cause, number in list(counts.items())[:SHOWN]]
                yield f"  - {what}: {', '.join(causes)}{_more(len(counts) - SHOWN)}"
    yield ""


def _more(number: int) -> str:
    return f", … and {number:,} more" if number > 0 else ""


def _kept(card: Card) -> Iterator[str]:
    found = card.contents
    yield "## What is in it"
    yield ""
    yield f"The documents that the run kept to {', '.join(map(code, found.stages)) or 'its end'}."
    if found.taken_down:
        yield f"Not counted: {count(found.taken_down)} taken down, whose text is gone."
    yield ""
    columns = ("source", " documents", " text", " tokens", "crawled from", "to", " undated")
    yield from table(columns, ((*_cells(one), *_dates(one)) for one in found.sources))
    yield "### Licences"
    yield ""
    yield "As each page, file or recipe declares them: identifiers where the words are known (AND: all bind; OR:"
    yield "one may choose), else the words."
    yield ""
    yield from _shares("licence", found.licences)
    yield "### Languages"
    yield ""
    yield LANGUAGES_BY[found.languages_by]
    yield ""
    yield from _shares("language", found.languages)
    if found.domains:
        yield "### Domains"
        yield ""
        yield f"The largest of {found.all_domains:,} registered domains."
        yield ""
        yield from table(("domain", " documents"), ((code(name), count(number)) for name, number in found.domains))


def _shares(what: str, shares: Sequence[Share]) -> Iterator[str]:
    """The largest, and the rest in one line."""
    rows = [_cells(one) for one in shares[:SHOWN]]
    rest = shares[SHOWN:]
    if rest:
        tokens = None if rest[0].tokens is None else sum(one.tokens or 0 for one in rest)
        rest_of = Share("", sum(one.documents for one in rest), sum(one.text_bytes for one in rest), tokens)
        rows.append((f"{len(rest):,} others", *_cells(rest_of)[1:]))
    whole = sum(one.text_bytes for one in shares)
    parts = [*(one.text_bytes for one in shares[:SHOWN]), sum(one.text_bytes for one in rest)]
    columns = (what, " documents", " text", " tokens", " of the text")
    yield from table(columns, ((*row, percent(part, whole)) for row, part in zip(rows, parts, strict=False)))


def _cells(share: Share) -> tuple[str, str, str, str]:
    name = "none stated" if share.name is None else code(share.name)
    return name, count(share.documents), size(share.text_bytes), count(share.tokens)


def _dates(share: Share) -> tuple[str, str, str]:
    return share.first_date or "unknown", share.last_date or "unknown", count(share.undated)


def _limits(card: Card) -> Iterator[str]:
    yield "## Known limits"
    yield ""
    yield from (f"- {sentence}" for sentence in card.known_limits)
    yield ""
