"""Sections of a card's Markdown on how its data was read and filtered, and on takedowns, recipe and hashes."""

from itertools import groupby
from typing import Any

import yaml

from curation.account.card.facts import Card
from curation.account.card.stage_facts import Input
from curation.account.card.text import code, prose, table
from curation.core.verbs import VERBS
from curation.core.wording import count, listed, percent, size

GUARDS = ("expect_kept", "max_errors", "max_removed", "local_links")  # options of stages that do not affect the data
TAKEN_DOWN = (
    "## Taken down\n\nThe texts and tokens of these documents were erased from every stage; their empty rows stay.\n\n"
)


def read(card: Card) -> dict[str, str]:
    """The fields `inputs` and `paths`."""
    columns = ("source", "read with", " files", " size", " records", " passed over", " faults")
    rows = (
        (
            code(source.source),
            " and ".join(map(code, filter(None, (source.reader, source.extractor)))),
            count(source.files),
            "unknown" if source.file_bytes is None else size(source.file_bytes),
            count(source.records),
            count(sum(source.passed_over.values())),
            count(source.faults),
            code(source.licence) if source.licence else "–",
        )
        for source in card.inputs
    )
    inputs = table((*columns, "licence for rows without one"), rows)
    return {"inputs": inputs, "paths": "\n".join(map(_paths, card.inputs))}


def _paths(source: Input) -> str:
    lines = [f"- {code(source.source)}: {listed(map(code, source.paths))}"]
    for fate, counts in (("passed over", source.passed_over), ("read leniently", source.lenient)):
        if counts:
            lines.append(f"  - {fate}: {listed(f'{code(cause)} {number:,}' for cause, number in counts.items())}")
    return "\n".join(lines)


def chosen(card: Card) -> dict[str, str]:
    """The fields `stages`, `dropped` (each reason with its limit) and `edits`."""
    stages = [stage for stage in card.stages if stage.has_documents]
    rows = (
        (
            code(stage.name),
            f"{stage.verb}: {', '.join(map(code, stage.components))}",
            *map(count, (stage.rows, stage.rows - stage.kept, stage.kept)),
            percent(stage.kept, stage.rows),
        )
        for stage in stages
    )
    reasons = [
        (code(stage.name), code(dropped.reason), count(dropped.documents), prose(dropped.limit))
        for stage in stages
        for dropped in stage.dropped
    ]
    edits = [(code(stage.name), code(name), count(n)) for stage in stages for name, n in stage.edits.items()]
    why = "A document is dropped for the first limit it breaks:\n\n"
    limits = table(("stage", "reason", " documents", "kept if"), reasons)
    return {
        "stages": table(("stage", "what", " in", " dropped", " kept", " share kept"), rows),
        "dropped": why + limits if reasons else "",
        "edits": "Texts were edited:\n\n" + table(("stage", "edit", " count"), edits) if edits else "",
    }


def checked(card: Card) -> dict[str, str]:
    """The fields `redacted` and `contaminated`; empty where no stage looked for such things."""
    values = (
        (
            *map(code, (one.stage, one.component)),
            *map(count, (one.documents, one.affected)),
            listed(f"{kind} {number:,}" for kind, number in one.values.items()) or "–",
            "in earlier stages" if one.originals else "gone",
        )
        for one in card.redacted
    )
    found = [
        (code(one.stage), one.method, one.action, *map(count, (one.documents, one.affected, one.dropped, one.items)))
        for one in card.contaminated
    ]
    sets = [(code(one.stage), code(name), count(n)) for one in card.contaminated for name, n in one.by_set.items()]
    columns = ("stage", "by", " documents", " with values", "taken out", "originals")
    methods = ("stage", "method", "action", " documents", " holding an item", " dropped", " items")
    by_set = "\n\n" + table(("stage", "evaluation set", " documents"), sets) if sets else ""
    return {
        "redacted": "## Personal data and secrets\n\n" + table(columns, values) if card.redacted else "",
        "contaminated": "## Evaluation sets\n\n" + table(methods, found) + by_set if found else "",
    }


def taken_down(card: Card) -> dict[str, str]:
    rows = [
        (takedown.day, *map(count, (takedown.documents, takedown.rows, takedown.files))) for takedown in card.takedowns
    ]
    columns = ("day", " documents", " rows changed", " files changed")
    return {"takedowns": TAKEN_DOWN + table(columns, rows) if rows else ""}


def made(card: Card) -> dict[str, str]:
    """Versions, the recipe with every default, and the addresses and hashes of stages and files."""
    recipe = yaml.safe_dump(_recipe(card), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    fence = "`" * max(3, 1 + max((len(list(run)) for mark, run in groupby(recipe) if mark == "`"), default=0))
    hashes = [
        f"- listing of the {count(source.files)} input files of {code(source.source)}: {code(source.listing)}"
        for source in card.inputs
    ]
    hashes += [
        f"- the {packing.files:,} token files of {code(packing.stage)}: {code(packing.digest)}, the SHA-256 of\n"
        "  their lines `<BLAKE2b-256> <name>`, sorted by name; the stage's `_manifest.json` lists them"
        for packing in card.packings
    ]
    addresses = ((code(stage.name), code(stage.folder), code(stage.address)) for stage in card.stages)
    return {
        "versions": prose(", ".join(f"{name} {version}" for name, version in sorted(card.versions.items()))),
        "recipe_name": code(card.recipe_name),
        "recipe": f"{fence}yaml\n{recipe.rstrip()}\n{fence}",
        "addresses": table(("stage", "folder", "address"), addresses),
        "hashes": "\n".join(hashes),
    }


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
