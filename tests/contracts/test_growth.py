"""Code that goes through a text of a stranger takes time in proportion to it, also where it repeats one thing.

Of patterns `test_patterns` says the same; here is what once was not so, and is no pattern.
"""

from collections.abc import Callable

import pytest

from curation.extract.formulas.mathml import tex_of
from curation.sources.documents.repositories.import_order import import_order
from curation.sources.documents.repositories.licence_files import NearestLicences
from tests.contracts.pattern_growth import is_quadratic
from tests.curation.sources.documents.repositories.test_import_order import Imports


@pytest.mark.parametrize(
    ("call", "before", "pump", "end"),
    [
        pytest.param(
            lambda element: tex_of(element.encode(), b""), "<math>", "<![CDATA[>", "</math>", id="sections of MathML"
        ),
        pytest.param(NearestLicences([]).of, "", "a/", "b", id="folders of a path"),
        pytest.param(lambda path: import_order([Imports(path, "", None)]), "", "a/", "b.py", id="names of a path"),
    ],
)
def test_time_grows_with_the_text(call: Callable[[str], object], before: str, pump: str, end: str) -> None:
    assert not is_quadratic(call, lambda length: before + pump * (length // len(pump)) + end)
