"""Whatever winnow is installed with has bounds, and what the tests run with lies between them."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: packages for name, packages in PROJECT["optional-dependencies"].items() if name != "dev"}
REQUIRED = [Requirement(one) for one in (*PROJECT["dependencies"], *(one for some in EXTRAS.values() for one in some))]
PINNED = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().split() if "==" in line)
VERSIONS = {canonicalize_name(name): version for name, version in PINNED.items()}


@pytest.mark.parametrize("required", REQUIRED, ids=lambda one: one.name)
def test_bounds(required: Requirement) -> None:
    operators = {one.operator for one in required.specifier}
    assert operators in ({">=", "<"}, {"=="})
    if required.name not in ("gcsfs", "adlfs", "torchao"):  # which no test has
        assert VERSIONS[canonicalize_name(required.name)] in required.specifier
