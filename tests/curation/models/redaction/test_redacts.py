"""Values found become placeholders, surrogates or nothing, by kind."""

import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import InputError, RecipeError
from curation.core.storage_options import Secret
from curation.engine.recipe.assets import address_config
from curation.models.redaction.redacts import Redacts
from curation.text.edits.redaction import SPANS
from tests.support import documents

PATTERNS: Mapping[str, bytes] = {"email": rb"[a-z.]+@[a-z]+\.[a-z]+", "code": rb"[A-Z]{4}[0-9]{12}"}
TEXT = "né: a.b@acme.com, CODE123456789012, a.b@acme.com"


@dataclass(frozen=True, kw_only=True)
class Sought(Redacts):
    """Finds two kinds by plain patterns."""

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def kinds(self) -> tuple[str, ...]:
        return tuple(PATTERNS)

    def find(self, batch: pa.RecordBatch) -> pa.Array:
        return pa.array([self._spans(text or "") for text in batch.column("text").to_pylist()], SPANS)

    def _spans(self, text: str) -> list[dict[str, Any]]:
        found = [
            {"kind": kind, "start": match.start(), "end": match.end(), "score": 1.0}
            for kind, pattern in PATTERNS.items()
            for match in re.finditer(pattern, text.encode())
        ]
        return sorted(found, key=lambda span: span["start"])


@pytest.fixture
def place(tmp_path: Path) -> Secret:
    file = tmp_path / "key"
    file.touch(mode=0o600)
    file.write_text("correct horse battery staple")
    return Secret(file=str(file))


def redacted(sought: Redacts, *texts: str | None) -> list[str]:
    made: list[str] = sought.rewrite(documents(*texts))[0].to_pylist()
    return made


def test_placeholders_counts_and_spans_of_the_old_text() -> None:
    text, columns = Sought().rewrite(documents(TEXT, None, "nothing"))
    assert text.to_pylist() == ["né: <EMAIL>, <CODE>, <EMAIL>", "", "nothing"]
    assert text.type == pa.large_string()
    assert columns["email"].to_pylist() == [2, 0, 0]
    assert columns["code"].to_pylist() == [1, 0, 0]
    spans = [(span["kind"], span["start"], span["end"]) for span in columns["spans"][0].as_py()]
    assert spans == [("email", 5, 17), ("code", 19, 35), ("email", 37, 49)]
    assert columns["spans"].to_pylist()[1:] == [[], []]


def test_each_kind_has_its_action(place: Secret) -> None:
    assert redacted(Sought(actions={"code": "remove"}), TEXT) == ["né: <EMAIL>, , <EMAIL>"]
    (made,) = redacted(Sought(action="remove", actions={"email": "surrogate"}, key=place, key_id="1"), TEXT)
    assert re.fullmatch(r"né: ([a-z]\.[a-z]{9}@example\.com), , \1", made)


def test_the_same_value_has_the_same_surrogate_in_every_batch(place: Secret) -> None:
    sought = Sought(action="surrogate", key=place, key_id="1")
    together = redacted(sought, TEXT, "CODE123456789012 by a.b@acme.com")
    email, code = re.split(" by |, ", together[1])[::-1]
    assert together[0] == f"né: {email}, {code}, {email}"
    assert redacted(sought, TEXT) == together[:1]
    assert redacted(pickle.loads(pickle.dumps(sought)), TEXT) == together[:1]


def test_another_key_gives_other_surrogates(place: Secret, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDACTION_KEY", "another battery, another staple")
    one = Sought(action="surrogate", key=place, key_id="1")
    other = Sought(action="surrogate", key=Secret(env="REDACTION_KEY"), key_id="2")
    assert redacted(one, TEXT) != redacted(other, TEXT)


PIECES = st.lists(st.sampled_from(["a.b@acme.com", "CODE123456789012", " ", "é", "a", "@", "."]), max_size=8)


@given(texts=st.lists(PIECES.map("".join), min_size=1, max_size=4))
def test_a_second_run_changes_no_placeholder(texts: list[str]) -> None:
    once = redacted(Sought(), *texts)
    assert redacted(Sought(), *once) == once


def test_a_second_run_changes_no_surrogate(place: Secret) -> None:
    sought = Sought(action="surrogate", key=place, key_id="1")
    once = redacted(sought, TEXT)
    assert redacted(sought, *once) == once


def test_the_address_holds_the_name_of_the_key_alone(place: Secret) -> None:
    moved = Secret(env="ELSEWHERE")
    configs = [
        address_config((("sought", Sought(action="surrogate", key=key, key_id="spring")),)) for key in (place, moved)
    ]
    assert configs[0] == configs[1] == {"sought": {"action": "surrogate", "actions": {}, "key_id": "spring"}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"action": "surrogate"}, "surrogates depend on a key: give key", id="no key"),
        pytest.param({"actions": {"email": "surrogate"}}, "surrogates depend on a key", id="no key for one kind"),
        pytest.param({"action": "surrogate", "key": Secret(env="X")}, "and key_id", id="a key without a name"),
        pytest.param({"key": Secret(env="X"), "key_id": "1"}, "have an effect only on surrogates", id="idle key"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Sought(**options)


def test_an_unknown_kind() -> None:
    Sought(actions={"email": "remove"}).check_actions()
    with pytest.raises(RecipeError, match="actions: no kind 'e_mail'; did you mean 'email'"):
        Sought(actions={"e_mail": "remove"}).check_actions()


def test_a_missing_key_is_told_before_it_is_used(place: Secret) -> None:
    Sought().check_key()
    Sought(action="surrogate", key=place, key_id="1").check_key()
    with pytest.raises(InputError, match=r"^key: no file /no/such/key"):
        Sought(action="surrogate", key=Secret(file="/no/such/key"), key_id="1").check_key()
