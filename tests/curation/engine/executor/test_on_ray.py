"""A Ray of its own, started when there is work and stopped afterwards, whatever else runs on the machine."""

from curation.engine.executor.on_ray import OnRay
from tests.runs import python

SCRIPT = """
import os, pathlib, ray
from curation.engine.executor.on_ray import OnRay
with OnRay(cpus=1) as executor:
    print(ray.is_initialized())
    executor.start()
    first = ray.get_runtime_context().gcs_address
    executor.start()
    print(ray.is_initialized(), first == ray.get_runtime_context().gcs_address)
    print(int(ray.cluster_resources()["CPU"]), "GPU" in ray.cluster_resources())
    print(os.environ["RAY_USAGE_STATS_ENABLED"])
print(ray.is_initialized())
with OnRay(cpus=1):
    pass
print(ray.is_initialized())
"""


def test_nothing_starts_before_there_is_work() -> None:
    done = python(SCRIPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False", "True True", "1 False", "0", "False", "False"]


def test_a_session_that_started_nothing_stops_nothing() -> None:
    with OnRay("ray://nowhere:1"):
        pass
