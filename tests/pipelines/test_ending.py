"""Signals end a command once, through its contexts; whatever it started ends with it. Whole runs: test_signals."""

import os
import signal
import subprocess
from pathlib import Path

from pipelines.ending import Ending, descendants
from tests.runs import python


def test_without_a_signal_nothing_changes() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with Ending() as ending:
        assert signal.getsignal(signal.SIGTERM) == ending._end
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
    assert ending.number is None


def test_an_ignored_sigint_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell gives it to jobs in the background
    try:
        with Ending():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_signal_does_not_cut_the_cleaning_up_short() -> None:
    script = (
        "import os, signal, time, pipelines.cli as cli\n"
        "def work():\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally:\n"
        "        for number in (signal.SIGTERM, signal.SIGINT): os.kill(os.getpid(), number)\n"
        "        time.sleep(0.1); print('clean')\n"
        "cli._run = work; cli.main()"
    )
    done = python(script)
    assert (done.returncode, done.stdout, done.stderr) == (143, "clean\n", "stopped; the same command resumes\n")


def test_a_signal_that_comes_inside_a_callback_is_not_lost() -> None:
    script = (
        "import os, signal, time, pipelines.cli as cli\n"
        "class Late:\n"
        "    def __del__(self): os.kill(os.getpid(), signal.SIGTERM)\n"  # Python ignores what is raised here
        "def work():\n"
        "    late = Late(); del late\n"
        "    for _ in range(300): time.sleep(0.01)\n"
        "    print('never ended')\n"
        "cli._run = work; cli.main()"
    )
    done = python(script)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "stopped; the same command resumes\n")


def test_a_main_thread_that_hangs_is_ended() -> None:
    script = (
        "import os, signal, time, pipelines.cli as cli\n"
        "class Quick(cli.Ending):\n"
        "    def __init__(self): super().__init__(grace=0.2)\n"
        "def work():\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally: time.sleep(60)\n"
        "cli.Ending = Quick; cli._run = work; cli.main()"
    )
    done = python(script)
    assert (done.returncode, done.stderr) == (143, "stopped; the same command resumes\n")


def test_orphans_end_with_the_command() -> None:
    script = (
        "import os, signal, subprocess, pipelines.cli as cli\n"
        "from pipelines.ending import adopt_orphans\n"
        "def work():\n"
        "    adopt_orphans()\n"
        "    shell = subprocess.run(['sh', '-c', 'sleep 600 >&- 2>&- & echo $!'], capture_output=True, text=True)\n"
        "    print(shell.stdout, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "cli._run = work; cli.main()"
    )
    done = python(script)
    assert done.returncode == 130
    assert not _lives(int(done.stdout))


def test_descendants() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600 & echo; wait"], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()  # both have begun
        family = descendants(shell.pid)
        assert len(family) == 2
        assert family | {shell.pid} <= descendants(os.getpid())
        for pid in family:
            os.kill(pid, signal.SIGKILL)
    assert not descendants(shell.pid)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
