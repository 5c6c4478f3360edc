"""Through Ray: one task a unit; an error, a death and a missing process each come back as what they are."""

import os
from dataclasses import dataclass
from pathlib import Path

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.engine.run.work import Cheap, Unit
from tests.runs import python


@dataclass(frozen=True)
class Squares(Cheap):
    """Commits the square of its unit's payload; some payloads fail, each in another way."""

    folder: str

    def run(self, unit: Unit) -> Commit:
        if unit.payload == "dies":
            os._exit(139)
        if unit.payload == "gone":
            raise InputError("no file at there")
        if unit.payload == "once" and not (mark := Path(self.folder, "tried")).exists():
            mark.touch()
            raise OSError(5, "Input/output error")
        if unit.payload == "bug":
            raise ZeroDivisionError("a bug")
        return Commit(unit.number, (), counts={"square": unit.number**2})


SCRIPT = """
import sys
from tests.curation.engine.run.test_execution import Squares
from curation.core.errors import WinnowError
from curation.engine.run import attempts
from curation.engine.run.session import Session
from curation.engine.run.work import Unit
attempts.PAUSE = 0.01
def run(*payloads):
    done, retries, notes = {}, [], []
    watcher = attempts.Watcher(lambda c: done.update({c.unit: c.counts["square"]}), lambda f: retries.append(f.error),
                               notes.append)
    failures = attempts.run(Squares(sys.argv[1]), [Unit(n, p) for n, p in enumerate(payloads)], watcher)
    print(done, [(one.unit, one.error) for one in failures], retries)
with Session(cpus=2) as session:
    session.start()
    run("a", "b", "c")
    run("a", "once", "c")
    run("a", "dies", "bug")
    try:
        run("gone")
    except WinnowError as caught:
        print(type(caught).__name__, caught, "Traceback" in caught.details)
"""


def test_units_end_as_what_became_of_them(tmp_path: Path) -> None:
    done = python(SCRIPT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    died, bug = "its worker died: WorkerCrashedError", "ZeroDivisionError: a bug"
    lines = [line for line in done.stdout.splitlines() if "(raylet)" not in line]
    assert lines[0] == "{0: 0, 1: 1, 2: 4} [] []"
    assert lines[1] == "{0: 0, 2: 4, 1: 1} [] ['OSError: [Errno 5] Input/output error']"
    assert lines[2].startswith(f"{{0: 0}} [(1, {died!r}), (2, {bug!r})]")
    assert lines[2].count(died) == lines[2].count(bug) == 5
    assert lines[3] == "InputError no file at there True"
    assert "Traceback" not in done.stderr
