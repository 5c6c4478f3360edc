"""Joules of counters become CodeCarbon's fields; what one machine does not measure is unmeasured as a whole."""

from dataclasses import replace

import pytest

from curation.core.energy import UNMEASURED, Energy, Meter, Reading, check_grid, energy_of, since, total
from curation.core.shapes import checked

H100 = "NVIDIA H100 80GB HBM3"
NODE: Reading = {
    Meter("cpu", "one/intel-rapl:0", "RAPL"): 3.6e6,
    Meter("cpu", "one/intel-rapl:1", "RAPL"): 1.8e6,
    Meter("ram", "one", UNMEASURED): None,
    Meter("gpu", "GPU-a", "NVML's counter", H100): 7.2e6,
}
OTHER: Reading = {
    Meter("cpu", "two/intel-rapl:0", "RAPL"): 3.6e6,
    Meter("ram", "two/intel-rapl:0:1", "RAPL"): 3.6e6,
    Meter("gpu", "GPU-b", "NVML's power, integrated", H100): 3.6e6,
}
FIELDS = {"duration", "energy_consumed", "cpu_energy", "gpu_energy", "ram_energy", "gpu_count", "gpu_model",
          "country_iso_code", "emissions"}  # of CodeCarbon's emissions.csv  # fmt: skip


def test_a_part_that_one_machine_lacks_is_unmeasured() -> None:
    found = energy_of(NODE | OTHER, 60.0004)
    assert found == Energy(
        duration=60.0,
        energy_consumed=5.5,
        cpu_energy=2.5,
        gpu_energy=3.0,
        ram_energy=UNMEASURED,
        gpu_count=2,
        gpu_model=f"2 x {H100}",
        measured_by=("NVML's counter", "NVML's power, integrated", "RAPL"),
    )
    assert found.record().keys() >= FIELDS
    assert checked(found.record(), Energy) == found


def test_two_processes_of_a_node_count_its_packages_once() -> None:
    later = {meter: used and used + 1.0 for meter, used in NODE.items()}
    assert energy_of(NODE | later, 1.0).cpu_energy == pytest.approx(1.5, abs=1e-6)


def test_nothing_measured_is_no_zero() -> None:
    nothing: Reading = {Meter(part, "one", UNMEASURED): None for part in ("cpu", "ram")}
    found = energy_of(nothing, 1.0)
    assert (found.energy_consumed, found.cpu_energy, found.gpu_energy) == (UNMEASURED, UNMEASURED, 0)


def test_attempts_add_up() -> None:
    first = energy_of(NODE, 10.0)
    both = total([first, energy_of(OTHER | NODE, 5.0)])
    assert (both.duration, both.cpu_energy, both.gpu_energy, both.ram_energy) == (15.0, 4.0, 5.0, UNMEASURED)
    assert (both.energy_consumed, both.gpu_count, both.gpu_model) == (9.0, 2, f"2 x {H100}")
    assert total([replace(first, cpu_energy=UNMEASURED), first]).cpu_energy == UNMEASURED
    assert total([]).energy_consumed == UNMEASURED


def test_between_two_readings() -> None:
    now = {meter: used and used + 5.0 for meter, used in NODE.items()} | OTHER
    assert since(NODE, now) == {meter: used and 5.0 for meter, used in NODE.items()} | OTHER


def test_emissions_only_of_a_grid_that_was_given() -> None:
    energy = energy_of(OTHER, 1.0)
    assert energy.on_grid("DEU", 0.4).emissions == pytest.approx(1.2)
    assert energy.on_grid("DEU", None).emissions is None
    assert total([]).on_grid("", 0.4).emissions is None


@pytest.mark.parametrize(
    ("country", "intensity", "message"),
    [
        pytest.param("Germany", None, "'Germany'; give the three letters of ISO 3166, such as DEU", id="a name"),
        pytest.param("", 381.0, "381; give kg of CO2 per kWh, such as 0.4", id="grams"),
        pytest.param("", -0.1, "-0.1; give kg", id="negative"),
    ],
)
def test_no_grid(country: str, intensity: float | None, message: str) -> None:
    check_grid("", None)
    check_grid("FRA", 0.0)
    with pytest.raises(ValueError, match=message):
        check_grid(country, intensity)
