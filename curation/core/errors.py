"""What can go wrong, by whose doing: the user's (exit code 2) or the run's (exit code 1)."""

from curation.core.credentials import masked


class WinnowError(Exception):
    """A failure with one clear line for the user, without the credentials of any URI; `exit_code` is the command's."""

    exit_code = 1

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(masked(message))
        self.details = masked(details)  # for a log file: a worker's traceback


class UserError(WinnowError, ValueError):
    """The user gave something that cannot work; the message says what to do."""

    exit_code = 2


class RecipeError(UserError):
    """A recipe that does not say what it must, with the line where it goes wrong."""


class InputError(UserError):
    """An input, asset or run folder that is missing, unreadable or of the wrong kind."""


class StageError(WinnowError):
    """A stage that failed or left its stated bounds while running."""
