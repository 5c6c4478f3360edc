"""The Python of the README runs as it stands there."""

import re
from pathlib import Path

import numpy as np

README = Path(__file__).resolve().parents[2] / "README.md"


def test_what_the_readme_asks_of_a_run(finished_run: Path) -> None:
    first, *_ = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(first.replace("runs/demo", str(finished_run / "run")), names)
    kept, texts, tokens = names["kept"], names["texts"], names["tokens"]
    assert list(kept.columns) == ["url", "gopher_quality.words"]  # type: ignore[attr-defined]
    assert sum(map(len, texts)) > len(kept) > 0  # type: ignore[call-overload, arg-type]
    assert isinstance(tokens, np.ndarray)
    assert tokens.shape[0] == 8
