"""What is private to Ray is still there and still means what it meant on the Ray on which it was tried."""

import ctypes
import inspect
import os
import signal
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import ray
import ray.data
from ray._private import ray_constants, utils

from curation.engine.executor import ray_private
from curation.engine.executor.ray_private import TRIED_ON, own_sigterm

DATA = "ray.data.dataset.Dataset"
SPEC = "ray._private.resource_and_label_spec.ResourceAndLabelSpec"


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("ray._common.utils.get_default_system_temp_dir", []),
        ("ray._private.utils.set_sigterm_handler", ["sigterm_handler"]),
        (f"{SPEC}.resolve", ["self", "is_head", "node_ip_address"]),
        (f"{SPEC}.to_resource_dict", ["self"]),
        (f"{DATA}._create_executor", ["self"]),
        (f"{DATA}._build_bundle_iterator", ["self", "executor"]),
        ("ray.data._internal.execution.streaming_executor.StreamingExecutor.shutdown", ["self", "force"]),
    ],
)
def test_functions_take_what_they_are_given(name: str, parameters: list[str]) -> None:
    given = inspect.signature(found(name)).parameters.values()
    assert [one.name for one in given][: len(parameters)] == parameters
    assert all(one.default is not one.empty for one in list(given)[len(parameters) :])


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("ray._private.worker", "ray._private.utils.set_sigterm_handler(sigterm_handler)"),
        ("ray._private.services", "if not ray_constants.ENABLE_RAY_CLUSTER:"),
        ("ray._private.worker", 'kwargs.pop("_temp_dir"'),
        ("ray.data._internal.execution.streaming_executor_state", "logger.error(error_message, exc_info=e)"),
    ],
)
def test_ray_looks_where_it_is_told_otherwise(name: str, source: str) -> None:
    assert source in inspect.getsource(import_module(name))


def test_names_and_settings() -> None:
    assert ray.__version__.startswith(f"{TRIED_ON}."), "try all of ray_private on this Ray, then raise TRIED_ON"
    assert found("ray._raylet.RAY_NODE_ID_KEY") == ray_private.NODE_LABEL
    assert found("ray.data._internal.execution.streaming_executor_state.logger") is ray_private.TASK_LOG
    assert isinstance(ray_constants.ENABLE_RAY_CLUSTER, bool)
    compiled = (Path(ray.__file__).parent / "core/src/ray/raylet/raylet").read_bytes()
    for name in ray_private.LOCAL_SETTINGS:
        assert name.removeprefix("RAY_").encode() in compiled


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of other settings of Ray Data, at their defaults
def test_switches_are_those_of_ray_data() -> None:
    context = ray.data.DataContext()
    known = set(vars(context))
    ray_private.quieten(context, reserves=False)
    assert set(vars(context)) == known
    assert context.op_resource_reservation_enabled is False


def test_resources_and_the_environment() -> None:
    assert ray_private.local_resources(num_cpus=3, object_store_memory=1 << 30)["CPU"] == 3
    assert Path(ray_private.temporary_folder()).is_dir()
    before = ray_constants.ENABLE_RAY_CLUSTER
    with ray_private.loopback_only():
        assert not ray_constants.ENABLE_RAY_CLUSTER
    assert before == ray_constants.ENABLE_RAY_CLUSTER
    ray_private.read_environment()


def found(name: str) -> Any:
    """What has this dotted name: a thing of a module, or of a class in it."""
    place, _, last = name.rpartition(".")
    try:
        return getattr(import_module(place), last)
    except ImportError:
        return getattr(found(place), last)


@pytest.fixture
def _sigterm() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def own_handler(number: int, frame: Any) -> None:
    raise SystemExit(143)


def rays(number: int, frame: Any) -> None:
    raise SystemExit(1)


def end_myself(library: ctypes.CDLL, answer: int) -> None:
    with own_sigterm():
        library.signal(signal.SIGTERM, ctypes.c_void_p(answer))
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)


@pytest.mark.usefixtures("_sigterm")
def test_a_handler_stays_and_ray_may_set_one_afterwards() -> None:
    signal.signal(signal.SIGTERM, own_handler)
    with own_sigterm():
        utils.set_sigterm_handler(rays)
        assert signal.getsignal(signal.SIGTERM) is own_handler
    utils.set_sigterm_handler(rays)
    assert signal.getsignal(signal.SIGTERM) is rays


@pytest.mark.usefixtures("_sigterm")
def test_a_compiled_handler_is_replaced_at_once() -> None:
    signal.signal(signal.SIGTERM, own_handler)
    library = ctypes.CDLL(None)
    ignore = 1
    default = 0
    for answer in (ignore, default):  # without the thread, the second would end this process
        with pytest.raises(SystemExit) as ended:
            end_myself(library, answer)
        assert ended.value.code == 143


@pytest.mark.usefixtures("_sigterm")
def test_where_there_is_none_rays_is_set() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with own_sigterm():
        utils.set_sigterm_handler(rays)
    assert signal.getsignal(signal.SIGTERM) is rays
