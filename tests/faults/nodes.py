"""Ray nodes for tests: a head with the job server and workers, each with an address and files of its own where the
system allows it.

Where network namespaces are allowed (as root on Linux), each node runs in one, on a bridge, and has its own /tmp for
Ray, as on a machine of its own. Elsewhere all share this machine's loopback, as `ray.cluster_utils.Cluster` has them.
"""

import contextlib
import functools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import requests

from pipelines.ending import descendants
from tests.object_store import Store, object_store
from tests.runs import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
STORE = str(100 << 20)  # bytes of a node's object store
PATIENCE = 180.0  # seconds for a node to come up: two cores, shared with other tests


@functools.cache
def has_namespaces() -> bool:
    """Whether this process may make a network namespace, a bridge and a mount."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"wtry{secrets.token_hex(3)}"
    try:
        run("ip", "netns", "add", name)
        run("ip", "netns", "exec", name, "mount", "-t", "tmpfs", "none", "/mnt")
        run("ip", "link", "add", name, "type", "bridge")
        run("ip", "link", "del", name)
    except subprocess.CalledProcessError:
        return False
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return True


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@dataclass
class Node:
    """A process `ray start --block` with all that it started; `namespace` is empty where it has none."""

    name: str
    address: str
    namespace: str
    process: "subprocess.Popen[bytes]"

    def pids(self) -> set[int]:
        if self.namespace:
            done = subprocess.run(["ip", "netns", "pids", self.namespace], capture_output=True, text=True, check=False)
            return {int(pid) for pid in done.stdout.split()}
        return {self.process.pid, *descendants(self.process.pid)} if self.process.poll() is None else set()


@dataclass
class RayCluster:
    """A context with a running head; leaving it ends every process of every node.

    `url` is the dashboard's, `token` what the cluster asks for. Nodes run the winnow of `path` (PYTHONPATH).
    """

    head_cpus: int = 0
    namespaces: bool = field(default_factory=has_namespaces)
    path: str = str(ROOT)
    hidden: Path | None = None  # a folder of which each worker sees an empty one of its own, where there are namespaces
    token: str = field(default_factory=lambda: secrets.token_hex(32))
    variables: dict[str, str] = field(default_factory=dict)  # of each node's environment, and of `client`
    nodes: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._number = secrets.randbelow(250) + 1

    def __enter__(self) -> Self:
        self._tag = f"w{secrets.token_hex(3)}"
        self._temp = Path(tempfile.mkdtemp(prefix="wr-", dir="/tmp"))  # short: Ray's sockets lie below it
        try:
            if self.namespaces:
                run("ip", "link", "add", self._tag, "type", "bridge")
                run("ip", "address", "add", f"{self.gateway}/24", "dev", self._tag)
                run("ip", "link", "set", self._tag, "up")
            self._port = _free_port()
            self._dashboard = _free_port()
            self._start_head()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in reversed(self.nodes):
            self._end(node)
        self.nodes.clear()
        if self.namespaces:
            subprocess.run(["ip", "link", "del", self._tag], capture_output=True, check=False)
        shutil.rmtree(self._temp, ignore_errors=True)

    @property
    def gateway(self) -> str:
        """The address by which the nodes reach this machine, known before the cluster is started."""
        return self._address(254) if self.namespaces else "127.0.0.1"

    @property
    def url(self) -> str:
        return f"http://{self.head.address}:{self._dashboard}"

    @property
    def environment(self) -> dict[str, str]:
        """Of everything that speaks to the cluster."""
        return {
            **{name: value for name, value in ENVIRONMENT.items() if name != "RAY_ADDRESS"},
            "PYTHONPATH": str(ROOT),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self.token,
            **self.variables,
        }

    @property
    def client(self) -> dict[str, str]:
        """The environment of commands outside the cluster."""
        return {**self.environment, "RAY_API_SERVER_ADDRESS": self.url}

    def winnow(self, *arguments: str | Path, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """A command of winnow's on this machine, outside the cluster."""
        return subprocess.run(
            self.command(*arguments),
            env=self.client,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    @staticmethod
    def command(*arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "pipelines.cli", *map(str, arguments)]

    def add(self, cpus: int = 1, path: str = "", variables: dict[str, str] | None = None) -> Node:
        """A worker node, with a `path` and variables of its own; returns when the cluster counts it.

        It has the address of the node that was added last, if that is dead.
        """
        options = [f"--address={self.head.address}:{self._port}"]
        node = self._start(cpus, options, path, self.hidden, variables or {})
        self._wait(node, len(self.nodes))
        return node

    def restart_head(self) -> None:
        """The head dies with all that runs on it, and starts again at its address, knowing nothing."""
        self.kill(self.head)
        self._start_head()

    def kill(self, node: Node) -> None:
        """All its processes at once, as when a machine loses its power."""
        self._end(node)
        self.nodes.remove(node)

    def _start_head(self) -> None:
        options = ["--head", f"--port={self._port}", "--include-dashboard=true", "--disable-usage-stats"]
        options += ["--dashboard-host=0.0.0.0", f"--dashboard-port={self._dashboard}", f"--temp-dir={self._temp}"]
        self.head = self._start(self.head_cpus, options)
        self._wait(self.head, 1)

    def _start(
        self,
        cpus: int,
        options: list[str],
        path: str = "",
        hidden: Path | None = None,
        variables: dict[str, str] | None = None,
    ) -> Node:
        number = 1 if "--head" in options else int(self.nodes[-1].name) + 1
        address = "127.0.0.1"
        namespace = ""
        ray = [str(Path(sys.executable).parent / "ray"), "start", "--block", f"--num-cpus={cpus}", *options]
        ray += [f"--dashboard-agent-listen-port={_free_port()}"]  # Ray's own choice may be another Ray's here
        command = [*ray, f"--object-store-memory={STORE}"]
        if self.namespaces:
            address = self._address(number)
            namespace = f"{self._tag}-{number}"
            self._lay_cable(namespace, number, address)
            private = [f"mount -t tmpfs none {folder}" for folder in (self._temp, hidden) if folder]
            script = " && ".join([*private, 'exec "$@"'])
            command = ["ip", "netns", "exec", namespace, "sh", "-c", script, "sh", *command]
        command += [f"--node-ip-address={address}"]
        if shutil.which("setpriv"):
            command = ["setpriv", "--pdeathsig", "TERM", *command]  # no node outlives tests that are killed
        environment = {
            **self.environment,
            **(variables or {}),
            "PYTHONPATH": path or self.path,
            "PATH": SYSTEM,  # where the `python3` is another one, or none
            "GLOO_SOCKET_IFNAME": f"e{number}" if self.namespaces else "lo",
        }
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        node = Node(str(number), address, namespace, process)
        self.nodes.append(node)
        self.nodes.sort(key=lambda node: int(node.name))
        return node

    def _lay_cable(self, namespace: str, number: int, address: str) -> None:
        """A namespace with an end of a cable, whose other end is in the bridge."""
        inside = f"e{number}"
        outside = f"{self._tag}{number}"
        run("ip", "netns", "add", namespace)
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", namespace)
        run("ip", "link", "set", outside, "master", self._tag, "up")
        for command in (f"address add {address}/24 dev {inside}", f"link set {inside} up", "link set lo up"):
            run("ip", "-n", namespace, *command.split())

    def _address(self, number: int) -> str:
        return f"198.18.{self._number}.{number}"  # of the network that is set apart for tests of networks

    def _wait(self, node: Node, alive: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert node.process.poll() is None, "ray start has ended"
            with contextlib.suppress(requests.RequestException, ValueError, KeyError):
                headers = {"Authorization": f"Bearer {self.token}"}
                answer = requests.get(f"{self.url}/nodes?view=summary", headers=headers, timeout=10)
                states = [node["raylet"].get("state") for node in answer.json()["data"]["summary"]]
                if states.count("ALIVE") >= alive:
                    return
            time.sleep(0.5)
        raise AssertionError(f"{alive} nodes of Ray are not up after {PATIENCE:.0f} s")

    def _end(self, node: Node) -> None:
        while pids := node.pids():
            for pid in pids:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            node.process.poll()
            time.sleep(0.05)
        node.process.wait()
        if node.namespace:  # the kernel takes the cable away with the namespace, but some time later
            subprocess.run(["ip", "link", "del", f"{self._tag}{node.name}"], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", node.namespace], capture_output=True, check=False)


def until_more(files: Callable[[], set[str]]) -> float:
    """Seconds until there are files that were not there before: work goes on."""
    before = files()
    started = time.monotonic()
    while not files() - before:
        assert time.monotonic() < started + PATIENCE, "nothing more was written"
        time.sleep(0.2)
    return time.monotonic() - started


def went_on(seconds: float) -> str:
    """The last column of a line of the table of faults."""
    return f"work goes on after {seconds:.0f}"


@contextlib.contextmanager
def reaching_a_store() -> Iterator[tuple[RayCluster, Store]]:
    """A head and two workers that reach a store with a bucket."""
    ray = RayCluster()
    with object_store("bucket", address=ray.gateway) as store:
        ray.variables = store.environment()
        with ray:
            ray.add()
            ray.add()
            yield ray, store


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
