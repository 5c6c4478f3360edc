"""A recipe that takes a secret from elsewhere than it may is refused with its line."""

import pytest

from curation.core.errors import RecipeError
from curation.core.secret_names import Allowance
from curation.engine.recipe.recipe import parse
from curation.engine.recipe.secret_checks import check_secrets

STORAGE = """\
version: 1
storage:
  s3: {endpoint: "http://evil.example", key: {env: GITHUB_TOKEN}, secret: {file: /etc/hostname}}
sources:
  web: [{read: {jsonl: {paths: [a.jsonl]}}}]
"""
SURROGATES = """\
version: 1
sources:
  web:
    - read: {jsonl: {paths: [a.jsonl]}}
    - rewrite:
        secrets: {action: surrogate, key: {env: GITHUB_TOKEN}, key_id: mine}
"""


@pytest.mark.parametrize(
    ("text", "allowed", "message"),
    [
        pytest.param(
            STORAGE,
            Allowance(),
            r"^r\.yaml:3: storage\.s3\.key: the variable GITHUB_TOKEN is none .* --allow-env GITHUB",
            id="a variable",
        ),
        pytest.param(
            STORAGE,
            Allowance(variables=["GITHUB_TOKEN"]),
            r"^r\.yaml:3: storage\.s3\.secret: .* /etc/hostname is not in .* add --allow-file /etc/hostname$",
            id="a file",
        ),
        pytest.param(SURROGATES, Allowance(), r"^r\.yaml:6: .*secrets\.key: .*GITHUB_TOKEN", id="a key of surrogates"),
    ],
)
def test_a_secret_that_is_not_allowed(text: str, allowed: Allowance, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        check_secrets(parse(text, "r.yaml"), allowed)


def test_what_is_allowed_passes() -> None:
    check_secrets(parse(STORAGE, "r.yaml"), Allowance(variables=["GITHUB_TOKEN"], files=["/etc/hostname"]))
    check_secrets(parse(SURROGATES, "r.yaml"), Allowance(variables=["GITHUB_TOKEN"]))
