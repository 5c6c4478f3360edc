"""What every plot shares: the names it can be written to, and a file whose bytes follow from its figures alone.

That is without times or random ids, and with matplotlib's own fonts.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from curation.core import storage
from curation.core.errors import UserError

SUFFIXES = (".png", ".svg")
COLOURS = 10  # matplotlib's; every 10 lines the marker changes
MARKERS = "osD^v"


def check(path: str) -> None:
    """Raises UserError for a suffix that cannot be drawn."""
    if PurePosixPath(path).suffix not in SUFFIXES:
        raise UserError(f"--plot {path}: expected a name that ends in {' or '.join(SUFFIXES)}")


def marker(number: int) -> str:
    """The marker of a line, by its number from 0."""
    return MARKERS[number // COLOURS % len(MARKERS)]


@contextmanager
def drawn(path: str, inches: tuple[float, float], font_size: int) -> Iterator[Any]:
    """A figure to draw on, which is then written as PNG or SVG, by the suffix of the path."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "winnow", "svg.fonttype": "path", "font.size": font_size}):
        figure = Figure(figsize=inches, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        image = io.BytesIO()  # so that a full disk leaves the old file
        kind = PurePosixPath(path).suffix[1:]
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(image, format=kind, dpi=120, metadata=metadata)
        storage.replace_bytes(path, image.getvalue())
