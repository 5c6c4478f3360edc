"""Links that show no text: files by any name, and categories."""

import pytest

from curation.sources.documents.mediawiki.links import is_left_out
from curation.sources.documents.mediawiki.local_names import CATEGORIES, REDIRECTS, file_names


@pytest.mark.parametrize(
    ("target", "label", "left_out"),
    [
        ("Datei:A", "", True),
        ("bild : A.jpg", "mini|200px|b", True),
        ("IMAGE:A", "b", True),
        ("Immagine:A.JPG", "b", True),
        ("Файл:A.svg", "", True),
        ("Immagine:A", "b", False),
        ("A.jpg", "b", False),
        ("A", "miniatur|left|b", True),
        ("A", "verkleinert=b.jpg|thumb=c|d", True),
        ("A", "b|c", False),
        ("Kategorie:A", "", True),
        ("Категория:A", "b", True),
        ("分类:A", "", True),
        (":Datei:A.jpg", "", False),
        (":Kategorie:A", "", False),
        ("Media:A.ogg", "listen", False),
        ("commons:File:A.jpg", "b", False),
        ("Wort: ein Buch", "b", False),
    ],
)
def test_links_that_show_no_text(target: str, label: str, left_out: bool) -> None:
    assert is_left_out(target, label, file_names("de")) == left_out


def test_names_are_those_of_the_language() -> None:
    assert file_names("it") == {"file", "image", "immagine"}
    assert file_names("zh-hans") >= {"文件", "图像", "image"}
    assert file_names("pt-br") == {"file", "image", "ficheiro", "arquivo", "imagem"}
    assert file_names("xx") == {"file", "image"}
    assert {"category", "kategorie", "thể loại", "分類"} <= CATEGORIES
    assert {"redirect", "weiterleitung", "перенаправление", "重定向"} <= REDIRECTS
