"""The command `winnow`, also as `python -m winnow`: it imports winnow's own packages, whatever folder it is run in.

Python needs half a second to import the commands. Ctrl-C within it ends the process without a traceback.
"""

import signal


def main() -> None:
    """Runs the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pipelines.cli import main as run

    run()


if __name__ == "__main__":
    main()
