"""What a card's Markdown says of how its data was made: read, chosen, packed and mixed; then recipe and hashes."""

from itertools import groupby
from typing import Any

import yaml

from curation.account.card import token_sections
from curation.account.card.facts import Card
from curation.account.card.stages import Input
from curation.account.card.text import code, count, listed, percent, prose, size, table
from curation.core.verbs import VERBS

GUARDS = ("expect_kept", "max_errors", "max_removed", "local_links")  # of stages: they decide nothing
TOKENS = "## Tokens\n\n{facts}\n\n{tables}"
MIXTURE = (
    "### Mixture\n\nWhat training sees: {tokens} tokens, in an order drawn with seed {seed}. Counted are those\n"
    "that a model is to predict: not padding, and of each row not the first. Epochs: how often rows are seen.\n\n"
    "{table}"
)
TAKEN_DOWN = (
    "## Taken down\n\nTexts and tokens of these documents were removed from every stage; their rows stay, empty.\n\n"
)


def read(card: Card) -> dict[str, str]:
    """`inputs` and `paths` of each source."""
    columns = ("source", "read with", " files", " size", " records", " passed over", " faults")
    rows = (
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
    )
    inputs = table((*columns, "licence for rows without one"), rows)
    return {"inputs": inputs, "paths": "\n".join(map(_paths, card.inputs))}


def _paths(one: Input) -> str:
    lines = [f"- {code(one.source)}: {listed(map(code, one.paths))}"]
    for what, counts in (("passed over", one.passed_over), ("read leniently", one.lenient)):
        if counts:
            lines.append(f"  - {what}: {listed(f'{code(cause)} {number:,}' for cause, number in counts.items())}")
    return "\n".join(lines)


def chosen(card: Card) -> dict[str, str]:
    """`stages` of documents, then each reason with its limit (`dropped`), then `edits`."""
    stages = [stage for stage in card.stages if stage.has_documents]
    rows = (
        (
            code(stage.name),
            f"{stage.verb}: {', '.join(map(code, stage.parts))}",
            *map(count, (stage.rows, stage.rows - stage.kept, stage.kept)),
            percent(stage.kept, stage.rows),
        )
        for stage in stages
    )
    dropped = [
        (code(stage.name), code(one.reason), count(one.documents), prose(one.limit))
        for stage in stages
        for one in stage.dropped
    ]
    edits = [(code(stage.name), code(name), count(n)) for stage in stages for name, n in stage.edits.items()]
    why = "A document is dropped for the first limit that it breaks:\n\n"
    limits = table(("stage", "reason", " documents", "kept are those with"), dropped)
    return {
        "stages": table(("stage", "what", " in", " dropped", " kept", " share kept"), rows),
        "dropped": why + limits if dropped else "",
        "edits": "Texts were edited:\n\n" + table(("stage", "edit", " count"), edits) if edits else "",
    }


def tokens(card: Card) -> dict[str, str]:
    """`tokens`: tokenizers, packed rows and mixture; nothing where the run has none."""
    if not card.tokenizers:
        return {"tokens": ""}
    facts = [*map(token_sections.tokenizer, card.tokenizers), *map(token_sections.method, card.packings)]
    tables = [token_sections.packed(packing) for packing in card.packings]
    if card.mixture is not None:
        total, lines = sum(line.tokens for line in card.mixture.lines), token_sections.mixed(card.mixture)
        tables.append(MIXTURE.format(tokens=count(total), seed=card.mixture.seed, table=lines))
    return {"tokens": TOKENS.format(facts="\n".join(facts), tables="\n\n".join(tables)).rstrip("\n")}


def taken_down(card: Card) -> dict[str, str]:
    """`takedowns`: a line each."""
    rows = [(one.day, *map(count, (one.documents, one.rows, one.files))) for one in card.takedowns]
    columns = ("day", " documents", " rows changed", " files changed")
    return {"takedowns": TAKEN_DOWN + table(columns, rows) if rows else ""}


def made(card: Card) -> dict[str, str]:
    """Versions, the recipe with every default, and what each stage and file is known by."""
    recipe = yaml.safe_dump(_recipe(card), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    fence = "`" * max(3, 1 + max((len(list(run)) for mark, run in groupby(recipe) if mark == "`"), default=0))
    hashes = [
        f"- listing of the {count(one.files)} input files of {code(one.source)}: {code(one.listing)}"
        for one in card.inputs
    ]
    hashes += [
        f"- the {packing.files:,} token files of {code(packing.stage)}: {code(packing.digest)}, the SHA-256 of\n"
        "  a line `<BLAKE2b-256> <name>` for each, in order of names, as the stage's `_manifest.json` has them"
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
    """In the order in which people write one, and without the guards of stages."""
    chains = {source: [_stage(item) for item in chain] for source, chain in card.recipe["sources"].items()}
    head = {name: card.recipe[name] for name in ("version", "name", "buckets", "shards")}
    return {**head, "sources": chains, "joined": [_stage(item) for item in card.recipe["joined"]]}


def _stage(item: dict[str, Any]) -> dict[str, Any]:
    """The verb first."""
    kept = {name: value for name, value in item.items() if name not in GUARDS and (name != "name" or value)}
    verbs = [name for name in kept if name in VERBS]
    return {name: kept[name] for name in (*verbs, *(name for name in kept if name not in verbs))}
