"""Input files as tasks meet them: still what the plan saw, or not to be read."""

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.input_files import unchanged
from curation.core.protocols import Piece


def check_unchanged(piece: Piece) -> None:
    """Raises InputError where the file is another than when it was listed; nothing is known of a piece of size -1."""
    if piece.size < 0 or unchanged(piece.path, piece.size, piece.stamp, piece.modified):
        return
    raise InputError(
        f"{masked(piece.path)} has changed since the run began; put the old file back, or run the same command again, "
        "which makes a new stage of what is there now"
    )
