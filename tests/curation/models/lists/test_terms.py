from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.lists.terms import read_terms


def test_terms_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "terms"
    file.write_bytes("\ufeffdrei\n\n# a remark\n#1 fan\n  \r\nein Wort\r\neins".encode())
    assert read_terms(str(file)) == ("drei", "#1 fan", "ein Wort", "eins")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no list of terms at"), (b"", "holds no term"), (b"# none\n \n", "holds no term"), (b"a\n\xff", "byte 2")],
)
def test_what_is_no_list(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "terms"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_terms(str(file))
