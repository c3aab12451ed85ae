"""What a failed test tells of its table: text, and files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..colors import color_name
from ..errors import BlinksError
from ..irlog import Entry, IrLog
from ..session import Recorder, Replay
from ..table import QUANTUM_S
from .drawing import draw
from .tables import Blinks

_PACKETS = 12  # shown of the last ones
_PACKETS_S = 0.5  # and not from longer ago


def explain(blinks: Blinks, folder: Path) -> str:
    """Return the table as text, and the paths of what was saved of it in a folder."""
    return "\n".join([describe(blinks), "", *packets(blinks), "", *_saved(blinks, folder)])


def describe(blinks: Blinks) -> str:
    """Return the table as text: its drawing, and a line a tile with colors, values, clock and fault."""
    rows: list[tuple[str, ...]] = [
        ("tile", "faces 0-5", "sends 0-5", "hears 0-5", "touches 0-5", "millis", "")
    ]
    rows += [_row(blinks, name) for name in blinks.names]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    cells = {name: cell for name in blinks.names if (cell := blinks[name].cell) is not None}
    return "\n".join([f"after {blinks.table.time_s:g} s, seed {blinks.table.seed}:", draw(cells), *lines])


def _row(blinks: Blinks, name: str) -> tuple[str, ...]:
    tile = blinks[name]
    colors = [color_name(face) for face in tile.faces.tolist()]
    return (
        name,
        " ".join(colors if len(set(colors)) > 1 else colors[:1]),
        *_values(blinks, name),
        " ".join(other or "." for other in blinks.neighbors(name)),
        str(tile.millis),
        tile.fault or "",
    )


def _values(blinks: Blinks, name: str) -> tuple[str, str]:
    """Give the values sent and received; nothing where the tile runs no sketch that we can look into."""
    try:
        sent = [str(blinks.sent(name, face)) for face in range(6)]
        received = [blinks.received(name, face) for face in range(6)]
    except BlinksError:
        return "", ""
    return " ".join(sent), " ".join("." if value is None else str(value) for value in received)


def packets(blinks: Blinks) -> list[str]:
    """Return the last packets that went from tile to tile, a line each.

    They were not watched while the test ran, which costs time; so what was done is done once more.
    """
    table = blinks.table
    again = Replay(Recorder(table).session())
    again.run_to(max(table.quantum - round(_PACKETS_S / QUANTUM_S), 0))
    with IrLog(again.table) as log:
        again.run_to(table.quantum)
    if again.table.digest() != table.digest():
        return ["packets: not known, as the test did something to a chip that the table does not know of"]
    names = {blinks[name].id: name for name in blinks.names}
    between = [entry for entry in log.entries if entry.receiver is not None]
    if not between:
        return [f"packets: none went from tile to tile in the last {_PACKETS_S:g} s"]
    return ["last packets:", *(_packet(entry, names) for entry in between[-_PACKETS:])]


def _packet(entry: Entry, names: Mapping[int, str]) -> str:
    faults = f" [{', '.join(entry.faults)}]" if entry.faults else ""
    faces = [face for face in (entry.sender, entry.receiver) if face is not None]
    way = " > ".join(f"{names.get(tile, tile)}{face}" for tile, face in faces)
    return f"  {entry.start_ps / 1e12:.4f} s  {way}  {entry.kind:8} {entry.text}{faults}"


def _saved(blinks: Blinks, folder: Path) -> list[str]:
    from ..picture import save

    picture, session = folder / "table.png", folder / "table.blinks"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(blinks.table.frame(), picture)
        Recorder(blinks.table).session().save(session)
    except (OSError, BlinksError) as error:
        return [f"picture and session: not saved ({error})"]
    return [f"picture: {picture}", f"session: {session}"]
