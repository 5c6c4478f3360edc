"""Signals end a command once, through its contexts; whatever it started ends with it. Whole runs: test_signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from pipelines.ending import Ending, descendants
from tests.runs import ENVIRONMENT, hear_sigint, python


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
    assert (done.returncode, done.stdout, done.stderr) == (143, "clean\n", "stopped\n")


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
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "stopped\n")


def test_a_main_thread_that_hangs_is_ended() -> None:
    script = (
        "import os, signal, time, pipelines.cli as cli\n"
        "class Quick(cli.Ending):\n"
        "    def __init__(self, line): super().__init__(line, grace=0.2)\n"
        "def work():\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally: time.sleep(60)\n"
        "cli.Ending = Quick; cli._run = work; cli.main()"
    )
    done = python(script)
    assert (done.returncode, done.stderr) == (143, "stopped\n")


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


CLEANING = (
    "import subprocess, sys, time, pipelines.cli as cli\n"
    "sys.argv = ['/nowhere/winnow', *sys.argv[1:]]\n"
    "def work():\n"
    "    child = subprocess.Popen(['setsid', 'sleep', '600'])\n"
    "    try: print(child.pid, flush=True); time.sleep(60)\n"
    "    finally: time.sleep(2); print('clean', flush=True)\n"
    "cli._run = work; cli.main()"
)


CLEARLY_TWO = 0.2  # s between two presses, from when the first was heard


def interrupted(*pauses: float) -> tuple[int, str, str, bool]:
    """Exit code, both streams, and whether the child still lives, of a command on which Ctrl-C is pressed once, and
    again after each of the pauses (s). As a terminal does, it goes to all processes of the group."""
    command = [sys.executable, "-c", CLEANING, "curate", "my recipe.yaml", "--output", "s3://KEY:SECRET@bucket/r"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT, start_new_session=True, preexec_fn=hear_sigint
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        child = int(process.stdout.readline())
        os.killpg(process.pid, signal.SIGINT)
        heard = ""
        for pause in pauses:
            heard += process.stderr.readline() if pause > CLEARLY_TWO else ""
            time.sleep(pause)
            os.killpg(process.pid, signal.SIGINT)
        out, said = process.communicate(timeout=30)
    return process.returncode, out, heard + said, _lives(child)


CONTINUE = "stopped; what is finished stays. Continue with: /nowhere/winnow curate 'my recipe.yaml' --output s3://"
STOPPING = "stopping, which takes some seconds; Ctrl-C again ends at once\n"


def test_a_first_ctrl_c_cleans_up_and_says_how_to_go_on() -> None:
    code, out, said, lives = interrupted()
    assert (code, out, lives) == (130, "clean\n", False)
    assert said.startswith(STOPPING + CONTINUE)
    assert said.count("\n") == 2
    assert "SECRET" not in said


def test_a_second_ctrl_c_ends_at_once() -> None:
    code, out, said, lives = interrupted(0.4)
    assert (code, out, lives) == (130, "", False)
    assert said.startswith(STOPPING + CONTINUE)


def test_one_ctrl_c_that_comes_twice_is_one() -> None:
    code, out, _, _ = interrupted(0.02)  # as a launcher passes on what the terminal has sent to the whole group
    assert (code, out) == (130, "clean\n")


def test_what_a_training_run_takes_for_itself_counts() -> None:
    """The first one asks it for a checkpoint; the second one ends the command, before the checkpoint is there."""
    script = (
        "import signal, sys, time, pipelines.cli as cli\n"
        "def work():\n"
        "    signal.signal(signal.SIGINT, lambda *_: print('asked', flush=True))\n"
        "    print('begun', flush=True); end = time.monotonic() + 60\n"
        "    while time.monotonic() < end: time.sleep(0.05)\n"
        "sys.argv = ['winnow', 'funnel']; cli._run = work; cli.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        preexec_fn=hear_sigint,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "asked\n"
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == "stopped\n"
        assert process.returncode == 130


def test_ctrl_c_while_the_commands_are_imported_is_quiet() -> None:
    script = (
        "import os, signal, sys, winnow\n"  # whose own finder would stand before this one
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pipelines.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from winnow.__main__ import main; main()"
    )
    done = python(script)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


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
