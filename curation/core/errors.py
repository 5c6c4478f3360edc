"""Errors that end a command: the user can fix some (exit code 2), others come from the run itself (exit code 1)."""

from curation.core.credentials import masked

LONGEST = 10_000  # characters of a message; a longer one repeats what somebody gave


class WinnowError(Exception):
    """A failure with one line for the user, in which credentials of URIs are masked."""

    exit_code = 1  # of the command

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(_shortened(masked(message)))
        self.details = masked(details)  # for a log file: a worker's traceback


class UserError(WinnowError, ValueError):
    """An input or option that cannot work; the message says what to do."""

    exit_code = 2


class RecipeError(UserError):
    """A mistake in a recipe or training config, with its line where known."""


class InputError(UserError):
    """An input, asset or run folder that is missing, unreadable or of the wrong kind."""


class StageError(WinnowError):
    """A stage that failed or broke its guards while running."""


def _shortened(message: str) -> str:
    """The message without its middle where it is too long."""
    half = LONGEST // 2 - 2
    return message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"
