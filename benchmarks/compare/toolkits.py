"""winnow beside other toolkits for corpora: the same work on the same texts, each by what its users write.

    python -m benchmarks compare.toolkits [TOOLKIT …]      the pages and near-copies of the test data

The works are Gopher's rules, exact copies, and MinHash over shingles of five words in 14 bands of 8 hashes.
`configurations/TOOLKIT` has `WORK.sh` for each work that the toolkit does on a CPU, and the files that it names; lines
are counted of these, without comments. A toolkit is installed from its `requirements.txt`, once, in an environment of
its own below --environments; one that cannot be is named with its error.

Every toolkit runs on the same JSON lines, in one turn, first over the first documents of each file, which fills caches
and gives the cost of its start. CPU seconds and memory are of all its processes together (`process_tree.py`), those
that start it included.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import data
from benchmarks.case import Figures
from benchmarks.datatrove import REQUIREMENTS, python_of, set_up
from benchmarks.pipeline.process_tree import ProcessTree
from curation.account.run import Run

CONFIGURATIONS = Path(__file__).with_name("configurations")
WORKS = ("gopher", "exact", "minhash")
TOOLKITS = ("winnow", "datatrove", "dolma", "nemo_curator", "data_juicer", "text_dedup")
PAIRS = ("revision_pairs", "human_judged_pairs")
FILES = 4
WARM_UP = 10  # documents of each file
NOISE = 0.2  # of the start's CPU seconds
SCRIPTS = (".sh", ".py", ".yaml")


class Toolkit:
    """One that is compared: its configuration, and the folder of its programs."""

    def __init__(self, name: str, environments: Path) -> None:
        self.name = name
        self.folder = CONFIGURATIONS / name
        self._environment = environments / name

    def install(self) -> str:
        """Nothing, or why it cannot be installed."""
        if self.name == "winnow":
            return ""
        wanted = REQUIREMENTS if self.name == "datatrove" else self.folder / "requirements.txt"
        try:
            set_up(self._environment, wanted)
        except subprocess.CalledProcessError as error:
            return f"{self.name} is not installed: {error}"
        return ""

    @property
    def programs(self) -> Path:
        return Path(sys.executable).parent if self.name == "winnow" else python_of(self._environment).parent

    def version(self) -> str:
        package = {"data_juicer": "py-data-juicer"}.get(self.name, self.name)
        ask = f"from importlib.metadata import version; print(version({package!r}))"
        return subprocess.check_output([self.programs / "python", "-c", ask], text=True).strip()

    def lines(self, work: str) -> int:
        """That a user writes: without blank lines and comments."""
        texts = [path.read_text() for path in self.folder.glob(f"{work}.*") if path.suffix in SCRIPTS]
        return sum(
            bool(line.strip()) and not line.lstrip().startswith("#") for text in texts for line in text.split("\n")
        )

    def run(self, work: str, texts: Path, output: Path, seconds: float) -> dict[str, Any]:
        """Wall and CPU seconds, the most memory in MB, and documents kept; `error` in place of these if it fails.

        It is given up after `seconds`. `output` is made; its log stays there.
        """
        shutil.copytree(self.folder, output / "configuration")
        path = os.pathsep.join([str(self.programs.absolute()), os.environ["PATH"]])
        variables = {**os.environ, "PATH": path, "INPUT": str(texts), "OUTPUT": str(output)}
        variables.pop("PYTHONPATH", None)
        began = time.perf_counter()
        with (output / "log").open("wb") as log:
            process = subprocess.Popen(
                ["sh", "-e", f"{work}.sh"], cwd=output / "configuration", env=variables, stdout=log, stderr=log
            )
            with ProcessTree(process.pid) as tree:
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    tree.end()
                    process.wait()
                wall = time.perf_counter() - began
                cpu, peak = tree.cpu_seconds(), tree.peak_bytes()
                tree.end()  # what it left running
        if process.returncode:
            last = (output / "log").read_text(errors="replace").strip().split("\n")[-1]
            return {"error": f"{self.name}, {work}: ended with {process.returncode} after {wall:.0f} s: {last[:200]}"}
        return {"wall s": wall, "CPU s": cpu, "peak MB": peak / 1e6, "kept": kept(output)}


def kept(output: Path) -> int:
    """Documents of a run of winnow, or of the files of Arrow or JSON lines that a toolkit names `kept`."""
    if (output / "run").exists():
        return Run.open(str(output / "run")).funnel().stages[-1].kept
    files = (path for name in ("kept.jsonl", "kept/**/*") for path in output.glob(name) if path.is_file())
    return sum(map(_documents, files))


def _documents(file: Path) -> int:
    if file.suffix == ".arrow":
        return int(pa.ipc.open_stream(file).read_all().num_rows)
    if ".json" not in file.name or file.suffix == ".json":
        return 0
    content = file.read_bytes()
    return (gzip.decompress(content) if file.suffix == ".gz" else content).count(b"\n")


def texts_of(pages: int) -> list[str]:
    """Texts of pages of the test data, spread evenly, and of its revised, plagiarised and copied documents."""
    texts = data.not_blank(data.texts_in([data.shared("web", "pages*.warc.gz")], pages)).to_pylist()
    texts += [row["text"] for row in data.rows_of(data.shared("neardup", "news_plagiarism.jsonl.gz"))]
    for name in PAIRS:
        rows = data.rows_of(data.shared("neardup", f"{name}.jsonl.gz"))
        texts += [row[side] for row in rows for side in ("text_a", "text_b")]
    return texts


def write(texts: Sequence[str], folder: Path) -> Path:
    """FILES of JSON lines in a folder that dolma takes for one of documents."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for number in range(FILES):
        rows = [{"id": str(row), "source": "test", "text": texts[row]} for row in range(number, len(texts), FILES)]
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (documents / f"{number}.jsonl").write_text("".join(lines), encoding="utf-8")
    return documents


def run(options: argparse.Namespace) -> Iterator[Figures]:
    if unknown := set(options.toolkits) - set(TOOLKITS):
        raise SystemExit(f"no toolkit {', '.join(sorted(unknown))}; there are {', '.join(TOOLKITS)}")
    texts = texts_of(options.pages)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    toolkits = [Toolkit(name, options.environments) for name in options.toolkits]
    absent = {toolkit.name: why for toolkit in toolkits if (why := toolkit.install())}
    present = [toolkit for toolkit in toolkits if toolkit.name not in absent]
    with tempfile.TemporaryDirectory(prefix="toolkits-") as name:
        warm, full = write(texts[: FILES * WARM_UP], Path(name, "warm")), write(texts, Path(name, "full"))
        for work in options.works:
            rows, notes = {}, [*absent.values()]
            for toolkit in present:
                if not (toolkit.folder / f"{work}.sh").exists():
                    continue
                output = Path(name, f"{toolkit.name}-{work}")
                start = toolkit.run(work, warm, output / "warm", options.seconds)
                whole = start if "error" in start else toolkit.run(work, full, output / "full", options.seconds)
                if "error" in whole:
                    notes.append(whole["error"])
                else:
                    rows[f"{toolkit.name} {toolkit.version()}"] = row(whole, start, megabytes, toolkit.lines(work))
                shutil.rmtree(output)
            yield Figures(f"{work}: {len(texts):,} documents, {megabytes:.1f} MB", rows, tuple(notes))


def row(whole: dict[str, Any], start: dict[str, Any], megabytes: float, lines: int) -> dict[str, Any]:
    """Rates of the whole and of what goes beyond the start, where that is more than noise."""
    beyond = whole["CPU s"] - start["CPU s"]
    figures = {**whole, "lines": lines, "start, CPU s": start["CPU s"], "MB/CPU s": megabytes / whole["CPU s"]}
    if beyond > NOISE * start["CPU s"]:
        figures["beyond start"] = megabytes / beyond
    return figures


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("toolkits", nargs="*", default=TOOLKITS, metavar="TOOLKIT", help=", ".join(TOOLKITS))
    parser.add_argument("--works", nargs="+", choices=WORKS, default=WORKS)
    parser.add_argument("--pages", type=int, default=1000, help="of the web in the test data")
    parser.add_argument("--environments", type=Path, default=Path(".venv-peers"), help="where toolkits are installed")
    parser.add_argument("--seconds", type=float, default=600, help="that a toolkit may take")
