"""The mix stage: a small index that the driver writes by itself, over the packs of this run and of others.

Other runs are read where they lie: the index holds their absolute paths, and the address of the mix holds those and the
addresses of their packs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.core import storage
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.manifest import RUN, read_manifest, read_run
from curation.core.settings import YamlFile
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.tokens.manifests import INDEX, checksum
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.mixing.streams import split_sources

Packs = list[tuple[str, dict[str, Any]]]  # folder, and the section `tokens` of its manifest


@dataclass(frozen=True)
class OtherPack:
    """A sealed pack stage of another run."""

    folder: str  # absolute
    address: str
    section: dict[str, Any]


def build_mix(mix: Mix, packs: Packs, folder: str) -> dict[str, Any]:
    """Writes the index of the mix into its stage's folder and returns it, for the manifest.

    `packs` are those of this run, by their folder's name. Raises UserError for what cannot be mixed.
    """
    runs = {name: [(one.folder, one.section) for one in found] for name, found in other_packs(mix.runs).items()}
    run = folder.rstrip("/").rpartition("/")[0]
    index = mix.build(packs, folder=run, runs=runs)
    storage.write_bytes(storage.join(folder, INDEX), index_bytes(index))
    return index


def other_packs(runs: Mapping[str, str]) -> dict[str, list[OtherPack]]:
    """Name -> the packs of the run at its path, in order. Raises InputError for one that is missing or not finished."""
    names: dict[str, str] = {}
    for name, path in runs.items():
        if names.setdefault(storage.real(path), name) != name:
            other = names[storage.real(path)]
            raise InputError(f"runs: {other} and {name} are the same folder, {path}; one is enough")
    return {name: _packs_of(name, storage.absolute(path).rstrip("/")) for name, path in runs.items()}


def _packs_of(name: str, path: str) -> list[OtherPack]:
    if not storage.exists(storage.join(path, RUN)):
        raise InputError(f"runs: {name} is no run, {path} has no {RUN}; give the folder that `winnow curate` wrote")
    run = read_run(path)
    folders = [storage.join(path, entry.folder) for entry in run.stages if entry.verb.packs]
    found = [(folder, read_manifest(folder)) for folder in folders]
    sealed = [OtherPack(at, one.address, one.tokens) for at, one in found if one is not None and one.tokens is not None]
    if not run.complete or not sealed or len(sealed) < len(found):
        raise InputError(
            f"runs: {name} at {path} is not finished, or packs nothing, or is this run itself; give a finished one"
        )
    return sealed


def mix_parts(mix: Mix) -> dict[str, Any]:
    """What of other runs enters the address of the mix."""
    packs = other_packs(mix.runs)
    return {"runs": {name: [[one.folder, one.address] for one in found] for name, found in packs.items()}}


def check_plan(recipe: Recipe, nodes: Sequence[Any], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError for names that no pack will have, and for other runs that are missing or do not fit.

    `nodes`: of the plan so far; `upstream`: the packs that the mix reads, by their index.
    """
    mix, at = stage.parts[0][1], (*stage.path, "mix")
    packs = [nodes[i] for i in upstream]
    sources = list(recipe.sources) if packs[0].chain == JOINED else [pack.chain for pack in packs]
    parts = {
        source: pack.parts[0][1] for pack in packs for source in (sources if pack.chain == JOINED else [pack.chain])
    }
    try:
        others = other_packs(mix.runs)
        for name in mix.runs:
            if name in sources:
                raise RecipeError(f"runs: {name!r} is a source of this recipe; give the other run another name")
        leaves = [
            f"{name}/{leaf}" for name, found in others.items() for one in found for leaf in one.section["sources"]
        ]
        split: dict[str, Any] = {
            source: parts[source].split_by.labels() for source in sources if parts[source].split_by is not None
        }
        for name, found in others.items():
            held = [(one.folder, one.section) for one in found]
            split |= split_sources(held, {name: [one.folder for one in found]})
        mix.check_names([*sources, *leaves], split)
    except UserError as error:
        raise recipe.document.error(at, str(error)) from error
    for pack in packs:
        length = pack.parts[0][1].sequence_length
        if mix.tokens is not None and mix.tokens < length:
            raise recipe.document.error((*at, "tokens"), f"{mix.tokens} tokens are less than one row of {length}")
        for found in others.values():
            for other in found:
                _check_fit(recipe.document, at, pack, nodes, other)


def _check_fit(
    document: YamlFile, at: tuple[str | int, ...], pack: Any, nodes: Sequence[Any], other: OtherPack
) -> None:
    """As far as it is known before work: a tokenizer that is still to be fitted is compared when the mix is built."""
    length, theirs = pack.parts[0][1].sequence_length, other.section["row_tokens"] - 1
    if length != theirs:
        raise document.error(at, f"{other.folder} has rows of sequence_length {theirs}, this recipe packs {length}")
    for node in (nodes[i] for i in pack.upstream):
        tokenizer = node.parts[0][1].tokenizer
        known = not tokenizer.startswith("@") and storage.exists(tokenizer)
        if known and checksum(storage.read_bytes(tokenizer)) != other.section["tokenizer"]["blake2b"]:
            made = storage.join(other.folder, other.section["tokenizer"]["file"])
            raise document.error(at, f"{other.folder} was made with another tokenizer; tokenize with {made}")
