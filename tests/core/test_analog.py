"""The ADC measuring the band gap against the battery, and its timing."""

from __future__ import annotations

import pytest

from .registers import BIT
from .rig import Rig

BAND_GAP_LEFT = 0x6E  # AVcc as reference, left adjusted, 1.1 V band gap
START = 0xC5  # on, start, clk/32


def convert(rig: Rig, times: int = 4) -> int:
    """Start conversions as the BIOS does; return ADCH of the last."""
    rig.set("ADMUX", BAND_GAP_LEFT)
    for _ in range(times):
        rig.set("ADCSRA", START)
        for _ in range(100):
            rig.run(16)
            if not rig.get("ADCSRA") & 1 << BIT["ADSC"]:
                break
        else:
            raise AssertionError("the conversion does not end")
    return rig.get("ADCH")


@pytest.mark.parametrize("battery_mv", [1900, 2200, 2500, 3000, 3300])
def test_band_gap_tells_the_battery(battery_mv: int):
    """The result is 1.1 V / Vcc of full scale."""
    rig = Rig(battery_mv=battery_mv)
    assert abs(convert(rig) - 1100 / battery_mv * 256) <= 1.01


def test_low_battery_threshold():
    """Around 2.31 V the high byte crosses 0x7A."""
    assert convert(Rig(battery_mv=2200)) >= 0x7A
    assert convert(Rig(battery_mv=2420)) < 0x7A
    rig = Rig()
    assert convert(rig) < 0x7A
    rig.chip.battery_mv = 2200
    assert convert(rig) >= 0x7A


def test_right_adjusted():
    """Without ADLAR the ten bits lie at the right."""
    rig = Rig()
    left = convert(rig) << 8 | rig.get("ADCL")
    rig.set("ADMUX", 0x4E)
    rig.set("ADCSRA", START)
    rig.run(1000)
    right = rig.get("ADCL") | rig.get("ADCH") << 8
    assert abs(right - (left >> 6)) <= 1
    assert abs(right - 1100 / 3000 * 1024) <= 2


def test_conversion_time():
    """The first conversion after switching on takes 25 ADC clocks, the next 13."""
    rig = Rig()
    rig.set("ADMUX", BAND_GAP_LEFT)
    for clocks in (25, 13, 13):
        rig.set("ADCSRA", START)
        rig.run((clocks - 1) * 32)
        assert rig.get("ADCSRA") & 1 << BIT["ADSC"]
        rig.run(3 * 32)
        assert not rig.get("ADCSRA") & 1 << BIT["ADSC"]


def test_flag():
    """ADIF rises with the result and is cleared by writing 1."""
    rig = Rig()
    convert(rig, 1)
    assert rig.get("ADCSRA") & 1 << BIT["ADIF"]
    rig.set("ADCSRA", 0x85)
    assert rig.get("ADCSRA") & 1 << BIT["ADIF"]
    rig.set("ADCSRA", 0x95)
    assert not rig.get("ADCSRA") & 1 << BIT["ADIF"]


def test_switched_off_nothing_converts():
    """Without ADEN a start does nothing."""
    rig = Rig()
    rig.set("ADMUX", BAND_GAP_LEFT)
    rig.set("ADCSRA", 0x45)
    rig.run(2000)
    assert not rig.get("ADCSRA") & 1 << BIT["ADIF"]
    assert rig.get("ADCH") == 0
