"""The made-up URLs name the lists' entries."""

from pathlib import Path

import pytest

from benchmarks.parity.addresses import FROM_EACH, entries, odd, plain, table

LISTS = ("block_listed_domains", "block_listed_url", "banned_words", "banned_subwords", "soft_banned_words")


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    for name in LISTS:
        (tmp_path / f"{name}.txt").write_text(f"{name}one.com\n{name}two.com\n")
    return tmp_path


def test_every_list_is_named(lists: Path) -> None:
    urls = [*plain(lists), *odd(lists)]
    for name in LISTS:
        assert any(f"{name}one.com" in url for url in urls)


def test_plain_ones_spell_words_as_the_list_does(lists: Path) -> None:
    assert all(url == url.lower() and "%" not in url for url in plain(lists))


def test_one_row_per_url() -> None:
    assert table(["b", "a", "b"]).to_pydict() == {
        "doc_id": [f"{0:032x}", f"{1:032x}"],
        "url": ["b", "a"],
        "text": ["", ""],
    }


def test_a_long_list_is_thinned(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join(f"{number}.com\n" for number in range(2 * FROM_EACH + 1)))
    assert entries(path)[:2] == ["0.com", "2.com"]
    assert len(entries(path)) == FROM_EACH + 1
