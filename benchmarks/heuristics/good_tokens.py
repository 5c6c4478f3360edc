"""What the published rules drop and cut of English text that people call good: each recipe in each reading, by kind.

A line of the first table is a shipped recipe with one `variant` for all of its rule sets that have it; with *, as it
ships. FineWeb's own rules know `paper` and `datatrove` only, and stay as they ship in the others. A cell is the share
of words that are lost: all words of a document that a limit drops, and those that a rewriter cuts. Language filters
count too; URL lists, what compares documents, and filters by what a recipe learns, do not. The second table has, for
each kind, the limits and rewriters that cost most of its words by themselves, in the recipes as they ship.

Texts are told apart by their field `kind`; those with a field `lang` other than "en" are left out. A word is a run
without white space.
"""

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.case import Figures
from benchmarks.data import SHARED
from curation.account.annotate.files import FileUnit, file_units
from curation.account.audit.clean import parts, words
from curation.account.audit.losses.measured import GROUP, MeasuredStage, losses
from curation.account.audit.losses.report import Amount, ChainLoss
from curation.core.by_language import ByLanguage, EditsByLanguage
from curation.core.component import Component
from curation.core.errors import InputError
from curation.engine.recipe.assets import fits_used
from curation.engine.recipe.recipe import parse

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


def by_kind(found: Losses) -> Figures:
    """Share of the words lost, in %: a row per recipe and variant, a column per kind."""
    given = {group.group: group.given for group in next(iter(next(iter(found.values())).values())).groups}
    rows = {}
    for recipe, variants in found.items():
        for variant, loss in variants.items():
            lost = {group.group: 1 - group.kept.tokens / max(group.given.tokens, 1) for group in loss.groups}
            lost["all words"] = 1 - loss.kept.tokens / loss.given.tokens
            lost["all documents"] = 1 - loss.kept.documents / loss.given.documents
            mark = "*" if variant == shipped_variant(recipe) else ""
            rows[f"{recipe}, {variant}{mark}"] = {name: round(100 * share, 1) for name, share in lost.items()}
    notes = (f"{kind}: {one.documents:,} documents, {one.tokens / 1e6:.2f} M words" for kind, one in given.items())
    return Figures("words lost, %", rows, tuple(notes))


def worst(found: Losses) -> Figures:
    """For each kind the limits that cost most of its words alone, each in the shipped recipe where it costs most."""
    shipped = {recipe: variants[shipped_variant(recipe)] for recipe, variants in found.items()}
    rows = {}
    for group in next(iter(shipped.values())).groups:
        known: dict[str, tuple[Amount, str, str]] = {}
        for recipe, loss in shipped.items():
            for limit in (limit for stage in loss.stages for limit in stage.limits):
                cost = limit.groups.get(group.group, Amount())
                if cost.tokens > known.get(limit.limit, (Amount(), "", ""))[0].tokens:
                    known[limit.limit] = cost, recipe, "" if limit.bound is None else str(limit.bound)
        for name, (cost, recipe, bound) in sorted(known.items(), key=lambda item: -item[1][0].tokens)[:WORST]:
            rows[f"{group.group}: {name}"] = {
                "bound": bound,
                "in": recipe,
                "words, %": round(100 * cost.tokens / group.given.tokens, 1),
                "documents, %": round(100 * cost.documents / group.given.documents, 1),
            }
    return Figures("limits by what they cost alone, as shipped", rows)


def run(options: argparse.Namespace) -> Iterator[Figures]:
    if not options.files and not SHARED.is_dir():
        raise InputError("give files of JSON lines or Parquet: there is no test data beside this checkout")
    documents = texts(options.files or [str(SHARED / "text" / name) for name in FILES])
    found = measure(options.recipe or RECIPES, documents)
    yield by_kind(found)
    yield worst(found)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="paths or globs of good texts; default: the test data")
    parser.add_argument("--recipe", choices=RECIPES, action="append", help="only this one; may be given again")
