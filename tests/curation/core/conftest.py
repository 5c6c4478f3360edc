"""What the tests of storage and of input files look into."""

from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage


@pytest.fixture(params=["disk", "memory"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder with a few files, on disk or in fsspec's memory."""
    base = str(tmp_path) if request.param == "disk" else f"memory://{uuid4().hex}"
    for name in ("a.txt", "b.gz", "_hidden.txt", "sub/c.txt", "sub/deep/d.txt", ".git/e.txt", "sub/_tmp/f.txt"):
        uri = storage.join(base, name)
        storage.make_folder(uri.rpartition("/")[0])
        storage.write_bytes(uri, name.encode())
    return base
