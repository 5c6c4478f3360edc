"""What components state beside the shape of their verb is told by protocols, of classes and of instances."""

import pytest

from curation.core.component import HasLaterOptions, HoldsComponents, ReadsColumns, UsesFitted, UsesLibraries
from curation.dedup.semantic import Semantic
from curation.engine.cascade import Cascade
from curation.extract.resiliparse import Resiliparse
from curation.filters.gopher_quality import GopherQuality
from curation.tokens.encode import Encode


@pytest.mark.parametrize(
    ("component", "stated"),
    [
        (Resiliparse(), {UsesLibraries}),
        (GopherQuality(), {ReadsColumns, HasLaterOptions, UsesLibraries}),
        (Semantic(centroids="@kmeans", column="vector"), {ReadsColumns, UsesFitted}),
        (Encode(tokenizer="@tokenizer"), {ReadsColumns, HasLaterOptions}),
        (Cascade(), {HoldsComponents}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_component_states(component: object, stated: set[type]) -> None:
    protocols = (HasLaterOptions, HoldsComponents, ReadsColumns, UsesFitted, UsesLibraries)
    assert {one for one in protocols if isinstance(component, one)} == stated


def test_that_a_class_holds_components_is_known_before_one_is_made() -> None:
    assert issubclass(Cascade, HoldsComponents)
    assert not issubclass(GopherQuality, HoldsComponents)
