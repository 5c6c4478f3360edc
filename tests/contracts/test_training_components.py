"""What every component of training is by being one, and that the rest of training knows none by name."""

import dataclasses
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from curation.core import catalog
from curation.core.verbs import VERBS, Verb
from tests.contracts.test_shape import FILES, ROOT, imports, module_name
from training.config.components import DEFAULTS
from training.config.parse import as_mapping, key_of, parse
from training.config.run import TrainConfig

COMPONENTS = [pytest.param(verb, key, id=f"{verb}-{key}") for verb in DEFAULTS for key in catalog.known(verb)]
ROOMS = tuple(sorted({verb.room for verb in DEFAULTS}))
NAMED = tuple(f"{verb.room}.{key}." for verb in DEFAULTS for key in catalog.known(verb))
OUTSIDE = [path for path in FILES if (name := module_name(path)).startswith("training") and not name.startswith(ROOMS)]


@pytest.mark.parametrize("path", OUTSIDE, ids=module_name)
def test_no_other_file_knows_a_component_by_name(path: Path) -> None:
    assert [name for name in imports(path) if f"{name}.".startswith(NAMED)] == []


def test_the_loop_is_such_a_file() -> None:
    assert {"training.loop", "training.config.run", "training.job"} <= {module_name(path) for path in OUTSIDE}


@pytest.mark.parametrize(("verb", "key"), COMPONENTS)
def test_a_component_is_declared(verb: Verb, key: str) -> None:
    component = catalog.find(verb, key)
    assert component.verb is verb
    assert component.version >= 1
    assert component.__dataclass_params__.frozen
    assert catalog.key_of(component) == key
    assert not any(key in catalog.known(other) for other in (*VERBS.values(), *DEFAULTS) if other is not verb)


@pytest.mark.parametrize(("verb", "key"), COMPONENTS)
def test_a_config_with_it_is_written_and_read(verb: Verb, key: str) -> None:
    config = parse({verb.name: key})
    assert key_of(config, verb) == key
    assert parse(json.loads(json.dumps(as_mapping(config)))) == config
    assert pickle.loads(pickle.dumps(config)) == config  # as it travels to workers
    assert {field.name for field in dataclasses.fields(TrainConfig)} >= {verb.name for verb in DEFAULTS}


@pytest.mark.parametrize(("verb", "key"), COMPONENTS)
def test_it_has_a_test(verb: Verb, key: str) -> None:
    place = ROOT.joinpath("tests", *verb.room.split("."))
    assert (place / f"test_{key}.py").exists() or list((place / key).glob("test_*.py"))


def test_they_are_found_without_torch() -> None:
    script = (
        "import sys; from curation.core import catalog; from training.config.components import DEFAULTS\n"
        "for verb in DEFAULTS:\n    [catalog.find(verb, key)() for key in catalog.known(verb)]\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
