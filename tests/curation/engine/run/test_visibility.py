"""A cluster whose nodes do not all see the run's folder is refused before work."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = """
import sys
from ray.cluster_utils import Cluster
import ray
from curation.core.errors import InputError
from curation.core.storage_options import StorageOptions, configure
from curation.engine.run.visibility import check_visible

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
try:
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    check_visible("memory://one-node/run")  # nobody else is there to ask
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    check_visible(sys.argv[1])
    try:
        check_visible("memory://only-the-driver/run")
    except InputError as error:
        print("refused:", error)
finally:
    ray.shutdown()
    cluster.shutdown()
"""


@pytest.mark.slow
def test_an_output_that_only_the_driver_sees(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", CHECK, str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    (line,) = (line for line in ended.stdout.splitlines() if line.startswith("refused"))
    assert "does not see memory://only-the-driver/run, which the driver writes to (no file at " in line
    assert "give an --output that all nodes see: an object store" in line
    assert not list(tmp_path.iterdir())
