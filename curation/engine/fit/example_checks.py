"""Looks at the files that a fit reads, before any work."""

from curation.core.errors import UserError
from curation.core.fits import Fit
from curation.core.protocols import Piece
from curation.engine.fit.example_files import ExampleFile, check_fields
from curation.engine.recipe.address import examples_of
from curation.engine.recipe.named_files import with_line
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe


def check_files(node: Node, recipe: Recipe) -> None:
    """Raises RecipeError, with file and line, where a fit's examples are missing, or the first file of a label cannot
    be read or lacks a field; of a fit that indexes files, any of them."""
    fit = node.stage.sole(Fit)
    found = examples_of(node, recipe)
    try:
        fit.check({name: [file.path for file in files] for name, files in found.items()})
        for label, examples in (fit.examples() or {}).items():
            if label in found:
                check_fields(ExampleFile(Piece.of(found[label][0]), examples))
    except UserError as error:
        raise with_line(recipe.document, node.stage.at(node.components[0][0]), error) from error
