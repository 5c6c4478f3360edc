"""Refuses numbers that an option cannot have, in words that say which it can."""

from math import inf


def check_least(config: object, least: int, *names: str) -> None:
    """Raises ValueError if one of these options is below `least`, or no finite number; one that is None is left out."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not least <= value < inf:
            raise ValueError(f"{name} is {value}; give {least} or more")


def check_most(config: object, most: int, *names: str) -> None:
    """Raises ValueError if one of these options is above `most`; one that is None is left out."""
    for name in names:
        value = getattr(config, name)
        if value is not None and value > most:
            raise ValueError(f"{name} is {value}; give {most:,} or less")


def check_positive(config: object, *names: str) -> None:
    """Raises ValueError if one of these options is not a finite number above 0; one that is None is left out."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not 0 < value < inf:
            raise ValueError(f"{name} is {value}; give a number above 0")


def check_fraction(config: object, *names: str) -> None:
    """Raises ValueError if one of these options is not in [0, 1)."""
    for name in names:
        if not 0 <= getattr(config, name) < 1:
            raise ValueError(f"{name} is {getattr(config, name)}; give 0 to below 1")
