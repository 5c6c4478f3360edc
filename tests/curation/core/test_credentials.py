"""Which parts of a URI are masked, and which are not."""

import pytest

from curation.core.credentials import masked, masked_values


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("s3://KEY:SECRET@bucket/a/*.gz", "s3://***@bucket/a/*.gz"),
        ("s3://KEY:SEC/RET@bucket/a.gz", "s3://***@bucket/a.gz"),
        ("s3://KEY:SEC@RET@bucket/a.gz", "s3://***@bucket/a.gz"),
        ("https://user:password@host:8080/a.gz", "https://***@host:8080/a.gz"),
        ("https://token@host/a.gz", "https://***@host/a.gz"),
        (
            "https://host/a?X-Amz-Date=1&X-Amz-Signature=5f&part=2",
            "https://host/a?X-Amz-Date=***&X-Amz-Signature=***&part=2",
        ),
        ("https://host/a?se=2026&sp=r&sig=S%2B", "https://host/a?se=***&sp=***&sig=***"),
        (
            "https://host/a?AWSAccessKeyId=K&Expires=9&Signature=S#x",
            "https://host/a?AWSAccessKeyId=***&Expires=***&Signature=***#x",
        ),
        (
            "https://host/a?access_token=T&api_key=K&password=P",
            "https://host/a?access_token=***&api_key=***&password=***",
        ),
        ("gs://b/a?token=T", "gs://b/a?token=***"),
    ],
)
def test_credentials_are_masked(uri: str, shown: str) -> None:
    assert masked(uri) == shown
    assert masked(shown) == shown
    assert masked(f"cannot read '{uri}': {uri}; again") == f"cannot read '{shown}': {shown}; again"


@pytest.mark.parametrize(
    "text",
    [
        "s3://bucket/a/*.gz",
        "http://localhost:8000/a@b/c",
        "https://example.com/@user/a?se=1&sp=2",
        "hf://datasets/some/name@main/a.parquet",
        "data/a@b:c?token=1",
        "a local file: b@c",
        "https://example.com/a?monkey=1&part=2",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert masked(text) == text


def test_a_uri_that_a_message_cuts_off() -> None:
    assert masked("expected a list, got 's3://KEY:SECRET…") == "expected a list, got 's3://***…"


def test_plain_values() -> None:
    value = {"paths": ("s3://K:S@b/1", ["s3://K:S@b/2"]), "n": 1, "none": None}
    assert masked_values(value) == {"paths": ("s3://***@b/1", ["s3://***@b/2"]), "n": 1, "none": None}
