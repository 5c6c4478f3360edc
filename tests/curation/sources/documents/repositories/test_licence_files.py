"""The nearest licence file of a path."""

from types import SimpleNamespace

import pytest

from curation.sources.documents.repositories import licence_files
from curation.sources.documents.repositories.licence_files import NearestLicences


@pytest.mark.parametrize(
    ("path", "licence"),
    [
        pytest.param("a.py", "MIT", id="the root's"),
        pytest.param("lib/a.py", "ISC", id="of its folder"),
        pytest.param("lib/deep/er/a.py", "ISC", id="of a folder above"),
        pytest.param("bil/a.py", "MIT", id="of another folder with as long a name"),
        pytest.param("library/a.py", "MIT", id="of a folder with a longer name"),
        pytest.param("lib/" * 1_000_000 + "a.py", "ISC", id="very deep"),
        pytest.param("x/" * 1_000_000 + "a.py", "MIT", id="very deep, up to the root"),
    ],
)
def test_the_nearest_one_holds(path: str, licence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licence_files, "licence_of_text", bytes.decode)
    assert NearestLicences([("LICENSE", b"MIT"), ("lib/COPYING", b"ISC")]).of(path) == licence


def test_a_licence_that_two_files_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licence_files, "licence_of_text", bytes.decode)
    files = [("MIT-LICENSE", b"MIT"), ("COPYING", b"ISC AND MIT"), ("LICENSE.txt", b"MIT")]
    assert all(licence_files.is_licence_file(path) for path, _ in files)
    assert NearestLicences(files).of("a.py") == "ISC AND MIT"


def test_the_notice_in_the_text_of_a_licence_grants_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [SimpleNamespace(id=name) for name in ("GPL-3.0-or-later", "GPL-3.0")]
    monkeypatch.setattr("licenseclassifier.identify_license", lambda text: found)
    assert licence_files.licence_of_text(b"any text") == "GPL-3.0"
