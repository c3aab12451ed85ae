"""What blinklib computes, written again in Python from its description: an oracle of its own."""

from __future__ import annotations

from collections.abc import Iterator

Levels = tuple[int, int, int]  # red, green, blue, 0–31

FIRST_STATE = 2463534242


def sin8(theta: int) -> int:
    """Return sin8_C(theta)."""
    offset = theta & 63
    low = offset & 15
    if theta & 64:
        offset = 63 - offset
        low = (offset & 15) + 1
    base, slope = [(0, 49), (49, 41), (90, 27), (117, 10)][offset >> 4]
    height = base + (slope * low >> 4)
    return (128 - height if theta & 128 else 128 + height) & 255


def map_word(x: int, a: int, b: int, c: int, d: int) -> int:
    """Return map(x, a, b, c, d) for ascending inputs."""
    x = min(max(x, a), b)
    inner, outer = (b - a) & 0xFFFF, (d - c) & 0xFFFF
    if inner > outer:
        return ((x - a) * (outer + 1) // (inner + 1) + c) & 0xFFFF
    return ((x - a) * outer // inner + c) & 0xFFFF


def rgb(red: int, green: int, blue: int) -> Levels:
    """Return the levels of makeColorRGB."""
    return red >> 3, green >> 3, blue >> 3


def hsb(hue: int, saturation: int, brightness: int) -> Levels:
    """Return the levels of makeColorHSB."""
    v, s = brightness, saturation
    if s == 0:
        return rgb(v, v, v)
    sector, x = divmod(6 * hue, 256)
    p = v * (255 - s) >> 8
    q = v * (255 - (s * x >> 8)) >> 8
    t = v * (255 - (s * (255 - x) >> 8)) >> 8
    return rgb(*[(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][sector])


def dim(color: Levels, brightness: int) -> Levels:
    """Return the levels of dim."""
    red, green, blue = (channel * brightness // 255 for channel in color)
    return red, green, blue


def lighten(color: Levels, amount: int) -> Levels:
    """Return the levels of lighten."""
    red, green, blue = (channel + (31 - channel) * amount // 255 for channel in color)
    return red, green, blue


def words(state: int = FIRST_STATE) -> Iterator[int]:
    """Yield what randomWord() answers, one after the other."""
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state & 0xFFFF


def random(limit: int, source: Iterator[int]) -> int:
    """Draw from `source` until a word gives a number up to the limit; return that."""
    share = 65535 // (limit + 1)
    return next(word // share for word in source if word // share <= limit)
