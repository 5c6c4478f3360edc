"""Keys and tokens become placeholders, surrogates or nothing; everything else stays."""

import re
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.storage_options import Secret
from curation.engine.recipe.assets import address_config, hashes
from curation.rewrite.secrets import Secrets
from tests.support import documents

AWS = "AKIAZ7QX2M4WTB6PKD3H"
TEXT = f"é id={AWS}; url=https://ann:Qx7!rz@db.test/"
RULES = "[[rules]]\nid='acme-key'\nregex='acme_[a-z]{6}'\nkeywords=['acme_']\n[[rules]]\nid='pem'\npath='pem$'\n"


def redacted(sought: Secrets, text: str) -> str:
    made: str = sought.rewrite(documents(text))[0][0].as_py()
    return made


def test_placeholders_counts_and_spans() -> None:
    text, columns = Secrets().rewrite(documents(TEXT, "nothing"))
    assert text.to_pylist() == ["é id=<AWS_ACCESS_KEY>; url=https://<URL_CREDENTIALS>@db.test/", "nothing"]
    counts = {name: values.to_pylist() for name, values in columns.items() if name != "spans"}
    assert {name: values for name, values in counts.items() if any(values)} == {
        "aws_access_key": [1, 0],
        "url_credentials": [1, 0],
    }
    first, second = columns["spans"][0].as_py()
    assert (first["kind"], first["start"], first["end"]) == ("aws_access_key", 6, 26)
    assert (second["kind"], second["start"], second["end"]) == ("url_credentials", 40, 50)
    assert 3 < first["score"] < 4.4
    assert AWS not in str(columns)


def test_a_surrogate_keeps_what_tells_whose_key_it_is(tmp_path: Path) -> None:
    (tmp_path / "key").touch(mode=0o600)
    (tmp_path / "key").write_text("correct horse battery staple")
    sought = Secrets(action="surrogate", key=Secret(file=str(tmp_path / "key")), key_id="1")
    once = redacted(sought, TEXT)
    assert re.fullmatch(r"é id=AKIA[A-Z0-9]{16}; url=https://[a-z]{3}:[A-Z][a-z]\d![a-z]{2}@db\.test/", once)
    assert AWS not in once
    token = "ghp_" + "a1B2" * 9
    assert re.fullmatch("ghp_([a-z][0-9][A-Z][0-9]){9}", redacted(sought, token))
    assert redacted(sought, redacted(sought, token)) == redacted(sought, token) != token


def test_rules_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES)
    sought = Secrets(rules=(str(tmp_path / "rules.toml"),), embedded=False, action="remove")
    assert redacted(sought, f"acme_abcdef {AWS}") == f" {AWS}"
    assert redacted(Secrets(rules=sought.rules), f"acme_abcdef {AWS}") == "<ACME_KEY> <AWS_ACCESS_KEY>"
    assert sought.notes() == ("left out, as they name files and not texts: pem",)
    assert list(hashes((("secrets", sought),))) == ["secrets.rules.0"]
    assert "rules" not in address_config((("secrets", sought),))["secrets"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param({"rules": ("/no/such.toml",)}, InputError, "no rules at /no/such.toml", id="missing rules"),
        pytest.param({"actions": {"jwts": "remove"}}, RecipeError, "no kind 'jwts'; did you mean 'jwt'", id="kind"),
    ],
)
def test_told_before_any_work(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Secrets(**options).assets()


def test_nothing_to_find() -> None:
    with pytest.raises(RecipeError, match="nothing to find secrets by"):
        Secrets(embedded=False)
