"""The table of devices: those that are not in it are refused with what is, and what resembles them."""

import pytest

from training.metrics.devices import ACCELERATORS, NETWORKS, accelerator, network


def test_a_device_without_figures_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(ValueError, match=r"no figures of a device 'h10'.*h100.*mi300x; another one is a line in"):
        accelerator("h10")
    with pytest.raises(ValueError, match="no network 'lan'; known: hdr, ndr"):
        network("lan")


def test_figures() -> None:
    assert accelerator("H100").bf16 == 989e12
    assert network("NDR").rate == 400e9 / 8
    for device in ACCELERATORS.values():
        assert device.source
        assert device.fp8 is None or device.fp8 == pytest.approx(2 * device.bf16, rel=0.02)
    assert all(one.source for one in NETWORKS.values())
