"""Pictures: the same bytes each time, with what they must show written in them."""

from pathlib import Path

import pytest

from pipelines.tokenizer_plot import check, draw
from tests.pipelines.tokenizer_examples import inspection


@pytest.mark.parametrize("name", ["plot.png", "plot.svg"])
@pytest.mark.parametrize("sizes", [(300,), (300, 600, 600)])
def test_the_same_picture_each_time(tmp_path: Path, name: str, sizes: tuple[int, ...]) -> None:
    found = [inspection(f"runs/{number}.json", size) for number, size in enumerate(sizes)]
    (tmp_path / "again").mkdir()
    draw(str(tmp_path / name), found)
    draw(str(tmp_path / "again" / name), found)
    content = (tmp_path / name).read_bytes()
    assert content == (tmp_path / "again" / name).read_bytes()
    assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    assert len(content) > 10_000


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    draw(str(tmp_path / "one.png"), [inspection("a.json", 300, groups=(), embeddings=(), ranks=())])
    draw(str(tmp_path / "two.png"), [inspection(f"{n}.json", 300 + n, groups=(), embeddings=()) for n in (1, 2)])


def test_other_files_are_refused() -> None:
    check("a/b.svg")
    with pytest.raises(ValueError, match=r"ends in \.png or \.svg"):
        check("plot.pdf")
