"""winnow's own rules, each on an invented value of the documented format."""

import random
import string

import pyarrow as pa
import pytest

from curation.models.secrets.finder import Finder
from curation.models.secrets.own_rules import own_rules
from tests.curation.models.pii.made_values import SCRIPTS

LETTERS = string.ascii_letters + string.digits
DRAW = random.Random(7)


def drawn(size: int, alphabet: str = LETTERS) -> str:
    return "".join(DRAW.choice(alphabet) for _ in range(size))


BODY = "\n".join(drawn(64) for _ in range(3))
HEX = "0123456789abcdef"
FINDER = Finder([own_rules()])
EACH = {
    "aws_access_key": ("id AKIA{}.", drawn(16, "ABCDEFGH234567"), "AKIA{}"),
    "aws_secret_key": ("aws_secret_access_key = {}", drawn(40), "{}"),
    "github_token": ("ghp_{}", drawn(36), "ghp_{}"),
    "gitlab_token": ("glpat-{}", drawn(20), "glpat-{}"),
    "slack_token": ("xoxb-{}", f"{drawn(12, string.digits)}-{drawn(24)}", "xoxb-{}"),
    "slack_webhook": ("https://hooks.slack.com/services/{}", f"T{drawn(8)}/B{drawn(10)}/{drawn(24)}", "{}"),
    "stripe_key": ("sk_live_{}", drawn(24), "sk_live_{}"),
    "google_api_key": ("AIza{}", drawn(35), "AIza{}"),
    "google_oauth_secret": ("GOCSPX-{}", drawn(28), "GOCSPX-{}"),
    "azure_storage_key": ("AccountKey={};", drawn(86) + "==", "{}"),
    "openai_key": ("sk-proj-{}", f"{drawn(20)}T3BlbkFJ{drawn(20)}", "sk-proj-{}"),
    "anthropic_key": ("sk-ant-api03-{}", drawn(95), "sk-ant-api03-{}"),
    "hugging_face_token": ("hf_{}", drawn(34, string.ascii_letters), "hf_{}"),
    "npm_token": ("npm_{}", drawn(36), "npm_{}"),
    "pypi_token": ("pypi-AgE{}", drawn(80), "pypi-AgE{}"),
    "sendgrid_key": ("SG.{}", f"{drawn(22)}.{drawn(43)}", "SG.{}"),
    "twilio_key": ("SK{}", drawn(32, HEX), "SK{}"),
    "telegram_token": ("{}", f"{drawn(9, '123456789')}:AA{drawn(33)}", "{}"),
    "digitalocean_token": ("dop_v1_{}", drawn(64, HEX), "dop_v1_{}"),
    "private_key": ("-----BEGIN RSA PRIVATE KEY-----{}-----END RSA PRIVATE KEY-----", f"\n{BODY}\n", "{}"),
    "jwt": ("eyJ{}", f"{drawn(20)}.eyJ{drawn(40)}.{drawn(43)}", "eyJ{}"),
    "url_credentials": ("postgres://{}@db.test:5432/x", "ann:q8Zr2Lw0", "{}"),
    "generic_secret": ('api_key: "{}"', drawn(24), "{}"),
}


def found(text: str) -> list[tuple[str, str]]:
    spans = FINDER.find(pa.array([text], pa.large_string()), pa.array([None], pa.string()))[0].as_py()
    return [(span["kind"], text.encode()[span["start"] : span["end"]].decode()) for span in spans]


def test_every_rule_is_tried() -> None:
    assert tuple(EACH) == FINDER.kinds


@pytest.mark.parametrize("kind", EACH)
def test_found(kind: str) -> None:
    text, value, secret = EACH[kind]
    assert found(f"é {text.format(value)} and") == [(kind, secret.format(value))]


@pytest.mark.parametrize("kind", EACH)
def test_found_beside_letters_of_other_scripts(kind: str) -> None:
    text, value, secret = EACH[kind]
    for before, after in SCRIPTS.values():
        assert found(f"{before}{text.format(value)}{after}") == [(kind, secret.format(value))]


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        'api_key = "your-api-key-here-1234"',
        'password = "${DB_PASSWORD_OF_2024}"',
        'token: "<GENERIC_SECRET>"',
        'secret = "os.environ.get"',
        'tokenized_at = "q8Zr2Lw0Vn5Tx7Jb"',
        'token_path = "s3://bucket/q8Zr2Lw0Vn5Tx7Jb"',
        'token_name = "!kRzQwLvNtXjBpDh"',
        "https://user:password@host.test/",
        "https://{user}:{password}@host.test/",
        "http://host.test:8080/@ann",
        "the key to success is patience",
        "-----BEGIN PUBLIC KEY-----" + BODY + "-----END PUBLIC KEY-----",
        "AKIA" + "A" * 16,
        "XAKIA" + "ABCDEFGH23456723",
    ],
)
def test_no_secret(text: str) -> None:
    assert found(text) == []


def test_white_space_is_that_of_python() -> None:
    key = drawn(40)
    assert found(f"aws_secret_access_key\v=\v{key}") == [("aws_secret_key", key)]


def test_a_private_key_under_a_password() -> None:
    inside = f"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n{BODY}\n"
    assert found(f"-----BEGIN EC PRIVATE KEY-----{inside}-----END") == [("private_key", inside)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("-eyJ" * 500_000 + ".eyJ" + "a" * 20, id="beginnings of a token"),
        pytest.param("0123456789" * 500_000, id="digits"),
        pytest.param("-----BEGIN PRIVATE KEY-----" * 50_000, id="beginnings of a key"),
        pytest.param('key = "' * 200_000, id="beginnings of an assignment"),
        pytest.param("a://" * 500_000, id="schemes"),
    ],
)
def test_megabytes_that_are_made_to_be_slow(text: str) -> None:
    assert found(text) == []
