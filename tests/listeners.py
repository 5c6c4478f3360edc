"""What a process and its descendants listen on, and how an intruder fares there."""

import contextlib
import socket
from pathlib import Path

import grpc
from ray.core.generated import gcs_service_pb2, gcs_service_pb2_grpc, node_manager_pb2, node_manager_pb2_grpc

LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
LISTENING = "0A"  # in the column `st` of /proc/net/tcp


def listeners(pid: int) -> set[tuple[str, int]]:
    """Address and port of every TCP socket on which the process or a descendant listens."""
    inodes = {inode for process in {pid, *_descendants(pid)} for inode in _sockets(process)}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return {_address(row[1]) for row in rows if row[3] == LISTENING and row[9] in inodes}


def other_addresses() -> list[str]:
    """Addresses of this machine that are not Ray's: its own, where it has one, and a second one of loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: only asks for the route
        return [probe.getsockname()[0], "127.0.0.2"]
    return ["127.0.0.2"]


def connects(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


def gcs_answer(gcs: str, token: str | None = None) -> str:
    """The gRPC status with which Ray's head answers a request for its nodes."""
    with grpc.insecure_channel(gcs) as channel:
        stub = gcs_service_pb2_grpc.NodeInfoGcsServiceStub(channel)
        return _status(stub.GetAllNodeInfo, gcs_service_pb2.GetAllNodeInfoRequest(), token)


def raylet_answer(raylet: str, token: str | None = None) -> str:
    """The gRPC status with which a node answers a request for its figures."""
    with grpc.insecure_channel(raylet) as channel:
        stub = node_manager_pb2_grpc.NodeManagerServiceStub(channel)
        return _status(stub.GetNodeStats, node_manager_pb2.GetNodeStatsRequest(), token)


def _status(call: grpc.UnaryUnaryMultiCallable, request: object, token: str | None) -> str:
    try:
        call(request, timeout=20, metadata=[("authorization", f"Bearer {token}")] if token else [])
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def _descendants(pid: int) -> set[int]:
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = {pid}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _sockets(pid: int) -> set[str]:
    inodes = set()
    for file in Path(f"/proc/{pid}/fd").glob("*"):
        with contextlib.suppress(OSError):
            target = str(file.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    return inodes


def _address(text: str) -> tuple[str, int]:
    """Of the kernel's hex: 32-bit words in the machine's byte order, taken here for little-endian."""
    host, port = text.split(":")
    words = b"".join(bytes.fromhex(host[i : i + 8])[::-1] for i in range(0, len(host), 8))
    return socket.inet_ntop(socket.AF_INET if len(words) == 4 else socket.AF_INET6, words), int(port, 16)
