"""Tables drawn as text."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.errors import LayoutError
from blinks_sim.hexgrid import neighbors
from blinks_sim.testing.drawing import draw, parse

FLOWER = """
      B
    G   C
      A
    F   D
      E
"""
small = st.integers(-5, 5)
cells = st.tuples(small, small)


def test_neighbors_lie_around_a_tile():
    """Faces 0 to 5 look up, then clockwise round, as on the table's picture."""
    drawn = parse(FLOWER)
    assert tuple(drawn[name] for name in "BCDEFG") == neighbors(drawn["A"])


def test_dots_are_bare_table():
    """A dot is as good as a blank."""
    assert parse("A . C\n. B .") == parse("A   C\n  B")


@given(st.lists(cells, min_size=1, max_size=12, unique=True))
def test_a_drawing_is_read_back(places):
    """What `draw` draws `parse` reads, wherever on the table it lay."""
    placed = dict(zip("ABCDEFGHIJKL", places, strict=False))
    read = parse(draw(placed))
    first = next(iter(read))
    q, r = placed[first]
    assert read == {name: (at[0] - q, at[1] - r) for name, at in placed.items()}


def test_a_drawing_comes_back_as_it_was():
    """The drawing of what was read is the same text, less its margins."""
    assert draw(parse(FLOWER)) == dedent(FLOWER).lstrip("\n")


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("", "there is no tile in it"),
        (". .", "there is no tile in it"),
        ("A\n\nA", "line 3: 'A' in 'A' is there twice"),
        ("A *", r"line 1: '\*' in 'A \*' is no tile"),
        ("A B", "line 1: 'B' in 'A B' lies between the cells of 'A'"),
        ("A\nB", "line 2: 'B' in 'B' lies between the cells of 'A'"),
        ("A\n B", "line 2: 'B' in 'B' lies between"),
        ("A\n\n\tB", r"line 3: '\\t' in 'B' is no tile"),
    ],
)
def test_what_is_no_drawing_is_refused(drawing: str, message: str):
    """The error names line and sign, and says how to draw."""
    with pytest.raises(LayoutError, match=message):
        parse(drawing)
