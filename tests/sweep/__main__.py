"""Runs the sweep."""

from tests.sweep.measure import main

if __name__ == "__main__":
    main()
