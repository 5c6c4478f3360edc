"""A node that is left out is refused with the reason and what to do."""

import platform
from pathlib import Path

import pytest

from curation.core.errors import InputError
from training.health.nodes import leave_out, left_out, refuse_bad_node


def test_a_node_is_left_out_until_its_file_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = str(tmp_path)
    assert left_out(output) == {}
    refuse_bad_node(output)
    leave_out(output, "the GPU of process 3: XID 79, it has fallen off the bus")
    host = platform.node()
    assert left_out(output) == {host: "the GPU of process 3: XID 79, it has fallen off the bus"}
    file = tmp_path / "bad_nodes" / f"{host}.json"
    with pytest.raises(
        InputError, match=f"{host} is left out of this training: .* XID 79.*repair it and delete {file}"
    ):
        refuse_bad_node(output)
    with monkeypatch.context() as patched:
        patched.setattr(platform, "node", lambda: "other")
        refuse_bad_node(output)
    file.unlink()
    refuse_bad_node(output)
