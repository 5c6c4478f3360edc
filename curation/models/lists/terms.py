"""Lists of terms in files: one term per line, in UTF-8; blank lines and those that begin with "# " are passed over."""

from curation.core import storage
from curation.core.errors import InputError


def read_terms(file: str) -> tuple[str, ...]:
    """The terms of a file, in its order. Raises InputError where it is missing, not UTF-8 or without a term."""
    if storage.size(file) < 0:
        raise InputError(f"no list of terms at {file}; give the path or URI of a text file with one term per line")
    try:
        lines = storage.read_bytes(file).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 from byte {error.start} on; save it as UTF-8") from error
    terms = tuple(line for line in lines if line.strip() and not line.startswith("# "))
    if not terms:
        raise InputError(f"{file} holds no term; write one per line, or do not name the file")
    return terms
