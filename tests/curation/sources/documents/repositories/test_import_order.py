"""The order of files by their imports."""

from typing import NamedTuple

import pytest

from curation.sources.documents.repositories.file_language import language_of
from curation.sources.documents.repositories.import_order import import_order, names_size


class Imports(NamedTuple):
    path: str
    text: str | None
    language: str | None


def ordered(files: dict[str, str]) -> list[str]:
    made = [Imports(path, text, language_of(path, text)) for path, text in files.items()]
    return [made[number].path for number in import_order(made)]


@pytest.mark.parametrize(
    ("files", "order"),
    [
        pytest.param({"b": "", "a": ""}, "b a", id="no imports: as they come"),
        pytest.param(
            {"app.py": "import os\nfrom pkg.low import x\n", "pkg/low.py": "from .base import y\n", "pkg/base.py": ""},
            "pkg/base.py pkg/low.py app.py",
            id="Python",
        ),
        pytest.param(
            {"src/p/a.py": "from p import q\nfrom ..t.u import v\n", "src/p/__init__.py": "", "src/t/u.py": ""},
            "src/p/__init__.py src/t/u.py src/p/a.py",
            id="packages, and folders above",
        ),
        pytest.param(
            {"a.c": '#include "lib/b.h"\n#include <stdio.h>\n', "lib/b.c": '#include "b.h"\n', "lib/b.h": ""},
            "lib/b.h a.c lib/b.c",
            id="C",
        ),
        pytest.param(
            {"web/a.ts": "import {b} from './b/c';\n", "web/b/c.ts": "const d = require('../d')\n", "web/d.js": ""},
            "web/d.js web/b/c.ts web/a.ts",
            id="TypeScript and JavaScript",
        ),
        pytest.param(
            {"x/org/A.java": "import org.low.B;\n", "x/org/low/B.java": ""}, "x/org/low/B.java x/org/A.java", id="Java"
        ),
        pytest.param(
            {"a.py": "import b\nimport c\n", "b.py": "import a\n", "c.py": ""}, "c.py a.py b.py", id="a circle"
        ),
        pytest.param({"a.py": "import x\n", "m/x.py": "", "n/x.py": ""}, "a.py m/x.py n/x.py", id="two of a name"),
    ],
)
def test_what_is_imported_comes_first(files: dict[str, str], order: str) -> None:
    assert ordered(files) == order.split()


def test_a_hundred_thousand_imports_take_no_time() -> None:
    files = {f"{number}.py": f"import {number + 1}\n" * 5 for number in range(20_000)}
    assert ordered(files) == [f"{number}.py" for number in reversed(range(20_000))]


def test_names_are_the_last_parts_of_deep_paths() -> None:
    deep = "/".join(["d"] * 400)
    files = {"a.py": "import e.f\n", f"{deep}/e/f.py": "", "b.py": f"import {'d.' * 400}e.f\n"}
    assert ordered(files) == [f"{deep}/e/f.py", "a.py", "b.py"]
    assert ordered({"b.py": files["b.py"], f"{deep}/e/f.py": ""}) == ["b.py", f"{deep}/e/f.py"]


def test_deep_paths_bear_few_names() -> None:
    paths = ["/".join(["d"] * 100_000) + f"/{number}.py" for number in range(3)]
    assert ordered(dict.fromkeys(paths, "")) == paths
    assert names_size(paths[0]) == 2 * len(paths[0]) * 32
