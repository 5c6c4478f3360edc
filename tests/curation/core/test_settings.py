"""Every mistake in a YAML file is named with file, line and what would be right."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from curation.core import settings
from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.core.settings import build, load_yaml
from tests.support import table


@dataclass(frozen=True, kw_only=True)
class Inner:
    limit: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Outer:
    words: int
    names: tuple[str, ...] = ()
    inner: Inner = field(default_factory=Inner)
    form: Literal["NFC"] | Literal["none"] = "NFC"
    files: str | dict[str, str] = ""
    maybe: Inner | None = None
    several: tuple[Inner, ...] = ()

    def __post_init__(self) -> None:
        if self.words < 0:
            raise ValueError(f"words must be 0 or more, got {self.words}")


def made(text: str) -> Outer:
    return build(Outer, load_yaml(text, "a.yaml"))


def test_values_defaults_and_nesting() -> None:
    assert made("words: 3\nnames: [a, b]\ninner: {limit: 2}") == Outer(
        words=3, names=("a", "b"), inner=Inner(limit=2.0)
    )
    assert made("words: 3\ninner:") == Outer(words=3)
    assert made("words: 3\nmaybe: {limit: 2}").maybe == Inner(limit=2.0)
    assert made("words: 3\nmaybe: null").maybe is None
    assert made("words: 3\nseveral: [{limit: 2}, {}]").several == (Inner(limit=2.0), Inner())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("words: 1\nwrds: 2", "a.yaml:2: wrds: unknown option 'wrds'; did you mean 'words'?", id="unknown"),
        pytest.param(
            "words: 1\ninner:\n  limt: 2", "a.yaml:3: inner.limt: unknown option 'limt'; did you", id="nested"
        ),
        pytest.param(
            "words: 1\nmaybe: {limt: 2}", "a.yaml:2: maybe.limt: unknown option 'limt'; did you", id="nested, if given"
        ),
        pytest.param(
            "words: 1\nseveral:\n  - limit: 2\n  - limt: 2",
            "a.yaml:4: several.1.limt: unknown option 'limt'; did you",
            id="nested in a list",
        ),
        pytest.param("words: 1\nseveral: {limit: 2}", "a.yaml:2: several: expected a list", id="no list"),
        pytest.param("names: [a]", "a.yaml:1: words must be given", id="missing"),
        pytest.param("words: '5'", "a.yaml:1: words: expected a whole number, got '5'", id="a string"),
        pytest.param("words: 1.5", "a.yaml:1: words: expected a whole number, got 1.5", id="a fraction"),
        pytest.param("words: 1\nnames: [a, 3]", "a.yaml:2: names.1: expected text, got 3: put it in quotes", id="item"),
        pytest.param(
            "words: 1\nnames: [no]",
            "a.yaml:2: names.0: expected text, got false (YAML reads no, off, yes and on so): put it in quotes",
            id="a truth value in a list",
        ),
        pytest.param("words: 1\nnames: en", "a.yaml:2: names: expected a list, got 'en': write ['en']", id="no list"),
        pytest.param("words: null", "a.yaml:1: words: expected a whole number, got null", id="nothing"),
        pytest.param("words: 1\nform: NFX", "a.yaml:2: form: expected 'NFC' or 'none', got 'NFX'", id="a choice"),
        pytest.param(
            "words: 1\nfiles: {a: 3}", "a.yaml:2: files.a: expected text, got 3: put it in quotes", id="in a choice"
        ),
        pytest.param(
            "words: 1\nfiles: 3", "a.yaml:2: files: expected text or `name: value` lines, got 3", id="of no type"
        ),
        pytest.param("words: 1\nwords: 2", "a.yaml:2: 'words' is given twice", id="twice"),
        pytest.param("words: -1", "a.yaml:1: words must be 0 or more, got -1", id="own check"),
        pytest.param("names: [a]\nwords: -1", "a.yaml:2: words must be 0", id="own check that names its option"),
        pytest.param("words: [", "a.yaml:1: not valid YAML", id="no YAML"),
        pytest.param("no: 1", "a.yaml:1: a key 'no' is not text; put it in quotes", id="a key that is a truth value"),
        pytest.param("2024: 1", "a.yaml:1: a key '2024' is not text; put it in quotes", id="a key that is a number"),
        pytest.param("? [a, b]\n: 1", "a.yaml:1: a key is not a word", id="a key that is a list"),
        pytest.param("words: !foo 3", "a.yaml:1: could not determine a constructor", id="an unknown tag"),
        pytest.param(
            "words: 2024-99-99", "a.yaml:1: '2024-99-99' cannot be read: month must be in 1..12", id="no date"
        ),
        pytest.param("words: \0", "a.yaml:1: not valid YAML: ", id="a NUL"),
        pytest.param("- words", "a.yaml:1: expected `key: value` lines", id="a list"),
        pytest.param("words: 1\ninner: 3", "a.yaml:2: inner: expected `option: value` lines, got 3", id="no mapping"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        made(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("written", "number"),
    [("3e-4", 3e-4), ("-1E3", -1000.0), ("+.5e1", 5.0), ("5.e+2", 500.0), ("4.0e-3", 0.004), ("2", 2.0)],
)
def test_numbers_with_a_power_of_ten(written: str, number: float) -> None:
    """As YAML 1.2 and JSON have them; in YAML 1.1 most of these are text."""
    assert made(f"words: 1\ninner: {{limit: {written}}}").inner.limit == number


@pytest.mark.parametrize("text", ["e3", "3e", "1e5x", "0e-f", "'3e-4'"])
def test_text_that_only_resembles_a_number_stays_text(text: str) -> None:
    assert made(f"words: 1\nnames: [{text}]").names == (text.strip("'"),)


def test_nearest_lists_what_is_known_when_nothing_is_close() -> None:
    assert nearest("zzz", ["b", "a"]) == "; known: a, b"
    assert nearest("zzz", []) == ""


NINE = "".join(
    f"{at}: &{at} [{', '.join([f'*{before}'] * 9)}]\n" for before, at in zip("abcdefgh", "bcdefghi", strict=True)
)


@table(
    ("text", "message"),
    {
        "aliases of aliases": (f"a: &a [{'x, ' * 9}]\n{NINE}", "the file has over 100,000 values"),
        "in itself": ("a: &a [*a]", "an alias (*name) is inside the value that it names"),
        "mapping in itself": ("a: &a\n  web: *a", "an alias (*name) is inside the value that it names"),
        "deep": (f"a: {'[' * 3000}{']' * 3000}", "values are nested too deep"),
        "no date": ("words: 1\nnames: 2024-13-45", "a.yaml:2: '2024-13-45' cannot be read: month must be"),
        "30 digits": (f"words: 1\nb: {'9' * 30}", "a.yaml:2: a whole number that needs more than 63"),
        "5000 digits": (f"words: 1\nb: {'9' * 5000}", "a.yaml:2: a number of 5,000 characters"),
        "base 60": (f"words: 1\nb: 1{':1' * 100_000}", "a.yaml:2: a number of 200,001 characters"),
        "a large file": ("# x\n" * 3_000_000, "a.yaml has more than 10 MiB; name many inputs by a pattern"),
        "a long key": (f"? {'k' * 1_000_000}\n: 1", f"a.yaml:1: {'k' * 80}…: unknown option '{'k' * 79}…; known: "),
        "no character": ("words: 1\nb: \0", "a.yaml:2: not valid YAML: the character '\\x00'"),
        "merge": ("words: 1\ninner:\n  <<: {limit: 2}", "a.yaml:3: merging keys with << is not supported"),
        "a power of ten is no whole number": ("words: 1e3", "expected a whole number, got 1000.0"),
    },
)
def test_what_no_recipe_is(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as raised:
        made(text)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 300


def test_a_file_of_too_many_values_is_left_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAX_VALUES", 100)
    values = "1,\n" * 90
    assert len(load_yaml(f"a: [{values}]", "a.yaml").data["a"]) == 90
    with pytest.raises(RecipeError, match=r"^a\.yaml:198: the file has over 100 values"):
        load_yaml(f"a: [{values * 5}] ]", "a.yaml")


def test_a_message_shows_the_beginning_of_a_long_value() -> None:
    with pytest.raises(RecipeError, match=r"got \[0, 1, 2") as raised:
        made(f"words: {list(range(1000))}")
    assert len(str(raised.value)) < 200


def test_aliases_stand_for_their_values() -> None:
    assert made("words: 1\ninner: &one {limit: 2}\nmaybe: *one").maybe == Inner(limit=2.0)
