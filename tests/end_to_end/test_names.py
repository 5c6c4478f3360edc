"""Names that are not UTF-8, of files and of members of archives, from the input to every account of the run."""

import io
import os
import tarfile
from pathlib import Path

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from pipelines.report.report import write_report
from tests import takedowns as runs

RECIPE = r"""
version: 1
name: names
sources:
  logs:
    - read: {irc: {paths: ['%(folder)s/caf\xe9']}}
  texts:
    - read: {corpus: {name: openwebtext, paths: ['%(folder)s/*.tar']}}
joined:
  - rewrite: {unicode: {}}
"""
LOG = b"[12:34] <ann> hello there\n[12:35] <bob> and to you\n"


def write_inputs(folder: Path) -> None:
    """Two logs in a folder, and two texts in an archive, whose names differ in bytes that are not UTF-8 alone."""
    logs = os.fsencode(folder) + b"/caf\xe9"
    os.mkdir(logs)  # noqa: PTH102  # of bytes
    for name in (b"#a\xe4.log", b"#a\xe5.log"):
        with open(logs + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(LOG)
    with tarfile.open(folder / "t.tar", "w") as archive:
        for name in (b"a\xe4.txt", b"a\xe5.txt", b"damaged\xe9.txt.gz"):
            info = tarfile.TarInfo(os.fsdecode(name))
            content = b"Some text." if name.startswith(b"a") else b"\x1f\x8b\x08\0damage"
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def test_names_from_the_input_to_the_account(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    folder = tmp_path / "run"
    runner.curate(parse(RECIPE % {"folder": tmp_path}, "names.yaml"), str(folder), Inline())
    logs = runs.rows(folder, "logs-read")
    texts = runs.rows(folder, "texts-read")
    assert [row["origin"] for row in logs] == [rf"{tmp_path}/caf\xe9/#a\xe4.log", rf"{tmp_path}/caf\xe9/#a\xe5.log"]
    assert [row["irc"]["channel"] for row in logs] == [r"#a\xe4", r"#a\xe5"]
    assert [row["record_id"] for row in texts][:2] == [r"a\xe4.txt", r"a\xe5.txt"]
    assert len({row["doc_id"] for row in (*logs, *texts)}) == len(logs) + len(texts)
    run = Run.open(folder)
    files = [fault["file"] for stage in run.funnel().stages for fault in stage.faults]
    assert files == [rf"{tmp_path}/t.tar#damaged\xe9.txt.gz"]
    assert r"caf\\xe9/#a\\xe4.log" in repr(run.why(doc_id=logs[0]["doc_id"]))
    assert r"a\\xe5.txt" in repr(run.why(record_id=r"a\xe5.txt"))
    assert not run.verify(deep=True).problems
    assert r"damaged\xe9.txt.gz" in Path(write_report(str(folder))).read_text()
