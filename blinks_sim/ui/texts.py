"""Every word the desk shows, in one place."""

from __future__ import annotations

HINTS = (
    "Drag a tile: its cluster moves, magnets snap",
    "Draw a line across tiles: they split",
    "Click a tile: its button; triple click: next team",
    "H: all gestures and keys",
)

HELP_TITLE = "Hands and keys"
HELP = (
    ("drag a tile", "move its whole cluster; the outline shows where it will land"),
    ("Alt + drag, right drag", "lift out this one tile"),
    ("Q, E or wheel while dragging", "turn what you hold by 60°"),
    ("drag on the desk", "draw a line that splits a cluster where it crosses"),
    ("click, double, triple click", "press the tile's button; in Fracture three clicks change team"),
    ("press and hold", "hold the button down"),
    ("right click", "select a tile without pressing it"),
    ("Space", "pause, go on"),
    ("+  −  or  ]  [", "faster, slower"),
    ("A, Insert", "add a tile at the pointer"),
    ("Delete", "remove the tile under the pointer, or the selected one"),
    ("R", "reset the tile under the pointer, or the selected one"),
    ("I", "show the tiles' numbers"),
    ("F", "fit the table into the window"),
    ("Esc", "put back what you hold; close this sheet"),
    ("H, F1", "this sheet"),
)
HELP_CLOSE = "Press H or click to close"

PAUSE, GO_ON = "Pause", "Go on"
SLOWER, FASTER = "Slower", "Faster"
ADD, REMOVE, RESET, HELP_BUTTON = "Add", "Remove", "Reset", "Help"
TIPS = {
    "pause": "Pause or go on (Space)",
    "slower": "Slower (−)",
    "faster": "Faster (+)",
    "add": "Add a tile (A)",
    "remove": "Remove the selected tile (Delete)",
    "reset": "Reset the selected tile (R)",
    "help": "All gestures and keys (H)",
}

PAUSED = "paused"
NO_TILE = "No tile there: point at one, or select one with a click"
NOTHING_SEPARATED = "That line separates nothing: draw it right across a cluster"
DRAW_ON = "Draw right across a cluster to split it there"
NO_ROOM = "No room here: let go and it returns"
RETURNED = "No room there: put back"
PUT_BACK = "Put back"
NO_ROOM_TO_SPLIT = "No room to slide the parts asunder: drag other tiles away first"
NO_ROOM_TO_ADD = "No room for another tile here"
EMPTY = "An empty table: press A to add a tile"
BUSY = "Let go of what you hold first"


def will_dock(contacts: int) -> str:
    """Say where what is held will land."""
    return f"Snaps to {counted(contacts, 'contact')}: let go to land, Q or E to turn"


def will_lie(tiles: int) -> str:
    """Say that what is held can lie where it is."""
    return f"Let go to lay down {counted(tiles, 'tile')} here, Q or E to turn"


def will_split(sizes: list[int]) -> str:
    """Say what a ribbon will do."""
    return f"Let go to split off {counted(sum(sizes), 'tile')}"


def was_split(sizes: list[int]) -> str:
    """Say what a ribbon did."""
    return f"Split off {counted(sum(sizes), 'tile')}"


def counted(number: int, thing: str) -> str:
    """Return "1 tile", "2 tiles" …"""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def at_rest(tiles: int, clusters: int) -> str:
    """Say what lies on the table."""
    return f"{counted(tiles, 'tile')} in {counted(clusters, 'cluster')}"


def about_tile(number: int, sketch: str, neighbors: int) -> str:
    """Describe the tile under the pointer."""
    return f"Tile {number} · {sketch} · {counted(neighbors, 'neighbor')}"


def faulted(number: int, fault: str) -> str:
    """Say why a tile has stopped."""
    return f"Tile {number} has stopped: {fault}. R resets it"


def speed(percent: float) -> str:
    """Return the readout of the speed."""
    digits = 0 if percent >= 9.5 or percent == 0 else 1
    return f"{percent:.{digits}f} % of real time"


def asked(percent: float) -> str:
    """Return the speed asked for, where the machine does not reach it."""
    return f"asked {percent:g} %"
