"""Energy and carbon of a training: device hours x power x PUE, and the grid's carbon.

Sources: Patterson et al. 2021 (arXiv:2104.10350) for the arithmetic; Luccioni et al. 2022 (arXiv:2211.02001) for what
making the devices costs, spread over their life. Tonnes are those of places, without certificates.
"""

from curation.core.close_names import nearest
from curation.core.errors import InputError

PUE = 1.56  # mean of data centres that Uptime Institute asked in its survey of 2024
WORLD = "world"
# g CO2e/kWh over the life of what generates it, 2023. Source: Ember and Energy Institute, as processed by Our World in
# Data, "Carbon intensity of electricity generation" (ourworldindata.org/grapher/carbon-intensity-electricity).
GRIDS = {
    WORLD: 481,
    "australia": 549,
    "austria": 111,
    "belgium": 138,
    "brazil": 98,
    "canada": 170,
    "chile": 291,
    "china": 582,
    "czechia": 450,
    "denmark": 152,
    "finland": 79,
    "france": 56,
    "germany": 381,
    "greece": 337,
    "india": 713,
    "ireland": 291,
    "norway": 30,
    "poland": 662,
    "sweden": 41,
    "uk": 238,
    "usa": 369,
}
HOURS_OF_YEAR = 8760


def grid_intensity(grid: str) -> float:
    """kg CO2e/kWh of a country of GRIDS, or of a number in g. Raises InputError for what is neither."""
    name = grid.lower().replace("_", " ")
    if name in GRIDS:
        return GRIDS[name] / 1000
    try:
        grams = float(grid)
    except ValueError:
        grams = -1.0
    if not 0 <= grams < 10_000:
        raise InputError(
            f"there is no carbon intensity of the grid {grid!r}{nearest(name, GRIDS)}; give its g CO2e/kWh as a "
            f"number, or one of: {', '.join(GRIDS)}"
        )
    return grams / 1000


def energy(hours: float, watts: float, pue: float = 1.0) -> float:
    """kWh of so many device hours."""
    return hours * watts / 1000 * pue


def embodied(hours: float, each: float, years: float, busy: float) -> float:
    """kg CO2e of making the devices, the share of so many device hours of a life that is `busy` to a share."""
    return each * hours / (years * HOURS_OF_YEAR * busy)
