"""Unicode text for the kernels' tests: every kind of whitespace, scripts, marks and planes, and plain words."""

import pyarrow as pa
import regex
from hypothesis import strategies as st

ODD = (
    " \t\n\r\v\f\0\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\ufeff\u200b"
    "aZé\u0301ßİΣςאب中。…•-*#.१Ⅷ²😀𝔘\U000e0041"
)

texts = st.one_of(
    st.text(st.sampled_from(ODD), max_size=60),
    st.text(max_size=40),
    st.lists(st.sampled_from(["the", "The", "cat", "…", "a", "\n", "\n\n", " ", "中文", "#"]), max_size=40).map(
        " ".join
    ),
)
_INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}\u2800]+")


def visible(text: str) -> bool:
    """Whether anything of a text can be seen."""
    return not all(char.isspace() or _INVISIBLE.match(char) for char in text)


def words_of(text: str | None) -> list[str]:
    """The words of a text that can be seen."""
    return [word for word in (text or "").split() if visible(word)]


def trimmed(text: str) -> str:
    """A text without the whitespace around it; nothing of one that cannot be seen."""
    return text.strip() if visible(text) else ""


def emptied(text: str) -> str:
    """A text whose lines of invisible characters are empty."""
    return "\n".join("" if _INVISIBLE.fullmatch(line) else line for line in text.split("\n"))


batches = st.lists(st.one_of(texts, st.none()), max_size=6)
garbage = st.lists(st.binary(max_size=30), max_size=6)


def sliced(values: list[str | None]) -> pa.Array:
    """The values as a large_string array that neither begins nor ends where its buffers do."""
    return pa.array(["before ", *values, " after"], pa.large_string()).slice(1, len(values))


def as_text(values: list[bytes]) -> pa.Array:
    """large_string that may hold bytes which are no UTF-8."""
    return pa.array(values, pa.large_binary()).view(pa.large_string())


# Runs longer than the 64 bytes that a kernel looks at together, and than the 2,048 whose words it holds at a time.
long_texts = st.lists(
    st.tuples(
        st.sampled_from([*"ax \n.…é中😀", "\u3000", "\u2028", "ab ", "the ", "一。", "x\n"]),
        st.sampled_from([1, 2, 3, 21, 62, 63, 64, 65, 127, 700, 2047, 2048]),
    ).map(lambda run: run[0] * run[1]),
    max_size=6,
).map("".join)
long_batches = st.lists(st.one_of(long_texts, texts), max_size=4)
