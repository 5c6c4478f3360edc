"""Trains without Ray, in one process or in N.

    python -m training CONFIG
    torchrun --nproc-per-node N -m training CONFIG

CONFIG is YAML or JSON with the fields of `Job`. torchrun's `--max-restarts` needs
TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1, or the new processes try to reach the old ones (torch 2.13). The first process
logs to standard error and prints the lines of metrics.jsonl. SIGTERM ends it after a step with a checkpoint, and with
status 143; the same command resumes.
"""

import logging
import os
import signal
import sys
import threading
from pathlib import Path

from curation.core.errors import WinnowError
from training.config.parse import load_job
from training.ending import StoppedError, leave

log = logging.getLogger("training")


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        sys.exit("usage: python -m training CONFIG (a YAML or JSON file with data, output and train)")
    if os.environ.get("RANK", "0") == "0":
        logging.basicConfig(format="%(asctime)s %(message)s")
        log.setLevel(logging.INFO)
    try:
        job = load_job(Path(arguments[0]).read_text(), arguments[0])
        log.info("loading torch, to train in %s", job.output)
        from training.metrics.records import describe
        from training.start import train  # takes seconds

        asked = threading.Event()
        signal.signal(signal.SIGTERM, lambda number, frame: asked.set())
        train(
            job.train, job.data, job.output, asked=asked, on_record=lambda record: print(describe(record), flush=True)
        )
    except StoppedError as error:
        leave(error, 128 + signal.SIGTERM)
    except (WinnowError, ValueError, OSError, ArithmeticError, MemoryError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SystemExit as ended:
        leave(ended.code)
    leave()
