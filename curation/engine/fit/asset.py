"""The files of an asset in a fit stage's folder, and what its manifest says of them."""

import hashlib
from collections.abc import Mapping

from curation.core import storage
from curation.core.commits import Commit
from curation.core.fits import Fit
from curation.core.new_file import write_new


def sealed(unit: int, folder: str, fit: Fit, files: Mapping[str, bytes], sample: Mapping[str, object]) -> Commit:
    """Writes the files and returns the commit that names them.

    Its `extra` has `asset`: the main `file` with its SHA-256 (hex), `sample`, which tells what was learned from, and,
    where there are several `files`, the SHA-256 of each.
    """
    assert fit.asset in files, f"{type(fit).__name__} gives no {fit.asset}, only {', '.join(files)}"
    facts = {name: vars(write_new(storage.join(folder, name), content)) for name, content in sorted(files.items())}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    asset: dict[str, object] = {"file": fit.asset, "sha256": digests[fit.asset], "sample": sample}
    asset |= {"files": digests} if len(files) > 1 else {}
    return Commit(unit, (), extra={"asset": asset, "files": facts})
