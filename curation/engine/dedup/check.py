"""What can be refused of a dedup stage before work starts."""

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from curation.core.document import empty_batch
from curation.core.settings import Path, nearest
from curation.core.stage import Refines
from curation.dedup.order import Keep
from curation.engine.dedup.kinds import gives_spans, is_membership
from curation.engine.dedup.options import DedupOptions
from curation.engine.recipe import Recipe, Stage


def check_dedup(recipe: Recipe, stage: Stage, given: pa.Schema) -> None:
    """Raises RecipeError for sources that the recipe has not, a signal to keep by that no stage measured, and options
    that the stage's methods cannot follow."""
    options = stage.options
    assert isinstance(options, DedupOptions), "a dedup stage has its own options"
    keep = Keep.parse(options.keep)
    for name in keep.sources:
        if name not in recipe.sources:
            raise recipe.document.error((*stage.path, "keep"), f"no source {name!r}{nearest(name, recipe.sources)}")
    for name in options.max_removed:
        if name not in recipe.sources and name != "source":
            at = (*stage.path, "max_removed", name)
            raise recipe.document.error(at, f"no source {name!r}{nearest(name, [*recipe.sources, 'source'])}")
    try:
        keep.ranks(empty_batch(given))
    except ValueError as error:
        raise recipe.document.error((*stage.path, "keep"), str(error).removeprefix("keep: ")) from error
    if options.prepass is not None:
        _check_size(recipe, (*stage.path, "prepass"), partial(options.prepass.empty, recipe.buckets))
    for key, method in stage.parts:
        if is_membership(method):
            _check_size(recipe, (*stage.path, "dedup", key), partial(method.sizing, recipe.buckets))
        if options.against and isinstance(method, Refines):
            at = (*stage.path, "against")
            raise recipe.document.error(at, f"{key} cannot be compared with earlier runs; give it a stage of its own")
    if options.max_removed and all(gives_spans(method) for _, method in stage.parts):
        raise recipe.document.error((*stage.path, "max_removed"), "these methods list spans and drop no document")


def _check_size(recipe: Recipe, at: Path, sized: Callable[[], object]) -> None:
    """A filter or sketch that would not fit is refused before work."""
    try:
        sized()
    except ValueError as error:
        raise recipe.document.error(at, str(error)) from error
