"""Removals that hold in a run: takedowns of the runs that its recipe reads, and the recipe's own list.

A recipe reads another run where one of these lies in the run's folder: the files of a source, examples of a fit, a file
that an option names (a Bloom filter, a tokenizer, a model), a run or stage of `against`, a run that a mix takes rows
of. A run that reads a run that reads a third has the takedowns of both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import pyarrow as pa

from curation.core import storage
from curation.core.component import Component, Files
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.manifest import RunRecord, read_run, run_around
from curation.core.removal_list import read_names
from curation.core.removals import KnownTakedown, merged
from curation.core.wording import counted
from curation.dedup.page_names import page_names
from curation.engine.recipe.address import Address, examples_of
from curation.engine.recipe.assets import fits_named, unfolded
from curation.engine.recipe.named_files import at_line
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe
from curation.tokens.mix import Mix

ELSEWHERE = ("http", "https", "commoncrawl", "hf")  # schemes at which no run lies


def removals(recipe: Recipe, reads: Sequence[str], output: str) -> list[KnownTakedown]:
    """The removals that the recipe's list, and the runs that it reads, name now.

    Raises RecipeError for a list that cannot be read, InputError for a run with a takedown that was cut off.
    """
    found = [_listed(recipe)] if recipe.removed else []
    for run in reads:
        found += removals_of(run)
    return [removal for removal in merged((), found) if removal.of != storage.real(output)]


def runs_read(recipe: Recipe, nodes: Sequence[Node], addresses: Mapping[int, Address], output: str) -> tuple[str, ...]:
    """The folders of other runs that the recipe reads, each once."""
    folders = (folder for node in nodes for folder in _folders(recipe, node, addresses.get(node.index)))
    runs = dict.fromkeys(map(_run_of, dict.fromkeys(folders)))
    return tuple(run for run in runs if run and run != storage.real(output))


def notes(found: Iterable[KnownTakedown]) -> tuple[str, ...]:
    """For the plan: how many documents each list and each run names."""
    counts = dict[tuple[str, bool], int]()
    for removal in found:
        key = (removal.of, not removal.when)
        counts[key] = counts.get(key, 0) + removal.documents
    return tuple(
        f"kept out of this run: {counted(count, 'page or document', 'pages and documents')} named by {masked(of)}"
        if is_list
        else f"kept out of this run: {counted(count, 'document')} taken down in {masked(of)}"
        for (of, is_list), count in counts.items()
    )


def _listed(recipe: Recipe) -> KnownTakedown:
    with at_line(recipe.document, ("removed",)):
        named = read_names(recipe.removed, ("url", "doc_id"))
    names = page_names(pa.array(named.values["url"], pa.string())).drop_null().unique().to_pylist()
    doc_ids = named.values["doc_id"]
    documents = len(doc_ids) + len(names)
    path = masked(recipe.removed)  # as it stands in run.json
    return KnownTakedown(path, "", doc_ids, urls=tuple(names), documents=documents)


def removals_of(folder: str) -> list[KnownTakedown]:
    """The takedowns of a run, what it knows of those of others, and those of the runs that it reads as they are now.
    Raises InputError while one of them is cut off."""
    found = list[KnownTakedown]()
    waiting = [storage.real(folder)]
    for run in waiting:
        record = read_run(run)
        if not record.takedowns_finished:
            raise InputError(f"a takedown in {run} was cut off; run the same `winnow takedown` again, then this")
        found += [*_own_removals(run, record), *(replace(removal, doc_ids=()) for removal in record.removals)]
        waiting += [other for other in record.reads if other not in waiting and _run_of(other) == other]
    return list(merged((), found))


def _own_removals(folder: str, record: RunRecord) -> Iterator[KnownTakedown]:
    """A removal for each takedown that was asked for in the run."""
    texts, urls = (
        _slices(names, [entry.get(count, 0) for entry in record.takedowns])
        for names, count in ((record.taken_texts, "texts"), (record.taken_urls, "urls"))
    )
    for entry, own_texts, own_urls in zip(record.takedowns, texts, urls, strict=True):
        yield KnownTakedown(masked(folder), entry["when"], (), own_texts, own_urls, entry["tombstones"])


def _slices(names: tuple[str, ...], sizes: Sequence[int]) -> list[tuple[str, ...]]:
    return [names[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]


def _folders(recipe: Recipe, node: Node, address: Address | None) -> Iterator[str]:
    """Folders outside the run that the stage reads, or reads files of."""
    files = [piece.path for unit in address.units for piece in unit] if node.verb.begins and address is not None else []
    files += [file.path for examples in examples_of(node, recipe).values() for file in examples]
    for _, component in unfolded(node.components):
        files += _named_by(component)
    yield from dict.fromkeys(file.rstrip("/").rpartition("/")[0] or "." for file in files)
    if node.verb.clusters:
        yield from node.stage.dedup.against
    if node.verb.mixes:
        yield from node.stage.sole(Mix).runs.values()


def _named_by(component: Component) -> list[str]:
    """The files that the options of a component name, but for assets of fits, which this run makes itself."""
    if not fits_named(component):
        return [file for files in component.assets().values() for file in _each(files)]
    options = [value for value in vars(component).values() if isinstance(value, str | tuple | Mapping)]
    texts = [text for value in options for text in _each(value)]
    return [text for text in texts if isinstance(text, str) and "/" in text and not text.startswith("@")]


def _each(files: Files) -> Iterable[str]:
    if isinstance(files, str):
        return (files,)
    return files if isinstance(files, tuple) else files.values()


def _run_of(folder: str) -> str:
    """The run that a folder is, or lies in; empty where there is none, or the store lets nobody look."""
    if folder.partition(":")[0] in ELSEWHERE:
        return ""
    try:
        return run_around(storage.real(folder)) or ""
    except (OSError, InputError):
        return ""
