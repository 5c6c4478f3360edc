"""What can be refused of a dedup stage before work starts."""

from collections.abc import Callable
from functools import partial
from typing import cast

import pyarrow as pa

from curation.core.credentials import masked
from curation.core.document import empty_batch
from curation.core.errors import StageError
from curation.core.protocols import Links, Members, Methods, Refines, Spans
from curation.core.settings import Path, nearest
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.columns import lists_spans
from curation.engine.dedup.options import DedupOptions
from curation.engine.recipe.recipe import Recipe, Stage


def check_options(recipe: Recipe, stage: Stage) -> None:
    """Raises RecipeError for unknown sources, sizes that do not fit, methods that one stage cannot hold together, and
    options that they cannot follow."""
    options, at = _options(stage), stage.path
    for name in Keep.parse(options.keep).sources:
        if name not in recipe.sources:
            raise recipe.document.error((*at, "keep"), f"no source {name!r}{nearest(name, recipe.sources)}")
    for name in options.max_removed:
        if name not in recipe.sources and name != "source":
            known = nearest(name, [*recipe.sources, "source"])
            raise recipe.document.error((*at, "max_removed", name), f"no source {name!r}{known}")
    if options.prepass is not None:
        _check_size(recipe, (*at, "prepass"), partial(options.prepass.check_size, recipe.buckets))
    for key, method in stage.components:
        if not isinstance(method, Links | Spans | Members):
            message = (
                "has neither `pairs`, `min_copies` nor `members`: see Links, Spans and Members in core/protocols.py"
            )
            raise recipe.document.error((*at, "dedup", key), message)
        if isinstance(method, Members):
            _check_size(recipe, (*at, "dedup", key), partial(method.sizing, recipe.buckets))
        if options.against and isinstance(method, Refines):
            message = f"{key} cannot be compared with earlier runs; give it a stage of its own"
            raise recipe.document.error((*at, "against"), message)
    _check_together(recipe, stage)


def _check_together(recipe: Recipe, stage: Stage) -> None:
    """A document that one method drops would still stand for what the others know only of it, which would be lost."""
    methods = cast(Methods, stage.components)
    spans = [key for key, method in methods if lists_spans(method)]
    others = [key for key, method in methods if not lists_spans(method)]
    if spans and others:
        message = (
            f"lists parts of texts, and {others[0]} drops documents that have them: give it a stage after that one"
        )
        raise recipe.document.error((*stage.path, "dedup", spans[0]), message)
    urls = [key for key, method in methods if isinstance(method, Members) and method.reads == ("url",)]
    texts = [key for key in others if key not in urls and key != "canonical_url"]
    if urls and texts:
        message = f"drops documents by their URL, and {texts[0]} their copies: give it a stage before that one"
        raise recipe.document.error((*stage.path, "dedup", urls[0]), message)
    if spans and _options(stage).max_removed:
        raise recipe.document.error((*stage.path, "max_removed"), "these methods list spans and drop no document")


def check_columns(recipe: Recipe, stage: Stage, given: pa.Schema) -> None:
    """Raises RecipeError for a signal to keep by that no stage before measured."""
    try:
        check_keep(Keep.parse(_options(stage).keep), given)
    except StageError as error:
        raise recipe.document.error((*stage.path, "keep"), str(error)) from error


def check_keep(keep: Keep, given: pa.Schema) -> None:
    """Raises StageError where rows of schema `given` have no such rank."""
    try:
        keep.ranks(empty_batch(given))
    except ValueError as error:
        raise StageError(str(error).removeprefix("keep: ")) from error


def _options(stage: Stage) -> DedupOptions:
    assert isinstance(stage.options, DedupOptions), "a dedup stage has its own options"
    return stage.options


def notes(stage: Stage, buckets: int) -> tuple[str, ...]:
    """What a reader should know before work of a stage: sizes of the filters and sketches that it reads and writes."""
    if not isinstance(stage.options, DedupOptions):
        return ()
    lines = [line for _, method in stage.components if isinstance(method, Members) for line in method.lines(buckets)]
    prepass = stage.options.prepass
    if prepass is not None:
        size = f"{prepass.total_bytes(buckets) / 1e6:,.1f} MB"
        lines.append(f"prepass: {size} of sketches for each of up to {prepass.groups} groups of shards")
    return tuple(map(masked, lines))


def _check_size(recipe: Recipe, at: Path, sized: Callable[[], object]) -> None:
    """A filter or sketch that would not fit is refused before work."""
    try:
        sized()
    except ValueError as error:
        raise recipe.document.error(at, str(error)) from error
