"""Lists from files: what their names say, UT1 folders, gzip, and what is no list."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.models.lists.url_lists import check, files_of, kind_of, load
from tests.support import SHARED, needs_shared_data


def everything(kind: str, *files: tuple[str, str], given: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """(list, entry) of all that is loaded."""
    listed = load(kind, (("recipe", given),), files)
    numbers = np.arange(listed.entries.total)
    lists = listed.list_names(numbers).to_pylist()
    entries = listed.entries.names(numbers).to_pylist()
    return list(zip(lists, entries, strict=True))


def written(path: Path, content: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("domains", "domains"),
        ("adult.urls", "urls"),
        ("gambling-hosts", "hosts"),
        ("my.soft_words", "soft_words"),
        ("a/b.subwords", "subwords"),
    ],
)
def test_a_name_says_what_is_listed(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize("name", ["adult", "domains.csv", "mydomains", ""])
def test_a_name_that_does_not_say(name: str) -> None:
    with pytest.raises(InputError, match="must end in what it lists"):
        kind_of(name)


def test_folders_of_ut1_stand_for_their_files(tmp_path: Path) -> None:
    domains = written(tmp_path / "adult" / "domains", "a.com\n")
    urls = written(tmp_path / "adult" / "urls.gz", "b.com/x\n")
    written(tmp_path / "adult" / "usage", "black\n")
    flat = written(tmp_path / "vpn.domains.txt.gz", "c.com\n")
    found = files_of((str(tmp_path / "adult"), flat))
    assert found == {"adult.domains": domains, "adult.urls": urls, "vpn.domains": flat}
    check(found)
    assert files_of(found) == found
    assert files_of(flat) == {"vpn.domains": flat}
    assert files_of(()) == {}


def test_a_folder_of_categories_and_a_glob(tmp_path: Path) -> None:
    adult = written(tmp_path / "adult" / "domains", "a.com\n")
    urls = written(tmp_path / "gambling" / "urls.gz", "b.com/x\n")
    bets = written(tmp_path / "gambling" / "domains", "c.com\n")
    written(tmp_path / "README", "about\n")
    every = {"adult.domains": adult, "gambling.domains": bets, "gambling.urls": urls}
    assert files_of(str(tmp_path)) == every
    assert files_of((f"{tmp_path}/*/domains",)) == {"adult.domains": adult, "gambling.domains": bets}
    assert files_of((f"{tmp_path}/*/*", str(tmp_path / "adult"))) == every


def test_folders_and_globs_without_a_list(tmp_path: Path) -> None:
    written(tmp_path / "adult" / "usage", "black\n")
    with pytest.raises(InputError, match=r"no list among the 1 files of .*adult: none is called domains, hosts"):
        files_of(str(tmp_path / "adult"))
    with pytest.raises(InputError, match=r"no list at .*domains; give the path or URI of a file or folder, or a glob"):
        files_of(f"{tmp_path}/*/domains")


def test_paths_that_cannot_be_lists(tmp_path: Path) -> None:
    one, other = (written(tmp_path / folder / "vpn.domains", "a.com\n") for folder in ("a", "b"))
    with pytest.raises(InputError, match="have the same name"):
        files_of((one, other))
    assert files_of({"a.domains": one, "b.domains": other}) == {"a.domains": one, "b.domains": other}
    with pytest.raises(InputError, match="no list at"):
        check({"a.domains": str(tmp_path / "missing.domains")})


def test_entries_are_as_they_are_looked_up(tmp_path: Path) -> None:
    hosts = written(tmp_path / "hosts", "0.0.0.0 www.A.com b.com\n127.0.0.1 localhost\n")
    assert everything("hosts", ("file.hosts", hosts), given=("http://C.com:80/",)) == [
        ("recipe", "c.com"),
        ("file.hosts", "a.com"),
        ("file.hosts", "b.com"),
    ]
    assert everything("domains", given=(".a.com.", "www.b.com", "XXX", "bücher.de")) == [
        ("recipe", one) for one in ("a.com", "www.b.com", "xxx", "xn--bcher-kva.de")
    ]
    assert everything("urls", given=("www.a.com/X/", "https://b.com:8080/%7Ey?z")) == [
        ("recipe", "a.com/X"),
        ("recipe", "b.com/~y?z"),
    ]
    assert everything("words", given=("# a comment", "#Two words", "été")) == [
        ("recipe", "twowords"),
        ("recipe", "été"),
    ]
    assert everything("expressions", given=("a[0-9]+", "# b")) == [("recipe", "a[0-9]+")]


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "domains"
    path.write_bytes(gzip.compress(b"a.com\n"))
    assert everything("domains", ("a.domains", str(path))) == [("a.domains", "a.com")]


def test_an_empty_file_lists_nothing(tmp_path: Path) -> None:
    assert everything("domains", ("a.domains", written(tmp_path / "domains", "# nothing yet\n"))) == []


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        pytest.param("domains", b"<html>\n", "lists no domains", id="no domain in it"),
        pytest.param("domains", b"a.com/x\nb.com##.banner\n", "lists no domains", id="a page is no domain"),
        pytest.param("urls", b"hello\nworld\n", "lists no urls", id="no URL in it"),
        pytest.param("hosts", b"\x1f\x8bbroken", "not a whole gzip", id="broken gzip"),
        pytest.param("expressions", b"(\n", "no regular expression", id="no expression"),
        pytest.param("expressions", b"(?=a)b\n", "no regular expression", id="no expression of RE2"),
        pytest.param("words", b"--\n", "too short", id="no letter in a word"),
        pytest.param("subwords", b"ab\n", "too short", id="two letters are too few for a subword"),
    ],
)
def test_files_that_are_no_list(tmp_path: Path, kind: str, content: bytes, message: str) -> None:
    (tmp_path / kind).write_bytes(content)
    with pytest.raises(InputError, match=message):
        everything(kind, (kind, str(tmp_path / kind)))


@needs_shared_data
def test_published_lists_load_whole() -> None:
    listed = load("domains", (), tuple(files_of(str(SHARED / "lists/ut1/gambling.domains.txt.gz")).items()))
    names = listed.entries.names(np.arange(listed.entries.total)).to_pylist()
    with gzip.open(SHARED / "lists/ut1/gambling.domains.txt.gz", "rt") as lines:
        assert names == [line.strip() for line in lines if line.strip()]
    hosts = load("hosts", (), tuple(files_of(str(SHARED / "lists/hosts/snuff-hosts.txt.gz")).items()))
    assert "bestgore.com" in hosts.entries.names(np.arange(hosts.entries.total)).to_pylist()
