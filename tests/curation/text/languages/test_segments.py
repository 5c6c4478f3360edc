"""Words of scripts without blanks are cut; all other texts, and all other characters, are as they were."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.languages.segments import library_of, segmented, worded


def cut(*texts: str) -> list[str]:
    found: list[str] = segmented(pa.array(texts, pa.large_string())).to_pylist()
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("我们在北京学习。", "我们 在 北京 学习。", id="Chinese"),
        pytest.param("東京に住んでいます。", "東京 に 住 んで い ます。", id="Japanese"),
        pytest.param("ภาษาไทยง่าย", "ภาษา ไทย ง่าย", id="Thai"),
        pytest.param("ខ្ញុំស្រឡាញ់ភាសា", "ខ្ញុំ ស្រឡាញ់ ភាសា", id="Khmer"),
        pytest.param("ພາສາລາວ", "ພາສາ ລາວ", id="Lao"),
        pytest.param("မြန်မာစကား", "မြန်မာ စကား", id="Burmese"),
        pytest.param("他说（你好），再见", "他 说（ 你好）， 再见", id="marks stay with the word before"),
        pytest.param("2024年用Python写", "2024 年 用 Python 写", id="numbers and other scripts beside"),
        pytest.param("e-mail a.b/c don't 3.5", "e-mail a.b/c don't 3.5", id="no such script"),
        pytest.param("世界 e-mail\n世界", "世界 e-mail\n世界", id="blanks that are there"),
        pytest.param("한국어를 배운다", "한국어를 배운다", id="Korean has blanks"),
        pytest.param("", "", id="empty"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert cut(text) == [expected]


@given(st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("的在。，กาพา あア漢字\n 　ab1")), max_size=4))
def test_only_blanks_are_added_and_neighbours_change_nothing(texts: list[str]) -> None:
    found = cut(*texts)
    assert [one.replace(" ", "") for one in found] == [one.replace(" ", "") for one in texts]
    assert found == [cut(one)[0] for one in texts]


def test_slices_and_nulls() -> None:
    array = pa.array(["x", "我在家", None, "我在家"], pa.string())
    assert segmented(array.slice(1)).to_pylist() == ["我在 家", "", "我在 家"]


def test_only_segments_need_the_library() -> None:
    array = pa.array(["我在家"])
    assert worded(array, "blanks") is array
    assert worded(array, "segments").to_pylist() == ["我在 家"]
    assert (library_of("blanks"), library_of("segments")) == ((), ("icu4py",))
