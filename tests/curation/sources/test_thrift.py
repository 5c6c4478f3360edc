"""Numbers of structs in Thrift's compact protocol, spelt by hand."""

import pytest

from curation.sources.thrift import ThriftError, read_numbers

# Field 1 is the number 300, field 2 true, field 3 the bytes "ab", field 5 a struct whose field 1 is -1 …
STRUCT = b"\x15\xd8\x04\x11\x18\x02ab\x2c\x15\x01\x00"
# … field 6 a list of two structs, whose field 2 is 1 and 2, and field 40 a list of two booleans.
LISTS = b"\x19\x2c\x25\x02\x00\x25\x04\x00\x09\x50\x22\x01\x02\x00"


def found(data: bytes, *paths: tuple[int, ...]) -> list[tuple[int, int]]:
    numbers = read_numbers(data, paths)
    return list(zip(numbers.path.tolist(), numbers.value.tolist(), strict=True))


def test_numbers_by_path() -> None:
    assert found(STRUCT + LISTS, (1,), (5, 1), (6, 2)) == [(0, 300), (1, -1), (2, 1), (2, 2)]
    assert found(STRUCT + LISTS, (5,), (6,)) == [(0, 0), (1, 0), (1, 0)], "where structs begin"
    assert found(STRUCT + LISTS, (2,), (3,), (40,), (7,)) == []


def test_where_it_ends() -> None:
    assert read_numbers(STRUCT + LISTS + b"more", ()).end == len(STRUCT + LISTS)


@pytest.mark.parametrize("size", range(len(STRUCT + LISTS)))
def test_bytes_that_end_too_early(size: int) -> None:
    with pytest.raises(EOFError):
        read_numbers((STRUCT + LISTS)[:size], ((1,),))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x1d\x00", id="a type that there is not"),
        pytest.param(b"\x15" + b"\xff" * 11 + b"\x00", id="a number of 77 bits"),
        pytest.param(b"\x1c" * 20, id="structs in structs in structs"),
        pytest.param(b"\x19" * 40, id="lists in lists in lists"),
    ],
)
def test_damage(data: bytes) -> None:
    with pytest.raises(ThriftError):
        read_numbers(data, ())


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff\x07", b"\xff" * 9 + b"\x01"])
def test_sizes_out_of_thin_air(size: bytes) -> None:
    for value in (b"\x18" + size + b"ab\x00", b"\x19\xfc" + size + b"\x00\x00"):
        with pytest.raises((EOFError, ThriftError)):
            read_numbers(value, ())
