"""The user's files of terms: the hosts that they are about, and files that are refused."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.preferences.rsl_files import load
from curation.text.urls.parse import parse_urls
from tests.curation.models.preferences.test_rsl import content, payment, prohibits, rsl


def test_terms_by_host(tmp_path: Path) -> None:
    one, other = tmp_path / "one.xml", tmp_path / "other.xml"
    one.write_bytes(rsl(content(prohibits("all"), url="https://a.example/*"), content("", url="https://b.example/")))
    other.write_bytes(rsl(content(payment("use"), url="https://B.example/x")))
    files = load((str(one), str(other)))
    urls = parse_urls(pa.array(["https://b.example/", "https://a.example/b", "https://www.a.example/", None]))
    assert files.numbers(urls).tolist() == [1, 0, -1, -1]
    assert files.terms[1] == (
        (str(one), (("https://b.example/", "permitted"),)),
        (str(other), (("https://B.example/x", "paid"),)),
    )


@pytest.mark.parametrize(
    ("file", "message"),
    [
        pytest.param(b"<html/>", "holds no terms in RSL", id="another language"),
        pytest.param(rsl(), "holds no terms in RSL", id="no terms"),
        pytest.param(rsl(content("", url="/a")), "/a, which names no host", id="no host"),
        pytest.param(rsl(content("", url="https://*.a.example/")), "names no host", id="many hosts"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, file: bytes, message: str) -> None:
    path = tmp_path / "rsl.xml"
    path.write_bytes(file)
    load.cache_clear()
    with pytest.raises(InputError, match=message):
        load((str(path),))
