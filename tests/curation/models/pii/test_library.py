"""Presidio is loaded alone."""

import subprocess
import sys
import types

import pytest

from curation.models.pii.library import presidio

pytest.importorskip("presidio_analyzer")


def test_torch_and_transformers_are_not_loaded_with_it_and_can_be_loaded_after() -> None:
    script = (
        "import sys, importlib.util; from curation.models.pii.library import presidio; presidio();"
        "assert not {'torch', 'transformers'} & set(sys.modules);"
        "assert importlib.util.find_spec('torch') is not None"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_it_is_the_module() -> None:
    assert isinstance(presidio(), types.ModuleType)
    assert hasattr(presidio(), "AnalyzerEngine")
