"""Ends a process that has been in a group of processes, without Python's own ending.

A thread of gloo may still hold a tensor when the last collective is done; if Python ends meanwhile, the thread aborts
the process ("terminate called without an active exception", torch 2.13, now and then on a busy machine).
"""

import os
import sys
from typing import NoReturn

from curation.core.errors import WinnowError

STOP = "stop"  # a file of this name in the output asks a training under Ray to stop


class RowsSkippedError(WinnowError):
    """Rows of the data are left out from now on: the training goes back to before them."""


class StoppedError(WinnowError):
    """A training was asked to stop, and its checkpoint is complete."""


def leave(problem: object = None, status: int = 1) -> NoReturn:
    """As sys.exit: with status 0, or `status` and the problem in standard error. Files must be closed before."""
    if problem is not None:
        print(problem, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if problem is None else status)
