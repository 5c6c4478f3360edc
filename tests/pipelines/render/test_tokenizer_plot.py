"""Pictures: the same bytes each time, with what they must show written in them."""

from pathlib import Path

import pytest

from pipelines.render.tokenizer_plot import _apart, _families, draw
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
    one = {"less": {"groups": (), "embeddings": (), "ranks": ()}, "all": {}}
    two = {"less": {"groups": (), "embeddings": ()}, "all": {}}
    for name, options in one.items():
        draw(str(tmp_path / f"one-{name}.svg"), [inspection("a.json", 300, **options)])
    for name, options in two.items():
        draw(str(tmp_path / f"two-{name}.svg"), [inspection(f"{n}.json", 300 + n, **options) for n in (1, 2)])
    for number in ("one", "two"):
        less, whole = ((tmp_path / f"{number}-{name}.svg").read_text() for name in ("less", "all"))
        assert less.rstrip().endswith("</svg>")
        assert ("<!-- en -->" in less, "<!-- en -->" in whole) == (False, True)


def test_families_differ_in_a_size_only() -> None:
    names = ("bpe-32k", "bpe-64K", "own_300", "own_1000", "llama2", "llama3", "8k")
    found = _families([inspection(f"{name}.json", 300 + at) for at, name in enumerate(names)])
    assert {name: len(family) for name, family in found.items()} == {
        "bpe": 2,
        "own": 2,
        "llama2": 1,
        "llama3": 1,
        "8k": 1,
    }


def test_labels_that_would_cover_each_other_are_left_out() -> None:
    assert _apart([32_000, 32_768, 50_257, 64_000]) == [32_000, 50_257, 64_000]
    assert _apart([300]) == [300]


def test_more_tokenizers_than_colours(tmp_path: Path) -> None:
    draw(str(tmp_path / "many.png"), [inspection(f"{name}.json", 300 + at) for at, name in enumerate("abcdefghijkl")])
    assert (tmp_path / "many.png").stat().st_size > 10_000
