"""Members of tar archives: what is read of them, what is passed over and counted, and what is damage."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from curation.core.names import MAX_NAME
from curation.core.protocols import ReadTally
from curation.sources.tar_members import MAX_HEAD, TarDamageError, TarMembers
from curation.sources.tars import TarText, tar_texts

END = bytes(1024)


def member(
    name: str | bytes, content: bytes = b"", kind: bytes = b"0", size: int | None = None, **more: bytes
) -> bytes:
    """A member with its content, as POSIX writes it; `more` has bytes of the header by place, as `at_482`."""
    head = bytearray(512)
    name = name.encode() if isinstance(name, str) else name
    stated = len(content) if size is None else size
    places = {
        "at_0": name,
        "at_100": b"0000644\0",
        "at_136": b"00000001750\0",
        "at_156": kind,
        "at_257": b"ustar\x0000",
    }
    for place, value in {**places, "at_124": b"%011o\0" % stated, **more}.items():
        at = int(place.removeprefix("at_"))
        head[at : at + len(value)] = value
    head[148:156] = b"%06o\0 " % (sum(head) + 8 * 32)
    return bytes(head) + content + bytes(-len(content) % 512)


def attributes(**stated: bytes) -> bytes:
    """The head of pax before a member."""
    lines = b""
    for name, value in stated.items():
        rest = b" " + name.replace("_", ".").encode() + b"=" + value + b"\n"
        length = len(rest) + 1
        while len(str(length)) + len(rest) != length:
            length += 1
        lines += str(length).encode() + rest
    return member("pax", lines, b"x")


def read(path: Path, content: bytes, most: int = 1 << 20) -> tuple[list[TarText], dict[str, int], list[str]]:
    path.write_bytes(content)
    tally = ReadTally()
    texts = list(tar_texts(str(path), tally, most))
    return texts, dict(tally.records), [str(fault["error"]) for fault in tally.faults]


LAST = member("last", b"end") + END
HOLES = b"".join(b"%011o\0%011o\0" % (at << 20, 1) for at in range(21)) + b"\1" + bytes(7)


@pytest.mark.parametrize(
    ("content", "counted"),
    [
        pytest.param(member("a", b"x", b"S", at_483=b"%011o\0" % (250 << 20)), {"skipped.sparse": 1}, id="GNU's holes"),
        pytest.param(
            member("a", b"", b"S", size=5, at_482=b"\1") + HOLES + HOLES[:504] + bytes(8) + b"hello" + bytes(507),
            {"skipped.sparse": 1},
            id="a long map of holes",
        ),
        pytest.param(
            attributes(GNU_sparse_major=b"1", GNU_sparse_realsize=b"9" * 12) + member("a", b"9" * 600),
            {"skipped.sparse": 1},
            id="holes by attributes, a map without line breaks",
        ),
        pytest.param(member("f/", kind=b"5") * 1000, {}, id="folders"),
        pytest.param(member("f/", b"a\0b\0", b"D") + member("f/", kind=b"\0"), {}, id="folders of other kinds"),
        pytest.param(
            member("f", kind=b"5", size=1 << 30) + member("g", kind=b"2", size=1 << 30),
            {"skipped.not_a_file": 1},
            id="a folder and a link that state a size",
        ),
        pytest.param(member("f", b"data", b"V"), {"skipped.not_a_file": 1}, id="an unknown kind has content"),
        pytest.param(
            member("n", b"n" * (MAX_NAME + 1) + b"\0", b"L") + member("a", b"x"),
            {"skipped.long_name": 1},
            id="a long name",
        ),
        pytest.param(
            attributes(path=b"n" * (MAX_NAME + 1)) + member("a", b"x"), {"skipped.long_name": 1}, id="by an attribute"
        ),
        pytest.param(
            member("n", bytes(MAX_HEAD + 1), b"L") + member("a", b"x"), {"skipped.long_name": 1}, id="not even held"
        ),
        pytest.param(
            member("n", b"x" * 3_000_000, b"K") + member("a", kind=b"1"), {"skipped.not_a_file": 1}, id="a link"
        ),
    ],
)
def test_what_is_passed_over(tmp_path: Path, content: bytes, counted: dict[str, int]) -> None:
    assert read(tmp_path / "x.tar", content + LAST) == ([TarText("last", b"end")], counted, [])


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(member("a"), "a", id="name"),
        pytest.param(member("b", at_345=b"x/y"), "x/y/b", id="prefix"),
        pytest.param(member("a", at_257=b"ustar  \0", at_345=b"15302433576"), "a", id="a time in GNU's format"),
        pytest.param(
            member("a", at_345=b"d" * 131 + b"15302433576 ", at_508=b"tar\0"), "d" * 131 + "/a", id="a time in star's"
        ),
        pytest.param(member("n", b"long\0", b"L") + member("a"), "long", id="GNU's long name"),
        pytest.param(
            member("n", b"d/" * 50 + b"f\0", b"L") + member("d/" * 50, kind=b"\0"),
            "d/" * 50 + "f",
            id="a long name that is cut after a folder",
        ),
        pytest.param(member("old", at_257=bytes(8)), "old", id="without a mark"),
        pytest.param(member("n", b"n" * MAX_NAME, b"L") + member("a"), "n" * MAX_NAME, id="the longest"),
        pytest.param(attributes(path="é".encode()) + member("a"), "é", id="attribute"),
        pytest.param(attributes(path=b"\xe9") + member("a"), r"\xe9", id="attribute that is not UTF-8"),
        pytest.param(member(b"caf\xe9.txt"), r"caf\xe9.txt", id="Latin-1"),
        pytest.param(member(rb"caf\xe9.txt"), r"caf\x5cxe9.txt", id="an escape in a name"),
    ],
)
def test_names(tmp_path: Path, content: bytes, name: str) -> None:
    assert read(tmp_path / "x.tar", content + END) == ([TarText(name, b"")], {}, [])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(member("a", b"x")[:-100], "unexpected end of data", id="cut in the content"),
        pytest.param(member("a", b"x") + b"rest", "truncated header", id="cut in a header"),
        pytest.param(member("a") + b"x" * 512 + LAST, "bad checksum", id="no header"),
        pytest.param(member("a") + LAST.replace(b"last", b"lost"), "bad checksum", id="a damaged header"),
        pytest.param(member("a") + member("b", at_124=b"\xff" * 12), "a member of -1 bytes", id="a negative size"),
        pytest.param(member("a") + member("b", size=7 << 30), "unexpected end of data", id="a size that is not there"),
        pytest.param(member("a") + attributes(size=b"x") + LAST, "invalid size", id="a size that is none"),
        pytest.param(
            member("a") + END + member("b") + END,
            "more follows its end; where archives were joined, give each one by itself",
            id="two archives in one",
        ),
        pytest.param(
            member("a") + member("n", b"x", b"L"), "it ends before a member whose attributes it has", id="a head"
        ),
    ],
)
def test_damage_is_told_and_what_is_before_it_is_read(tmp_path: Path, content: bytes, error: str) -> None:
    texts, counted, faults = read(tmp_path / "x.tar", content)
    assert ([text.name for text in texts][:1], counted) == (["a"], {})
    assert faults == [f"damaged tar archive {tmp_path / 'x.tar'}: {error}"]


@pytest.mark.timeout(20)
def test_attributes_whose_lengths_are_false_take_linear_time() -> None:
    lies = member("x", b"5 5 5" * 200_000 + b"=", b"x") + member("a")
    other = member("x", b"9 " * 500_000, b"x") + member("b")
    assert [one.name for one in TarMembers(io.BytesIO((lies + other) * 2 + END))] == ["a", "b"] * 2
    with pytest.raises(TarDamageError, match="invalid attributes"):
        list(TarMembers(io.BytesIO(member("x", b"0 a=b\n", b"x") + member("a"))))


def test_what_tarfile_writes(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "é"}) as archive:
        info = tarfile.TarInfo("d/" + "é" * 300)
        info.size = 3
        info.mtime = 1_600_000_000
        archive.addfile(info, io.BytesIO(b"abc"))
    found = TarMembers(io.BytesIO(out.getvalue()))
    (one,) = found
    assert (one, found.comment) == (("d/" + "é" * 300, "file", 3, 1_600_000_000), "é")


def test_archives_that_are_packed_again_and_again_give_no_more_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.sources.inflation.FREE", 10 << 20)
    inner = gzip.compress(member("zeros", bytes(4 << 20)) + END)
    middle = gzip.compress(member("a.tar.gz", inner) * 200 + END)
    outer = gzip.compress(member("b.tar.gz", middle) * 200 + LAST)
    assert len(outer) < 4000
    texts, _, faults = read(tmp_path / "x.tar.gz", outer, most=1 << 20)
    assert 0 < len(texts) <= 4
    assert {text.content for text in texts} == {None}
    assert "gives over 250 times its bytes" in faults[0]
