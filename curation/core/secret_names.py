"""The environment variables and files that a recipe may take secrets from, unless the user allows others.

A recipe may come from someone else, and it also names the server that a key is sent to. So it cannot pick any variable
or file of this machine: it has the names that are usual for the option, each only for its own option, because a key's
id is sent as it is. Others are allowed by name on the command line.

Files of `storage` lie in /run/secrets or /var/run/secrets; those of surrogates are sent nowhere and may lie anywhere.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from curation.core.storage_options import Secret

SURROGATES = "key"  # the option of rewriters that make surrogates
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "storage.s3.key": (
        *("AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID", "S3_ACCESS_KEY", "MINIO_ACCESS_KEY", "R2_ACCESS_KEY_ID"),
    ),
    "storage.s3.secret": (
        *("AWS_SECRET_ACCESS_KEY", "S3_SECRET_ACCESS_KEY", "S3_SECRET_KEY", "MINIO_SECRET_KEY"),
        "R2_SECRET_ACCESS_KEY",
    ),
    "storage.s3.token": ("AWS_SESSION_TOKEN", "S3_SESSION_TOKEN"),
    "storage.az.key": ("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_KEY"),
    "storage.az.sas": ("AZURE_STORAGE_SAS_TOKEN", "AZURE_SAS_TOKEN"),
    "storage.az.connection_string": ("AZURE_STORAGE_CONNECTION_STRING",),
    SURROGATES: ("WINNOW_REDACTION_KEY", "REDACTION_KEY"),
}
FOLDERS = ("/run/secrets", "/var/run/secrets")


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Names that the user allows beside the usual ones, for every option."""

    variables: Collection[str] = ()
    files: Collection[str] = ()

    def refusal(self, option: str, secret: Secret) -> str:
        """Why a recipe may not take this secret for the option (a key of VARIABLES, or another); "" if it may."""
        usual = VARIABLES.get(option, ())
        if secret.env and secret.env not in (*usual, *self.variables):
            known = f" ({', '.join(usual)})" if usual else ""
            return (
                f"the variable {secret.env} is none of those that a recipe may name here{known}; if you trust the "
                f"recipe with its value, add --allow-env {secret.env}"
            )
        if secret.file and option != SURROGATES and not (_is_of_secrets(secret.file) or secret.file in self.files):
            return (
                f"the file {secret.file} is not in {' or '.join(FOLDERS)}, from which a recipe may take secrets; if "
                f"you trust the recipe with what the file holds, add --allow-file {secret.file}"
            )
        return ""


def _is_of_secrets(file: str) -> bool:
    path = PurePosixPath(file)
    return ".." not in path.parts and any(path.is_relative_to(folder) for folder in FOLDERS)
