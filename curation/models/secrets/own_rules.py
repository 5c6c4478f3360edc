"""winnow's own rules: what providers document of their keys, private keys, JWTs, URLs with passwords, assignments.

Source: AWS IAM User Guide, "IAM identifiers" (AKIA, ASIA …); GitHub Docs, "About authentication to GitHub" (ghp_ …);
GitLab Docs, "Token overview" (glpat- …); Slack API, "Token types" (xoxb- …) and "Incoming webhooks"; Stripe Docs, "API
keys"; Google Cloud, "Manage API keys" (AIza); Azure Storage, "Configure connection strings"; OpenAI, Anthropic, Hugging
Face, npm, PyPI, SendGrid, Twilio, Telegram and DigitalOcean, documentation of their tokens; RFC 7468 (private keys),
RFC 7519 (JWT), RFC 3986 section 3.2.1 (passwords in URLs). The bounds on entropy are our choices.
"""

import re

from curation.models.secrets.rule import Allowlist, RuleSet, SecretRule

_NAMES = r"(?:api|access|auth|client|private|secret|encryption|signing|service|app)[_.-]?(?:key|secret|token)"
_PASSWORDS = r"(?:secret|token|passw(?:or)?d|passwd|pwd|credentials?)"
_ASSIGNED = r"""(?i)(?:{names}|{words})s?(?!(?-i:[a-z]))[\w.-]{{0,24}}["'`]?[ \t]{{0,3}}(?:=>|:=|==?|:)[ \t]{{0,3}}"""

_FORMATS = {
    "aws_access_key": r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b",
    "aws_secret_key": (
        r"""(?i)aws[\w.-]{0,24}(?:secret|key)[\w.-]{0,24}["'`]?\s{0,3}[=:]>?\s{0,3}["'`]?([a-z0-9/+]{40})(?![a-z0-9/+])"""
    ),
    "github_token": r"\b(gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{82})\b",
    "gitlab_token": r"\b(gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{20,})",
    "slack_token": r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,})",
    "slack_webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,60})",
    "stripe_key": r"\b((?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,99}|whsec_[A-Za-z0-9]{32,64})\b",
    "google_api_key": r"\b(AIza[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])",
    "google_oauth_secret": r"\b(GOCSPX-[A-Za-z0-9_-]{28})(?![A-Za-z0-9_-])",
    "azure_storage_key": r"AccountKey=([A-Za-z0-9+/]{86}==)",
    "openai_key": r"\b(sk-[A-Za-z0-9_-]{20,90}T3BlbkFJ[A-Za-z0-9_-]{20,90})",
    "anthropic_key": r"\b(sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{80,120})",
    "hugging_face_token": r"\b((?:hf|api_org)_[A-Za-z]{34})\b",
    "npm_token": r"\b(npm_[A-Za-z0-9]{36})\b",
    "pypi_token": r"\b(pypi-AgE[A-Za-z0-9_-]{50,1000})",
    "sendgrid_key": r"\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])",
    "twilio_key": r"\b(SK[0-9a-f]{32})\b",
    "telegram_token": r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])",
    "digitalocean_token": r"\b(do[opr]_v1_[a-f0-9]{64})\b",
    "private_key": (  # header lines such as "Proc-Type: 4,ENCRYPTED", then the key
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"((?:\s{0,4}[A-Z][A-Za-z-]{2,12}: [^\n]{0,100}\n){0,3}[^-]{64,})-----END"
    ),
    "jwt": r"(?<![A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})",
    "url_credentials": r"""://([^\s/:@"'<>`\\]{1,100}:[^\s/@"'<>`\\]{3,100})@[A-Za-z0-9\[]""",
}
_LEAST_ENTROPY = {
    **dict.fromkeys(("aws_access_key", "google_api_key", "twilio_key", "jwt"), 3.0),
    **{"generic_secret": 3.5, "aws_secret_key": 4.0},
}

# What documentation writes where a secret would stand.
_PLACEHOLDERS = Allowlist(
    regexes=tuple(
        re.compile(pattern, re.ASCII)
        for pattern in (
            r"(?i)example|changeme|placeholder|dummy|foobar|your[_-]?|my[_-]?(?:key|token|secret|pass)|x{4}|\*{3}|\.{3}",
            r"\$[({A-Za-z]|\{\w*\}|%\(|(?i:^(?:null|none|true|false|undefined)$)",
            r"^[a-z][a-z0-9+.-]*://[^@]*$",
            r"(?i)^[^:]*:(?:p|pw|pwd|pass|passwd|password|secret|token|port)$",
            r"^(?:[a-z]+[_.-])*[a-z]+$|^(?:[A-Z]+_)*[A-Z]+$|^[A-Za-z]+(?:\.[A-Za-z_]+)+(?:\(\))?$",
        )
    )
)
_LOOKS = re.compile(r"\(\?<?[!=](?:[^()]|\([^()]*\))*\)")  # to the sides


def _assigned() -> str:
    """A value in quotation marks, with a digit, that is assigned to a name such as `api_key` (not `tokenized`)."""
    name = _ASSIGNED.format(names=_NAMES, words=_PASSWORDS)
    return name + r"""["'`](?=[^"'`]{0,200}[0-9])([^\s"'`<>\\]{12,200})["'`]"""


def _wider(pattern: str) -> str:
    """The pattern in RE2's syntax, which has no looks to the sides, and whose white space has no vertical tab."""
    return _LOOKS.sub("", pattern).replace(r"\s{", r"[\s\v]{")


def own_rules() -> RuleSet:
    """The rules, those that say whose secret it is first."""
    patterns = {**_FORMATS, "generic_secret": _assigned()}
    rules = [
        SecretRule(
            kind=kind,
            pattern=re.compile(pattern, re.ASCII),
            wider=_wider(pattern),
            entropy=_LEAST_ENTROPY.get(kind, 0.0),
        )
        for kind, pattern in patterns.items()
    ]
    return RuleSet(tuple(rules), (_PLACEHOLDERS,))
