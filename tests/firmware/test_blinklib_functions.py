"""The functions that only compute: every answer against the Python model."""

from __future__ import annotations

import random
from itertools import islice

from . import model
from .building import printed

PROBE = """
#include "Serial.h"
ServicePortSerial port;
static void show(Color c) {{
    port.print(c.r); port.print(' '); port.print(c.g); port.print(' '); port.println(c.b);
}}
static void show(word w) {{ port.println(w); }}
static const word CASES[][{width}] PROGMEM = {{ {cases} }};
void setup() {{
    (void)(void (*)(Color))show; (void)(void (*)(word))show;
    port.begin();
    for (word i = 0; i < COUNT_OF(CASES); ++i) {{
        word c[{width}];
        memcpy_P(c, CASES[i], sizeof c);
        {call}
    }}
    port.println("end");
}}
void loop() {{}}
"""


def _answers(call: str, cases: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Run a statement on a tile for each case, whose numbers it finds in c[]; return the lines it shows."""
    rows = ", ".join("{" + ", ".join(map(str, case)) + "}" for case in cases)
    text = PROBE.format(width=len(cases[0]), cases=rows, call=call)
    return [tuple(map(int, line.split())) for line in printed(text)]


def test_sin8_for_every_angle() -> None:
    """sin8_C answers as the model for all 256 angles, from 1 to 255."""
    answers = _answers("show((word)sin8_C(c[0]));", [(theta,) for theta in range(256)])
    assert answers == [(model.sin8(theta),) for theta in range(256)]
    assert (min(answers), max(answers)) == ((1,), (255,))


def test_map() -> None:
    """Map clamps its input, shares inputs out among fewer outputs, and stretches to more of them."""
    draw = random.Random(1)
    cases = []
    for top in (10, 300, 60000):
        for _ in range(60):
            a, b = sorted(draw.sample(range(top), 2))
            c, d = sorted(draw.choices(range(65000), k=2))
            if draw.random() < 0.5:
                d = c + (d - c) % 20
            cases.append((draw.randrange(top + 50), a, b, c, d))
    cases += [(x, 0, 9, 0, 1) for x in range(12)] + [(5, 0, 10, 100, 0), (0, 0, 10, 7, 3), (10, 0, 10, 7, 3)]
    answers = _answers("show(map(c[0], c[1], c[2], c[3], c[4]));", cases)
    assert answers == [(model.map_word(*case),) for case in cases]


def test_make_color_hsb() -> None:
    """HSB is computed in whole numbers, sector by sector; without saturation it is grey."""
    draw = random.Random(2)
    cases = [(draw.randrange(256), draw.randrange(256), draw.randrange(256)) for _ in range(300)]
    cases += [(hue, 255, 255) for hue in range(0, 256, 3)] + [(77, 0, 200), (42, 255, 255), (43, 255, 255)]
    assert _answers("show(makeColorHSB(c[0], c[1], c[2]));", cases) == [model.hsb(*case) for case in cases]


def test_make_color_rgb() -> None:
    """RGB keeps the upper five bits of each channel."""
    cases = [(value, 255 - value, value ^ 0x5A) for value in range(0, 256, 5)]
    assert _answers("show(makeColorRGB(c[0], c[1], c[2]));", cases) == [model.rgb(*case) for case in cases]


def test_dim_and_lighten() -> None:
    """Dim and lighten scale every level by every amount as the model does."""
    draw = random.Random(3)
    cases = [(*draw.choices(range(32), k=3), draw.randrange(256)) for _ in range(250)]
    cases += [(31, 0, 7, edge) for edge in (0, 1, 127, 254, 255)]
    color = "MAKECOLOR_5BIT_RGB(c[0], c[1], c[2])"
    dimmed = _answers(f"show(dim({color}, c[3]));", cases)
    assert dimmed == [model.dim((r, g, b), by) for r, g, b, by in cases]
    lightened = _answers(f"show(lighten({color}, c[3]));", cases)
    assert lightened == [model.lighten((r, g, b), by) for r, g, b, by in cases]


def test_random_sequence_of_every_tile() -> None:
    """Before randomize(), chance is the same on every tile: random() draws from the model's generator."""
    limits = [1, 2, 5, 9, 63, 99, 100, 255, 1000, 30000, 40000, 65534, 0] * 10
    source = model.words()
    assert _answers("show(random(c[0]));", [(limit,) for limit in limits]) == [
        (model.random(limit, source),) for limit in limits
    ]


def test_random_word_sequence() -> None:
    """RandomWord steps the generator before use and answers its lower half."""
    answers = _answers("show(randomWord());", [(0,)] * 100)
    assert answers == [(word,) for word in islice(model.words(), 100)]


def test_random_in_a_constructor() -> None:
    """A global initialiser may draw; setup() goes on with the sequence."""
    text = """
        #include "Serial.h"
        ServicePortSerial port;
        word first = randomWord();
        void setup() { port.begin(); port.println(first); port.println(randomWord()); port.println("end"); }
        void loop() {}
    """
    assert printed(text) == [str(word) for word in islice(model.words(), 2)]


def test_color_constants() -> None:
    """The named colors have the levels of the contract, and bit 0 set."""
    named = {
        "RED": (31, 0, 0),
        "ORANGE": (31, 15, 0),
        "YELLOW": (31, 31, 0),
        "GREEN": (0, 31, 0),
        "CYAN": (0, 31, 31),
        "BLUE": (0, 0, 31),
        "MAGENTA": (31, 0, 31),
        "WHITE": (31, 31, 31),
        "OFF": (0, 0, 0),
    }
    prints = "".join(
        f"port.print(GET_5BIT_R({name})); port.print(' '); port.print(GET_5BIT_G({name})); port.print(' ');"
        f"port.print(GET_5BIT_B({name})); port.print(' '); port.println({name}.as_uint16);"
        for name in named
    )
    text = f"""
        #include "Serial.h"
        ServicePortSerial port;
        void setup() {{ port.begin(); {prints} port.println("end"); }}
        void loop() {{}}
    """
    expected = [(r, g, b, 1 | r << 1 | g << 6 | b << 11) for r, g, b in named.values()]
    assert [tuple(map(int, line.split())) for line in printed(text)] == expected
