"""Names for light, as an eye gives them and as blinklib names its colors."""

from __future__ import annotations

from collections.abc import Sequence

DARK = 0.002  # linear light: half of the dimmest of the 31 levels

# Linear light of blinklib's constants. ORANGE is levels 31, 15, 0; level 15 lets through 60 of 254 parts.
NAMES: dict[str, tuple[float, float, float]] = {
    "RED": (1.0, 0.0, 0.0),
    "ORANGE": (1.0, 60 / 254, 0.0),
    "YELLOW": (1.0, 1.0, 0.0),
    "GREEN": (0.0, 1.0, 0.0),
    "CYAN": (0.0, 1.0, 1.0),
    "BLUE": (0.0, 0.0, 1.0),
    "MAGENTA": (1.0, 0.0, 1.0),
    "WHITE": (1.0, 1.0, 1.0),
}


def _seen(light: Sequence[float]) -> tuple[float, ...]:
    """Give the channels relative to the brightest one, by the cube root with which an eye sees lightness."""
    brightest = max(light)
    return tuple((max(channel, 0.0) / brightest) ** (1 / 3) for channel in light)


_SEEN = {name: _seen(light) for name, light in NAMES.items()}


def color_name(light: Sequence[float]) -> str:
    """Return the name nearest to linear light (r, g, b), however dim it is; "OFF" when dark.

    Hue alone decides, as dimmed red still looks red: the channels are compared relative to the brightest one.
    """
    if max(light) < DARK:
        return "OFF"
    seen = _seen(light)

    def apart(name: str) -> float:
        return sum((a - b) ** 2 for a, b in zip(seen, _SEEN[name], strict=True))

    return min(_SEEN, key=apart)
