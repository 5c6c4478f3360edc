"""How object stores are reached: the recipe's `storage:` section as options of fsspec's packages.

    storage:
      s3: {endpoint: "http://store:9000", profile: crawl}
      gs: {project: mine, credentials: {file: /run/secrets/gcp.json}}
      az: {account: mine, key: {env: AZURE_KEY}}
      commoncrawl: {contact: me@example.org}

The recipe names a secret by the environment variable or the file that holds it, and each process reads it from there.
So addresses and files of a run never contain a secret. Which variables and files a recipe may name is in
`curation.core.secret_names`. Whatever the section leaves out is taken from the environment:
what the clouds' own tools read (AWS_PROFILE, AWS_ENDPOINT_URL, GOOGLE_APPLICATION_CREDENTIALS,
AZURE_STORAGE_CONNECTION_STRING …), and fsspec's FSSPEC_S3_… .
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from curation.core import storage
from curation.core.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Secret:
    """Where a secret is found: in an environment variable, or in a file."""

    env: Annotated[str, "name of the environment variable"] = ""
    file: Annotated[str, "path of the file"] = ""

    hidden: ClassVar[bool] = True  # from messages: it may be the secret itself

    def __post_init__(self) -> None:
        if bool(self.env) == bool(self.file):
            raise ValueError("give {env: NAME} or {file: PATH}: where the secret is, not the secret")

    def value(self, option: str) -> str:
        """Raises InputError, which names the place and `option`, if there is no secret there."""
        if self.env:
            if not (value := os.environ.get(self.env, "")):
                raise InputError(f"{option}: the environment variable {self.env} is not set; export it on every node")
            return value
        try:
            return Path(self.file).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{option}: cannot read {self.file}: {error}; put it on every node") from error


@dataclass(frozen=True, kw_only=True)
class S3:
    """Amazon's S3, or a server that speaks it."""

    endpoint: Annotated[str, "URL of the server; default: Amazon's"] = ""
    region: Annotated[str, "name of the region"] = ""
    profile: Annotated[str, "of the files that Amazon's tools read"] = ""
    anonymous: Annotated[bool, "requests are not signed"] = False
    key: Annotated[Secret | None, "where the access key's id is"] = None
    secret: Annotated[Secret | None, "where the secret access key is"] = None
    token: Annotated[Secret | None, "where the token of a session is"] = None

    def options(self) -> dict[str, Any]:
        named = {"endpoint_url": self.endpoint, "profile": self.profile, "anon": self.anonymous}
        if self.region:
            named["client_kwargs"] = {"region_name": self.region}
        return {**named, **_values("s3", key=self.key, secret=self.secret, token=self.token)}


@dataclass(frozen=True, kw_only=True)
class Gs:
    """Google's store; `credentials` is a service account's JSON file."""

    endpoint: Annotated[str, "URL of the server; default: Google's"] = ""
    project: Annotated[str, "id of the project"] = ""
    anonymous: Annotated[bool, "requests carry no credentials"] = False
    credentials: Annotated[Secret | None, "a service account's JSON file"] = None

    def __post_init__(self) -> None:
        if self.credentials is not None and self.credentials.env:
            raise ValueError("credentials is a file: {file: PATH}")

    def options(self) -> dict[str, Any]:
        token = "anon" if self.anonymous else ""
        if self.credentials is not None:
            self.credentials.value("storage.gs.credentials")
            token = self.credentials.file
        return {"endpoint_url": self.endpoint, "project": self.project, "token": token}


@dataclass(frozen=True, kw_only=True)
class Az:
    """Azure's blobs."""

    account: Annotated[str, "name of the storage account"] = ""
    anonymous: Annotated[bool, "requests carry no credentials"] = False
    key: Annotated[Secret | None, "where the account's key is"] = None
    sas: Annotated[Secret | None, "where a shared access signature is"] = None
    connection_string: Annotated[Secret | None, "where a connection string is"] = None

    def options(self) -> dict[str, Any]:
        secrets = _values("az", account_key=self.key, sas_token=self.sas, connection_string=self.connection_string)
        return {"account_name": self.account, "anon": self.anonymous, **secrets}


@dataclass(frozen=True, kw_only=True)
class CommonCrawl:
    """Common Crawl's server, for paths such as commoncrawl:CC-MAIN-2024-10/0:100."""

    contact: Annotated[str, "e-mail address or web page, sent with each request"] = ""
    base: Annotated[str, "URL of the server, if it is another"] = ""

    def options(self) -> dict[str, Any]:
        return {"contact": self.contact, "base": self.base}


@dataclass(frozen=True, kw_only=True)
class StorageOptions:
    """The section; a store without options is reached as the environment says."""

    s3: Annotated[S3 | None, "Amazon's S3, or a server that speaks it"] = None
    gs: Annotated[Gs | None, "Google's store"] = None
    az: Annotated[Az | None, "Azure's blobs"] = None
    commoncrawl: Annotated[CommonCrawl | None, "Common Crawl's server"] = None


NO_OPTIONS = StorageOptions()
_configured = NO_OPTIONS


def configured() -> StorageOptions:
    """The options in use."""
    return _configured


def configure(options: StorageOptions) -> None:
    """Uses these options in this process from now on. Raises InputError for a secret that is missing."""
    from fsspec.config import conf  # slow to import and often not needed

    global _configured
    if options == _configured:
        return
    schemes = {"s3": options.s3, "gs": options.gs, "az": options.az, "commoncrawl": options.commoncrawl}
    chosen = {scheme: section.options() for scheme, section in schemes.items() if section is not None}
    for scheme, values in chosen.items():
        conf.setdefault(scheme, {}).update({name: value for name, value in values.items() if value})
    storage.forget_stores()
    _configured = options


def _values(scheme: str, **secrets: Secret | None) -> dict[str, str]:
    return {name: secret.value(f"storage.{scheme}.{name}") for name, secret in secrets.items() if secret is not None}
