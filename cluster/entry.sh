#!/bin/sh
# Runs first in a job: starts _winnow_job.py by the interpreter in which the node's Ray runs; the `python3` of PATH may be
# another one, or none. This shell's parent is a worker of Ray, and that worker's parent, the raylet, was started with
# the command for workers. Where there is no /proc, it is `python3`.
raylet=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$PPID/status" 2>/dev/null)
python=$({ tr '\0' '\n' <"/proc/$raylet/cmdline"; } 2>/dev/null |
    sed -n -e 's/^--python_worker_command="\([^"]*\)" .*/\1/p' -e 's/^--python_worker_command=\([^" ]*\) .*/\1/p')
exec "${python:-python3}" _winnow_job.py "$@"
