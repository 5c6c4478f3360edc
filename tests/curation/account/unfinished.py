"""Runs as they were before they finished."""

import json
from datetime import UTC, datetime
from pathlib import Path

from curation.core.manifest import RUN
from curation.core.progress import PROGRESS


def begun(run: Path, *, sealed: int = 0) -> Path:
    """The run when only so many of its stages were sealed; its driver wrote what the next one did just now."""
    record = json.loads((run / RUN).read_text())
    stages = record["stages"]
    record |= {"complete": False, "stages": stages[:sealed]}
    (run / RUN).write_text(json.dumps(record))
    now = {"stage": stages[sealed]["name"], "step": "read", "done": 0, "units": 2}
    (run / PROGRESS).write_text(json.dumps({**now, "when": datetime.now(UTC).isoformat(timespec="seconds")}))
    return run
