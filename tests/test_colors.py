"""Names of colors, as an eye gives them."""

from __future__ import annotations

import pytest

from blinks_sim.colors import NAMES, color_name

# Compare values of the display timers for levels 0–31: 255 − x of 256 parts of a period let light through.
COMPARE = (
    "255 254 253 251 250 248 245 242 238 234 230 224 218 211 204 195 "
    "186 176 165 153 140 126 111 95 78 59 40 19 13 9 3 1"
)
LIGHT = [(255 - int(word)) / 254 for word in COMPARE.split()]

LEVELS = {
    "RED": (31, 0, 0),
    "ORANGE": (31, 15, 0),
    "YELLOW": (31, 31, 0),
    "GREEN": (0, 31, 0),
    "CYAN": (0, 31, 31),
    "BLUE": (0, 0, 31),
    "MAGENTA": (31, 0, 31),
    "WHITE": (31, 31, 31),
}


def dimmed(levels: tuple[int, int, int], brightness: int) -> list[float]:
    """Return the light of a color dimmed as blinklib does it."""
    return [LIGHT[level * brightness // 255] for level in levels]


def test_every_constant_has_its_name():
    """The colors of blinklib are called by their own names."""
    assert {name: color_name(light) for name, light in NAMES.items()} == {name: name for name in NAMES}


@pytest.mark.parametrize("name", sorted(LEVELS))
@pytest.mark.parametrize("brightness", [255, 192, 128, 64, 48])
def test_dimmed_colors_keep_their_names(name: str, brightness: int):
    """A dimmed color is still called by its name."""
    assert color_name(dimmed(LEVELS[name], brightness)) == name


@pytest.mark.parametrize("name", sorted(set(LEVELS) - {"ORANGE"}))
def test_the_dimmest_level_is_not_dark(name: str):
    """Level 1 has its color; ORANGE alone has no second level left there."""
    assert color_name([LIGHT[min(level, 1)] for level in LEVELS[name]]) == name


def test_no_light_is_off():
    """Dark faces, and what is left of light at the edge of a frame, are off."""
    assert color_name((0.0, 0.0, 0.0)) == "OFF"
    assert color_name((0.0, 0.001, 0.0)) == "OFF"


def test_a_trace_of_another_channel_does_not_matter():
    """Colors that are nearly one of the eight are called by it."""
    assert color_name((0.9, 0.01, 0.0)) == "RED"
    assert color_name((1.0, 0.8, 0.0)) == "YELLOW"
    assert color_name((0.7, 0.8, 1.0)) == "WHITE"
