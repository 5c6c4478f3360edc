"""Refuses dedup stages that cannot work, before any work."""

import pyarrow as pa

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.component import each
from curation.core.dedup_methods import DedupMethod, Methods
from curation.core.errors import InputError, StageError
from curation.dedup.clusters.survival import Keep
from curation.engine.recipe.earlier_runs import folders_of
from curation.engine.recipe.named_files import at_line
from curation.engine.recipe.recipe import Recipe, Stage

MOST_PARTITIONS = 4096  # of a filter that is written


def check_options(recipe: Recipe, stage: Stage) -> None:
    """Raises RecipeError for unknown sources, sizes that do not fit, methods that one stage cannot hold together, and
    options that they cannot follow."""
    options = stage.dedup
    at = stage.path
    for name in Keep.parse(options.keep).sources:
        if name not in recipe.sources:
            raise recipe.document.error((*at, "keep"), f"no source {name!r}{nearest(name, recipe.sources)}")
    for name in options.max_removed:
        if name not in recipe.sources and name != "source":
            known = nearest(name, [*recipe.sources, "source"])
            raise recipe.document.error((*at, "max_removed", name), f"no source {name!r}{known}")
    for key, method in each(DedupMethod, stage.components):
        if method.use is None:
            message = "derives from none of Links, Spans and Members in core/dedup_methods.py"
            raise recipe.document.error((*at, "dedup", key), message)
        with at_line(recipe.document, (*at, "dedup", key), ValueError):
            least_buckets(((key, method),))
        if options.against and method.rounds > 1:
            message = f"{key} cannot be compared with earlier runs; give it a stage of its own"
            raise recipe.document.error((*at, "against"), message)
    for number, path in enumerate(options.against):
        with at_line(recipe.document, (*at, "against", number)):
            folders_of(storage.absolute(path))
    _check_together(recipe, stage)


def _check_together(recipe: Recipe, stage: Stage) -> None:
    """Refuses methods of which one drops a document that another keeps in place of its copies."""
    methods = each(DedupMethod, stage.components)
    spans = [key for key, method in methods if method.use == "spans"]
    others = [key for key, method in methods if method.use != "spans"]
    if spans and others:
        message = (
            f"lists parts of texts, and {others[0]} drops documents that have them: give it a stage after that one"
        )
        raise recipe.document.error((*stage.path, "dedup", spans[0]), message)
    urls = [key for key, method in methods if method.use == "members" and method.reads == ("url",)]
    texts = [key for key, method in methods if method.reads != ("url",)]
    if urls and texts:
        message = f"drops documents by their URL, and {texts[0]} their copies: give it a stage before that one"
        raise recipe.document.error((*stage.path, "dedup", urls[0]), message)
    if spans and stage.dedup.max_removed:
        raise recipe.document.error((*stage.path, "max_removed"), "these methods list spans and drop no document")
    if spans and not Keep.parse(stage.dedup.keep).drops:
        raise recipe.document.error((*stage.path, "keep"), "these methods list spans; say where a passage is to stay")


def check_columns(recipe: Recipe, stage: Stage, schema: pa.Schema) -> None:
    """Raises RecipeError for a signal to keep by that no stage before measured."""
    try:
        check_keep(Keep.parse(stage.dedup.keep), schema)
    except StageError as error:
        raise recipe.document.error((*stage.path, "keep"), str(error)) from error


def check_keep(keep: Keep, schema: pa.Schema) -> None:
    """Raises StageError where rows of this schema cannot be ranked so."""
    try:
        keep.check(schema)
    except ValueError as error:
        raise StageError(str(error).removeprefix("keep: ")) from error


def least_buckets(methods: Methods) -> int:
    """The least number of buckets: one for each partition of the filter to be written. Raises InputError if that is too
    large."""
    return max([1, *(_partitions(method) for _, method in methods)])


def _partitions(method: DedupMethod) -> int:
    number = 1
    while number < MOST_PARTITIONS:
        try:
            method.sizing(number)
        except InputError:
            number *= 2
        else:
            return number
    method.sizing(number)
    return number
