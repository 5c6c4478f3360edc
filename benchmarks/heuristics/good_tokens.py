"""What the published rules drop and cut of English text that people call good: each recipe in each reading, by kind.

    python -m benchmarks.heuristics.good_tokens                      the test data beside this checkout
    python -m benchmarks.heuristics.good_tokens FILE …               JSON lines or Parquet with a field `text`
    python -m benchmarks.heuristics.good_tokens --recipe fineweb     one recipe

A line of the first table is a shipped recipe with one `variant` for all of its rule sets that have it; with *, as it
ships. FineWeb's own rules know `paper` and `datatrove` only, and stay as they ship in the others. A cell is the share
of words that are lost: all words of a document that a limit drops, and those that a rewriter cuts. Language filters
count too; URL lists, what compares documents, and filters by what a recipe learns, do not. The second table has, for
each kind, the limits and rewriters that cost most of its words by themselves, in the recipes as they ship.

Texts are told apart by their field `kind`; those with a field `lang` other than "en" are left out. A word is a run
without white space. In the JSON file: recipe -> variant -> the fields of `ChainLoss`.
"""

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from benchmarks.figures import command_line, empty_table, write_json
from curation.account.annotate.files import FileUnit, file_units
from curation.account.audit.clean import parts, words
from curation.account.audit.losses.measured import GROUP, MeasuredStage, losses
from curation.account.audit.losses.report import Amount, ChainLoss
from curation.core.by_language import ByLanguage, EditsByLanguage
from curation.core.component import Component
from curation.core.errors import InputError, UserError
from curation.engine.recipe.assets import fits_used
from curation.engine.recipe.recipe import parse
from tests.support import SHARED

RECIPES = ("gopher", "c4", "refinedweb", "fineweb", "dclm")
VARIANTS = ("paper", "datatrove", "dolma", "dclm")
FILES = ("books.jsonl.gz", "encyclopedia.jsonl.gz", "science.parquet", "speeches.jsonl.gz", "qa.jsonl.gz")
FILES += ("docs.jsonl.zst",)
COLUMNS = ["text"]
WORST = 4  # limits shown of each kind
Losses = dict[str, dict[str, ChainLoss]]  # recipe -> variant -> what is lost


def steps_of(recipe: str, variant: str) -> list[MeasuredStage]:
    """The filters and rewriters of a shipped recipe, those with variants in this one."""
    text = Path(f"pipelines/curate/{recipe}.yaml").read_text()
    (chain,) = parse(text, f"{recipe}.yaml", ["none"]).sources.values()
    return [
        MeasuredStage(stage.name, stage.verb, tuple((key, _in_variant(one, variant)) for key, one in stage.components))
        for stage in chain
        if (stage.verb.judges or stage.verb.edits) and not fits_used(stage.components, stage.bounds)
    ]


def shipped_variant(recipe: str) -> str:
    """The variant of the recipe's rule sets as it ships."""
    text = Path(f"pipelines/curate/{recipe}.yaml").read_text()
    (chain,) = parse(text, f"{recipe}.yaml", ["none"]).sources.values()
    found = {vars(one)["variant"] for stage in chain for _, one in stage.components if "variant" in vars(one)}
    (variant,) = found
    return str(variant)


def _in_variant(component: Component, variant: str) -> Component:
    """The component in this variant, without options that have no effect in it."""
    if variant not in get_args(get_type_hints(type(component)).get("variant")):
        return component
    defaults = {field.name: field.default for field in dataclasses.fields(component)}  # type: ignore[arg-type]
    idle = [name for name in defaults if not _counts_in(component, name, variant)]
    return dataclasses.replace(component, variant=variant, **{name: defaults[name] for name in idle})


def _counts_in(component: Component, name: str, variant: str) -> bool:
    """Whether the option has an effect in this variant."""
    if not isinstance(component, ByLanguage | EditsByLanguage):
        return True
    effective = component.effective(name)
    return not effective or any(variant in when.get("variant", (variant,)) for when in effective)


def texts(files: Sequence[str]) -> list[pa.RecordBatch]:
    """GROUP and `text` of all English documents."""
    return [part for pattern in files for unit in file_units(pattern, None) for part in _english(unit)]


def _english(unit: FileUnit) -> Iterator[pa.RecordBatch]:
    for table in unit.texts(["text", "kind", "lang"]):
        if "lang" in table.column_names:
            table = table.filter(pc.fill_null(pc.equal(table["lang"], "en"), True))
        kind = table["kind"].cast(pa.string()) if "kind" in table.column_names else None
        group = pa.repeat(pa.scalar(Path(unit.path).name), len(table)) if kind is None else kind
        own = pa.table({GROUP: group, "text": table["text"].cast(pa.large_string())}).combine_chunks()
        for batch in own.to_batches():
            yield from parts(batch)


def measure(recipes: Sequence[str], documents: Sequence[pa.RecordBatch]) -> Losses:
    return {
        recipe: {variant: losses(recipe, steps_of(recipe, variant), documents, COLUMNS, words) for variant in VARIANTS}
        for recipe in recipes
    }


def by_kind(found: Losses) -> Table:
    """Share of the words lost: a line per recipe and variant, a column per kind."""
    first = next(iter(next(iter(found.values())).values()))
    kinds = [group.group for group in first.groups]
    sizes = {group.group: group.given for group in first.groups}
    title = "words lost, %; " + ", ".join(
        f"{kind}: {sizes[kind].documents:,} documents, {sizes[kind].tokens / 1e6:.2f} M words" for kind in kinds
    )
    table = empty_table(title, "recipe, variant", *kinds, "all words", "all documents")
    for recipe, variants in found.items():
        for variant, loss in variants.items():
            lost = {group.group: 1 - group.kept.tokens / max(group.given.tokens, 1) for group in loss.groups}
            every = 1 - loss.kept.tokens / loss.given.tokens, 1 - loss.kept.documents / loss.given.documents
            mark = "*" if variant == shipped_variant(recipe) else ""
            cells = [f"{100 * share:.1f}" for share in (*(lost[kind] for kind in kinds), *every)]
            table.add_row(f"{recipe}, {variant}{mark}", *cells)
    return table


def worst(found: Losses) -> Table:
    """For each kind the limits that cost most of its words alone, each in the shipped recipe where it costs most."""
    table = empty_table(
        "limits by what they cost alone, as shipped",
        "kind",
        "limit or rewriter",
        "bound",
        "in",
        "words %",
        "documents %",
    )
    shipped = {recipe: variants[shipped_variant(recipe)] for recipe, variants in found.items()}
    for group in next(iter(shipped.values())).groups:
        known: dict[str, tuple[Amount, str, str]] = {}
        for recipe, loss in shipped.items():
            for limit in (limit for stage in loss.stages for limit in stage.limits):
                cost = limit.groups.get(group.group, Amount())
                if cost.tokens > known.get(limit.limit, (Amount(), "", ""))[0].tokens:
                    known[limit.limit] = cost, recipe, "" if limit.bound is None else str(limit.bound)
        ordered = sorted(known.items(), key=lambda item: -item[1][0].tokens)
        for name, (cost, recipe, bound) in ordered[:WORST]:
            shares = cost.tokens / group.given.tokens, cost.documents / group.given.documents
            table.add_row(group.group, name, bound, recipe, *(f"{100 * share:.1f}" for share in shares))
    return table


def _files(options: argparse.Namespace) -> list[str]:
    if options.files:
        return list(options.files)
    if not SHARED.is_dir():
        raise InputError("give files of JSON lines or Parquet: there is no test data beside this checkout")
    return [str(SHARED / "text" / name) for name in FILES]


def main() -> None:
    parser = command_line("heuristics.good_tokens", __doc__)
    parser.add_argument("files", nargs="*", help="paths or globs of good texts")
    parser.add_argument("--recipe", choices=RECIPES, action="append", help="only this one; may be given again")
    options = parser.parse_args()
    try:
        documents = texts(_files(options))
    except UserError as error:
        parser.error(str(error))
    found = measure(options.recipe or RECIPES, documents)
    console = Console(width=200)
    console.print(by_kind(found))
    console.print(worst(found))
    plain: Any = {
        recipe: {variant: dataclasses.asdict(loss) for variant, loss in variants.items()}
        for recipe, variants in found.items()
    }
    write_json(plain, options.json)


if __name__ == "__main__":
    main()
