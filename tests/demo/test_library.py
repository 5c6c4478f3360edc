"""How documentation is cut into pages."""

from pathlib import Path

from demo.docstrings import Entry
from demo.library import Article, _cut, _read_group, articles, installed, licences, readmes


def entry(name: str, size: int) -> Entry:
    return Entry("mod", name, "", "x" * size)


def names(*entries: Entry) -> list[str]:
    return [page.name for page in _cut("pkg", "mod", list(entries))]


def test_a_function_with_a_long_text_stands_alone() -> None:
    assert names(entry("", 800), entry("f", 1_600)) == ["mod", "mod.f"]
    assert names(entry("", 800), entry("f", 1_599)) == ["mod"]


def test_methods_stay_with_a_class_that_has_enough_to_say() -> None:
    assert names(entry("C", 10), entry("C.a", 800), entry("C.b", 800)) == ["mod.C"]
    assert names(entry("C", 10), entry("C.a", 800), entry("C.b", 799)) == ["mod"]


def test_a_module_with_little_to_say_has_no_page() -> None:
    assert names(entry("", 400), entry("f", 400)) == ["mod"]
    assert names(entry("", 400), entry("f", 399)) == []


def test_sources_are_read_wherever_they_lie(tmp_path: Path) -> None:
    text = "Words about the lamp. " * 50
    (tmp_path / "__init__.py").write_text(f'"""{text}"""\n', "utf-8")
    (tmp_path / "broken.py").write_text(f'"""{text}"""\ndef (:\n', "utf-8")
    paths = sorted(tmp_path.iterdir())
    assert _read_group(("lamp", (tmp_path, paths))) == [Article("lamp", "", "lamp", f"<p>{text.strip()}</p>")]


def test_packages_that_are_not_installed_are_left_out() -> None:
    assert installed(["python", "no_such_package_here", "click"]) == ["python", "click"]


def test_pages_do_not_depend_on_the_number_of_processes() -> None:
    one = articles(("click", "packaging"), processes=1)
    assert articles(("click", "packaging"), processes=2) == one
    assert [page.package for page in one] == sorted(page.package for page in one)


def test_readmes_and_licences_of_installed_distributions_are_pages() -> None:
    assert "numpy" in {page.name for page in readmes()}
    assert any("Apache License" in page.body for page in licences())
