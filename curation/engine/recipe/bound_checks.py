"""Whether limits that name a quantile can be found: by a fit before, of the signal that they limit; asked before any
work. And which rule sets are not measured again, because only such limits differ."""

import dataclasses
from collections.abc import Mapping, Sequence

from curation.core.by_language import LANGUAGE, ByLanguage
from curation.core.close_names import nearest
from curation.core.component import Component
from curation.core.filter import Filter, limit_of
from curation.engine.recipe.bounds import LANGUAGE_LABEL, Bound
from curation.engine.recipe.columns import Columns, columns_after
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe, Stage
from curation.fit.quantiles import Quantiles


def check_bounds(recipe: Recipe, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a limit whose quantile nothing tells."""
    fits = {node.name: node.components[0][1] for node in nodes if node.verb.learns}
    components = dict(stage.components)
    given = [columns_after(nodes, index) for index in upstream] if stage.bounds else []
    for bound in stage.bounds:
        problem = _problem(bound, fits, components[bound.key], given)
        if problem:
            raise recipe.document.error(stage.at(bound.key, bound.option), problem)


def _problem(bound: Bound, fits: Mapping[str, Component], component: Component, given: Sequence[Columns]) -> str:
    """What is wrong with a bound; "" for nothing."""
    quantiles = fits.get(bound.fit)
    if quantiles is None:
        return f"no fit stage before named {bound.fit!r}{nearest(bound.fit, fits)}"
    if not isinstance(quantiles, Quantiles):
        return f"@{bound.fit} has no quantiles; name a stage `- fit: {{quantiles: {{signals: […]}}}}`"
    assert isinstance(component, Filter), "only rule sets have limits"
    limit = limit_of(component, bound.option)
    if limit is None:
        return "sets no limit on a signal, so it cannot be a quantile of one; give a value"
    signal = f"{bound.key}.{limit.signal}"
    if signal not in quantiles.signals:
        return f"@{bound.fit} has no quantiles of {signal}; add it to its signals: {', '.join(quantiles.signals)}"
    if not bound.by:
        return ""
    if bound.by != LANGUAGE_LABEL:
        return f"limits may differ by {LANGUAGE_LABEL} only, not by {bound.by}"
    if quantiles.by != bound.by:
        return f"@{bound.fit} has no quantiles by {bound.by}; give it `by: {bound.by}`"
    if not isinstance(component, ByLanguage):
        return f"{bound.key} has no limits by language; leave out `by {bound.by}`"
    if any(LANGUAGE not in columns for columns in given):
        return f"no stage before says a document's language; put `- filter: {{{LANGUAGE}: {{}}}}` before this one"
    return ""


def measured_before(nodes: Sequence[Node], upstream: Sequence[int], stage: Stage, key: str) -> bool:
    """Whether the rule set stands in each chain before, with other limits only where these are quantiles here."""
    own = {bound.option for bound in stage.bounds if bound.key == key}
    (component,) = (one for name, one in stage.components if name == key)
    return bool(own) and all(_same(nodes, index, key, component, own) for index in upstream)


def _same(nodes: Sequence[Node], index: int, key: str, component: Component, but: set[str]) -> bool:
    node = nodes[index]
    before = dict(node.stage.components).get(key) if node.verb.judges else None
    if before is None:
        return bool(node.upstream) and all(_same(nodes, one, key, component, but) for one in node.upstream)
    options = {option.name for option in dataclasses.fields(component)} - but
    return type(before) is type(component) and all(vars(before)[name] == vars(component)[name] for name in options)
