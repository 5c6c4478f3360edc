"""Every fuzz target a few times, so that none of them rots, and at length in `make soak`: a million executions."""

import sys
from pathlib import Path

import pytest

from tests.fuzz.child import ROOT, fuzz, targets_of

# Every file here that has targets takes part, except the test whose targets fail.
FILES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("test_"))
ROOMS = [room for room in FILES if targets_of(room)]
TARGETS = {name: target for room in ROOMS for name, target in targets_of(room).items()}
CHECKED = [name for name in TARGETS if name.startswith(("kernels.", "model_files.")) or name == "pages.blocks"]
PYTHON312 = ROOT / ".venv-py312/bin/python"
ON_312 = "pages.etrafilatura"
needs_312 = pytest.mark.skipif(not PYTHON312.exists(), reason="etrafilatura needs the environment of make test-wheel")


@pytest.mark.parametrize("room", [pytest.param(r, marks=pytest.mark.slow) if r == "components" else r for r in ROOMS])
def test_a_few_executions_of_each_target(room: str, tmp_path: Path) -> None:
    fuzz({name: target.few for name, target in targets_of(room).items() if name != ON_312}, tmp_path)


@needs_312
def test_a_few_executions_on_python_312(tmp_path: Path) -> None:
    fuzz({ON_312: TARGETS[ON_312].few}, tmp_path, python=str(PYTHON312))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [pytest.param(n, marks=needs_312) if n == ON_312 else n for n in TARGETS])
def test_many_executions(name: str, tmp_path: Path) -> None:
    python = str(PYTHON312) if name == ON_312 else sys.executable
    peak = fuzz({name: TARGETS[name].soak}, tmp_path, timeout=3500, python=python)
    print(name, TARGETS[name].soak, "executions,", peak, "MB")
    assert peak <= TARGETS[name].most_mb


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", CHECKED)
def test_kernels_that_check_each_index(name: str, tmp_path: Path) -> None:
    """They are compiled for it in a cache of their own."""
    checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path.parent / "checked")}
    fuzz({name: TARGETS[name].soak // 4}, tmp_path, first=10**9, timeout=3500, variables=checks)


def test_soak_executes_a_million() -> None:
    assert sum(target.soak for target in TARGETS.values()) >= 1_000_000
