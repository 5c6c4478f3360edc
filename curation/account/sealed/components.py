"""Rebuilds the components of a sealed stage of filters or rewriters from the run's recipe, with its own assets."""

from collections.abc import Mapping
from typing import Any

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.core import catalog, storage
from curation.core.asset_files import hashed_files
from curation.core.errors import InputError, UserError
from curation.core.manifest import RESTORE, RUN
from curation.core.settings import YamlFile, build

BY_LANGUAGE = "by_language"  # the option of limits by language


def components_of(run: RunFolder, stage: SealedStage) -> dict[str, Any]:
    """Key -> component, in the order of the recipe; limits that name a quantile have the number that it had.

    Raises InputError if this winnow no longer has one of them.
    """
    verb = stage.verb
    recipe_item = stored_item(run, stage)[verb.name]
    fitted = {
        f"@{other.name}": storage.join(other.folder, other.manifest.asset["file"])
        for other in run.stages
        if other.manifest.asset is not None
    }
    components: dict[str, Any] = {}
    for key in (name for name, _ in stage.manifest.schema if name in recipe_item):
        values = {
            name: fitted.get(value, value) if isinstance(value, str) else value
            for name, value in recipe_item[key].items()
        }
        values |= _with_numbers(values, stage.manifest.address_parts["config"][key])
        try:
            cls = catalog.find(verb, key)
        except UserError as error:
            remedy = "use the winnow that wrote the run, or ask by winnow.Run in the program that made it"
            raise InputError(f"this winnow has no {verb} {key!r}; {remedy}") from error
        components[key] = build(cls, YamlFile(f"{run.record.name}: run.json", None, {}), (key,), values)
    return components


def stored_item(run: RunFolder, stage: SealedStage) -> dict[str, Any]:
    """The stage as the recipe in run.json has it, with all its options. Raises InputError if it is not there."""
    recipe = run.record.recipe
    verb = stage.verb
    items = [item for item in recipe["sources"].get(stage.entry.chain, recipe["joined"]) if verb.name in item]
    of_chain = [other for other in run.stages if other.verb is verb and other.entry.chain == stage.entry.chain]
    if len(items) < len(of_chain):
        raise InputError(f"the recipe in {run.folder}/{RUN} lacks a {verb} stage that was sealed; {RESTORE}")
    item: dict[str, Any] = items[of_chain.index(stage)]
    return item


def items_before(recipe: Mapping[str, Any], item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The stages of a stored recipe whose documents reach the stage `item`."""
    sources = [*recipe["sources"].values()]
    own = next((chain for chain in sources if any(one is item for one in chain)), None)
    chain = recipe["joined"] if own is None else own
    place = next(number for number, one in enumerate(chain) if one is item)
    return [*(one for source in sources if own is None for one in source), *chain[:place]]


def check_files(stage: SealedStage, components: Mapping[str, Any]) -> None:
    """Raises InputError where a file that one of the stage's components loads is gone, or is not what it was."""
    recorded = stage.manifest.address_parts["assets"]
    for key, component in components.items():
        for name, path, digest in hashed_files(key, component):
            if recorded.get(name, digest) != digest:
                raise InputError(f"{path} ({name}) is not the file that {stage.name} read; put that one in its place")


def _with_numbers(options: Mapping[str, Any], resolved: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that name a quantile in the recipe, as the numbers that the stage was sealed with."""
    texts = {name: value for name, value in options.items() if isinstance(value, str)}
    named = [name for name, text in texts.items() if text.startswith("@") and " " in text]
    return {name: resolved[name] for name in (*named, BY_LANGUAGE) if name in resolved} if named else {}
