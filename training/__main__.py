"""Trains without Ray, in one process or in N.

    python -m training CONFIG
    torchrun --nproc-per-node N -m training CONFIG

CONFIG is YAML or JSON with the fields of `Job`. torchrun's `--max-restarts` needs
TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1, or the new processes try to reach the old ones (torch 2.13). The first process
logs to standard error and prints the lines of metrics.jsonl. SIGTERM and Ctrl-C end it after a step with a checkpoint,
and with status 143 and 130; the same command resumes. A second Ctrl-C ends it at once.
"""

import logging
import os
import signal
import sys
import threading
from pathlib import Path

from curation.core.errors import WinnowError
from curation.core.printable import printable
from training.config.parse import load_job
from training.ending import StoppedError, leave

log = logging.getLogger("training")


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        sys.exit("usage: python -m training CONFIG (a YAML or JSON file with data, output and train)")
    if os.environ.get("RANK", "0") == "0":
        logging.basicConfig(format="%(asctime)s %(message)s")
        log.setLevel(logging.INFO)
    signals = list[int]()
    try:
        job = load_job(Path(arguments[0]).read_text(), arguments[0])
        log.info("loading torch, to train in %s", job.output)
        from training.metrics.records import Record, describe
        from training.start import train  # takes seconds

        asked = threading.Event()

        def ask(number: int, frame: object) -> None:
            signals.append(number)
            asked.set()
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        signal.signal(signal.SIGTERM, ask)
        signal.signal(signal.SIGINT, ask)

        def tell(record: Record) -> None:
            print(describe(record), flush=True)

        train(job.train, job.data, job.output, branch_from=job.branch_from, asked=asked, on_record=tell)
    except StoppedError as error:
        leave(error, 128 + (signals or [signal.SIGTERM])[0])
    except (WinnowError, ValueError, OSError, ArithmeticError, MemoryError) as error:
        sys.exit(f"error: {printable(str(error), chr(10))}")
    except RuntimeError as error:
        if not lost_process(error):
            raise
        said = printable(str(error).splitlines()[0])
        sys.exit(
            f"error: another process of the group ended or cannot be reached ({said}); its own lines say why, and the "
            "same command resumes from the newest checkpoint"
        )


def lost_process(error: RuntimeError) -> bool:
    """Whether it comes from talking to another process."""
    from torch.distributed import DistError

    return isinstance(error, DistError) or "gloo" in str(error).lower()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SystemExit as ended:
        leave(ended.code)
    leave()
