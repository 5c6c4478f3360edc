"""Files of terms: one term per line, in UTF-8. Blank lines and lines that begin with "# " are skipped."""

from curation.core import storage
from curation.core.errors import InputError


def read_terms(file: str) -> tuple[str, ...]:
    """The terms of a file, in order. Raises InputError if it is missing, not UTF-8 or without a term."""
    if storage.size(file) < 0:
        raise InputError(f"no list of terms at {file}; give the path or URI of a text file with one term per line")
    try:
        lines = storage.read_bytes(file).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 from byte {error.start} on; save it as UTF-8") from error
    terms = tuple(line for line in lines if line.strip() and not line.startswith("# "))
    if not terms:
        raise InputError(f"{file} holds no terms; write one per line, or leave the file out")
    return terms
