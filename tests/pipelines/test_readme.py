"""The Python of the README runs as it stands there, and so do its commands for other readers of Parquet."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

README = Path(__file__).resolve().parents[2] / "README.md"


def test_what_the_readme_asks_of_a_run(finished_run: Path) -> None:
    first, *_ = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(first.replace("runs/demo", str(finished_run / "run")), names)
    kept = names["kept"]
    texts = names["texts"]
    tokens = names["tokens"]
    assert list(kept.columns) == ["url", "gopher_quality.words"]  # type: ignore[attr-defined]
    assert sum(map(len, texts)) > len(kept) > 0  # type: ignore[call-overload, arg-type]
    assert isinstance(tokens, np.ndarray)
    assert tokens.shape[0] == 8


def test_what_the_readme_asks_other_readers_of_parquet(finished_run: Path) -> None:
    section = README.read_text().partition("### From any reader of Parquet")[2].partition("\n### ")[0]
    script = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).replace(
        "runs/demo", str(finished_run / "run")
    )
    tools = f"{Path(sys.executable).parent}/"
    script = script.replace(".venv/bin/", tools).replace("$(winnow ", f"$({tools}winnow ")
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=300, cwd="/")
    assert done.returncode == 0, done.stderr
    assert "gopher_repetition.duplicate_lines:high" in done.stdout
    assert "'words': " in done.stdout
    assert "language.label:not_in" in done.stdout
