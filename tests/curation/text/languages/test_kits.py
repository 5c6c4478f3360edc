"""Kits are read with every mistake named by file and key; the shipped ones cover what they promise."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.core.languages import NAMES
from curation.text.languages.kits import SHIPPED, kits


def write(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return str(folder)


def test_the_shipped_kits_cover_twenty_languages_in_six_scripts() -> None:
    shipped = kits(SHIPPED)
    assert len(shipped.by_language) >= 20
    scripts = {kit.script for own in shipped.by_language.values() for kit, _ in own}
    assert len(scripts) >= 6
    assert all(len(script) == 4 for script in scripts)
    assert {"en", "de", "ru", "el", "ar", "he", "hi", "th", "zh", "ja", "ko"} <= shipped.by_language.keys()
    assert [kit.languages for kit, _ in shipped.others] == [()]


def test_all_but_english_have_stop_words_of_their_own() -> None:
    few = {"en", "lo", "my"}  # English has the paper's; of the others there is too little text
    english = {"the", "be", "to", "of", "and", "that", "have", "with"}
    for language, ((kit, _),) in kits(SHIPPED).by_language.items():
        words = kit.options.get("gopher_quality", {}).get("stop_words", [])
        assert (len({*words}) >= 10) == (len(words) >= 10) == (language not in few), language
        assert len(english & {*words}) <= 2, language  # such as Danish "of" or Dutch "have"
        assert all(isinstance(word, str) and word == word.lower() for word in words), language


def test_a_folder_goes_before_the_shipped_kits(tmp_path: Path) -> None:
    name = write(tmp_path, de="languages: [de]\noptions: {gopher_quality: {min_words: 7}}", xx="languages: [xx, yy]")
    found = kits(name)
    assert [file.name for _, file in found.by_language["de"]][1:] == [str(tmp_path / "de.yaml")]
    assert [kit.options for kit, _ in found.by_language["xx"]] == [{}]
    assert found.by_language["fr"] == kits(SHIPPED).by_language["fr"]
    assert found.has("gopher_quality")
    assert not found.has("perplexity")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({}, "no kits in .*: expected shipped, or a folder of files such as de.yaml", id="no files"),
        pytest.param({"de": "languages: ["}, r"de.yaml:1: not valid YAML", id="no YAML"),
        pytest.param({"de": "language: [de]"}, r"de.yaml:1: .*unknown option 'language'", id="unknown key"),
        pytest.param({"de": "script: Latn"}, r"de.yaml:1: languages: expected", id="no language"),
        pytest.param({"others": "languages: [de]"}, r"others.yaml:1: languages: expected none", id="others of one"),
        pytest.param(
            {"a": "languages: [de]", "b": "languages: [fr, de]"}, r"b.yaml:1: languages: de has a kit in", id="two"
        ),
        pytest.param({"de": "languages: [de]\noptions: [1]"}, r"de.yaml:2: options: expected", id="no mapping"),
    ],
)
def test_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        kits(write(tmp_path, **files))


def test_labels_are_those_of_the_language_filter() -> None:
    more = {"wuu", "yue", "bn", "km", "lo", "my"}  # without a name of their own in the list of guesses
    assert kits(SHIPPED).by_language.keys() <= NAMES.keys() | more
