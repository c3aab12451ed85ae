"""Tables drawn as text: where the tiles lie, each a letter or digit, as one sees them from above.

A step down is two lines, a step to the lower right one line and two characters:

      B            face 0 of A touches B,
    G   C          face 1 C,
      A            face 2 D,
    F   D          face 3 E,
      E            face 4 F and face 5 G

Dots and blanks are the bare table.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import LayoutError
from ..hexgrid import Cell

_COLUMN = 2  # characters from one column of tiles to the next
_FORM = "draw the tile below another two lines down, one of the next column a line and two characters away"


def parse(drawing: str) -> dict[str, Cell]:
    """Return the cell of each tile by its letter, in reading order; the first one lies on (0, 0).

    Raises:
        LayoutError: no tile, a letter twice, another sign, or a tile that is not where tiles can lie.
    """
    cells: dict[str, Cell] = {}
    first: tuple[int, int] | None = None
    for number, line in enumerate(drawing.splitlines(), start=1):
        for at, sign in enumerate(line):
            if sign in " .":
                continue
            where = f"drawing, line {number}: {sign!r} in {line.strip()!r}"
            if not sign.isalnum():
                raise LayoutError(
                    f"{where} is no tile; draw tiles as letters or digits, the bare table as dots"
                )
            if sign in cells:
                raise LayoutError(f"{where} is there twice; give each tile a letter of its own")
            first = first or (at, number)
            across, down = at - first[0], number - first[1]
            if across % _COLUMN or (down - across // _COLUMN) % 2:
                raise LayoutError(f"{where} lies between the cells of {next(iter(cells))!r}; {_FORM}")
            q = across // _COLUMN
            cells[sign] = (q, (down - q) // 2)
    if not cells:
        raise LayoutError("drawing: there is no tile in it; draw tiles as letters or digits")
    return cells


def draw(cells: Mapping[str, Cell]) -> str:
    """Return the drawing of tiles on cells, lines ending in a newline; `parse` reads it."""
    left = min((q for q, _ in cells.values()), default=0)
    top = min((2 * r + q for q, r in cells.values()), default=0)
    lines: dict[int, dict[int, str]] = {}
    for name, (q, r) in cells.items():
        lines.setdefault(2 * r + q - top, {})[(q - left) * _COLUMN] = name
    text = ""
    for number in range(max(lines, default=-1) + 1):
        signs = lines.get(number, {})
        text += "".join(signs.get(at, " ") for at in range(max(signs, default=-1) + 1)) + "\n"
    return text
