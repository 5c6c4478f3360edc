"""Which variables and files a recipe may take secrets from."""

from pathlib import Path

import pytest

from curation.core.secret_names import VARIABLES, Allowance
from curation.core.storage_options import Secret

ALLOWED = Allowance(variables=("MINE",), files=("/home/ann/key",))


@pytest.mark.parametrize(
    ("option", "secret"),
    [
        pytest.param("storage.s3.key", Secret(env="AWS_ACCESS_KEY_ID"), id="the usual name"),
        pytest.param("storage.az.sas", Secret(env="MINE"), id="a name that the user allows"),
        pytest.param("storage.s3.secret", Secret(file="/run/secrets/s3"), id="a file of secrets"),
        pytest.param("storage.s3.secret", Secret(file="/home/ann/key"), id="a file that the user allows"),
        pytest.param("key", Secret(file="/etc/winnow/key"), id="a key that is sent nowhere"),
        pytest.param("key", Secret(env="REDACTION_KEY"), id="the usual name of a key of surrogates"),
    ],
)
def test_what_a_recipe_may_name(option: str, secret: Secret) -> None:
    assert ALLOWED.refusal(option, secret) == ""


@pytest.mark.parametrize(
    ("option", "secret", "message"),
    [
        ("storage.s3.key", Secret(env="GITHUB_TOKEN"), "add --allow-env GITHUB_TOKEN"),
        # A key's id is sent as it is.
        ("storage.s3.key", Secret(env="AWS_SECRET_ACCESS_KEY"), "add --allow-env AWS_SECRET_ACCESS_KEY"),
        ("storage.az.key", Secret(env="AWS_ACCESS_KEY_ID"), "may name here (AZURE_STORAGE_KEY, "),
        ("key", Secret(env="HOME"), "may name here (WINNOW_REDACTION_KEY, REDACTION_KEY)"),
        ("storage.new.token", Secret(env="MY_TOKEN"), "that a recipe may name here; if"),
        ("storage.s3.secret", Secret(file="/home/ann/.netrc"), "add --allow-file /home/ann/.netrc"),
        ("storage.s3.secret", Secret(file="/run/secrets/../../etc/shadow"), "is not in /run/secrets"),
        ("storage.s3.secret", Secret(file="/run/secrets2/key"), "is not in /run/secrets"),
        ("storage.gs.credentials", Secret(file="gcp.json"), "add --allow-file gcp.json"),
    ],
)
def test_what_it_may_not(option: str, secret: Secret, message: str) -> None:
    assert message in ALLOWED.refusal(option, secret)


def test_the_guide_lists_the_variables() -> None:
    lines = (Path(__file__).parents[3] / "docs" / "sources.md").read_text().splitlines()
    for option, variables in VARIABLES.items():
        _, _, name = option.rpartition("storage.")
        row = f"| `{name.replace('.', ': ')}`" if name != "key" else "| `key` of surrogates"
        (line,) = [line for line in lines if line.startswith(row)]
        assert line.split("|")[2].split(";")[0].strip() == ", ".join(f"`{one}`" for one in variables)
