"""Says which labels the documents of a source may have where `pack` divides it by a column.

A filter that keeps only some values of the column, such as `language` with its `languages`, decides it before any work;
and one that bounds the column drops the documents without a value.
"""

from collections.abc import Iterator, Sequence

from curation.core.component import Component
from curation.core.filter import Filter
from curation.core.rules import Rule
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED
from curation.tokens.mixing.weight_names import SourceLabels
from curation.tokens.packing.split_by import NONE, OTHER, SplitBy


def labels_of(nodes: Sequence[Node], pack: Node, source: str, split_by: SplitBy) -> SourceLabels:
    """The labels of a source that the stage `pack` divides; `nodes`: of the plan so far."""
    known = split_by.labels()
    rules = list(_rules(split_by.column, _before(nodes, pack, source)))
    choices = [rule.one_of for rule in rules if rule.one_of is not None]
    if not choices:
        arriving = tuple(label for label in known if label != NONE) if known and rules else known
        return SourceLabels(known, arriving)
    kept = tuple(value for value in choices[0] if all(value in choice for choice in choices))
    if known is None:
        return SourceLabels((*kept, NONE), kept)
    named = tuple(label for label in known if label in kept)
    return SourceLabels(known, (*named, OTHER) if set(kept) - set(named) else named)


def _rules(column: str, components: Iterator[tuple[str, Component]]) -> Iterator[Rule]:
    """The rules on the column that hold for documents of all languages: they drop those without a value."""
    for key, component in components:
        for rule in component.rules() if isinstance(component, Filter) else ():
            if column == f"{key}.{rule.signal}" and rule.can_fire() and rule.only is None and not rule.but:
                yield rule


def _before(nodes: Sequence[Node], node: Node, source: str) -> Iterator[tuple[str, Component]]:
    """The components, by key, of the stages before the node that documents of the source pass."""
    for index in node.upstream:
        if nodes[index].chain in (source, JOINED):
            yield from _before(nodes, nodes[index], source)
            yield from nodes[index].components
