"""Tar archives of small files, in memory."""

import io
import tarfile
from collections.abc import Mapping


def tar(files: Mapping[str, bytes]) -> bytes:
    """An archive of files by name, in order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()
