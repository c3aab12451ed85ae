"""The command line's looks inside: `blinks-sim profile`, and what `run` can write down meanwhile."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any

import click

from .errors import UsageError

if TYPE_CHECKING:
    from .image import Image
    from .profile import Place, Profile
    from .table import Table

_BOOT_S = 1.0  # a tile starts its sketch within 0.7 s; what comes before is no round of it
_ROWS = 20


@contextmanager
def written_down(table: Table, ir_log: IO[str] | None, vcd: IO[str] | None) -> Iterator[None]:
    """Write the packets that pass, or pins and light, to files while a table runs."""
    with ExitStack() as stack:
        if ir_log is not None:
            from .irlog import IrLog

            stack.enter_context(IrLog(table, out=lambda entry: click.echo(str(entry), file=ir_log)))
        if vcd is not None:
            from .trace import Trace

            stack.enter_context(Trace(table, vcd))
        yield


@click.command()
@click.argument("image", metavar="SKETCH|IMAGE")
@click.option("--bios", metavar="FILE", help="Run it on this BIOS instead of the bundled one.")
@click.option(
    "--tiles", type=int, default=1, metavar="N", help="Lay N tiles; the one in the middle counts [1]."
)
@click.option("--seconds", type=float, default=5.0, metavar="S", help="Table time to count [5].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def profile(image: str, bios: str | None, tiles: int, seconds: float, as_json: bool) -> None:
    """Tell where the time and memory of SKETCH go.

    Cycles by function and by round of the main loop, loop rate, deepest stack, flash and RAM map. Counting
    begins a second after the tiles are switched on; the stack is watched from the start.
    """
    from .layout import Layout
    from .profile import Profiler
    from .start import lay
    from .table import LONGEST_RUN_S, Table

    if not 0 < seconds <= LONGEST_RUN_S:
        raise UsageError(f"cannot count for {seconds:g} seconds; give --seconds above 0 to {LONGEST_RUN_S:g}")
    loaded = _image(image, bios)
    table = Table(seed=1)
    middle = lay(table, Layout.load("flower", tiles), [loaded])[0]
    with Profiler(table, middle) as profiler:
        table.run(_BOOT_S)
        profiler.restart()
        table.run(seconds)
        result = profiler.result()
    if as_json:
        click.echo(json.dumps({"sketch": loaded.name, "fault": middle.fault, **_report(result)}))
    else:
        if middle.fault is not None:
            click.echo(f"{loaded.name} stands still: {middle.fault}", err=True)
        _print(loaded, result)


def _image(name: str, bios: str | None) -> Image:
    from .cli_build import is_sketch, sketch_image
    from .image import Image

    return sketch_image(name, bios) if is_sketch(name) else Image.load(name, bios=bios)


def _report(result: Profile) -> dict[str, Any]:
    return {**asdict(result), "loop_hz": result.loop_hz}


def _print(image: Image, result: Profile) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    console = Console()
    rounds = result.rounds
    grid = Grid(title=f"{image.name}: cycles in {result.seconds:g} s", title_justify="left")
    grid.add_column("function")
    for column in ("cycles", "share", "a round", "calls", "bytes"):
        grid.add_column(column, justify="right")
    for cost in result.functions[:_ROWS]:
        grid.add_row(
            cost.name,
            f"{cost.cycles:,}",
            f"{100 * cost.cycles / result.cycles:.1f} %",
            f"{cost.cycles / rounds:,.0f}" if rounds else "",
            f"{cost.calls:,}",
            f"{cost.size:,}",
        )
    console.print(grid)
    left = len(result.functions) - _ROWS
    if left > 0:
        console.print(f"and {left} more functions; --json lists all")
    console.print(_loop(result))
    console.print(f"Deepest stack: {result.stack_bytes} of {result.stack_room} bytes.")
    for title, places in (("flash", result.flash), ("RAM", result.ram)):
        console.print(_map(title, places))


def _loop(result: Profile) -> str:
    if result.round_ms is None:
        return "Main loop: no round; the sketch never came to show its pixels twice."
    shortest, mean, longest = result.round_ms
    return (
        f"Main loop: {result.rounds:,} rounds, {result.loop_hz:.1f} a second; "
        f"{shortest:.2f} to {longest:.2f} ms, {mean:.2f} on average."
    )


def _map(title: str, places: tuple[Place, ...]) -> Any:
    """Return a table of what lies in a memory, the biggest first; pieces of one thing together."""
    from rich.table import Table as Grid

    sizes: Counter[tuple[str, str]] = Counter()
    for place in places:
        sizes[place.name, place.kind] += place.size
    grid = Grid(title=title, title_justify="left")
    grid.add_column("what")
    grid.add_column("bytes", justify="right")
    own = [(name, size) for (name, kind), size in sizes.most_common() if kind != "bios"]
    for name, size in own[:_ROWS]:
        grid.add_row(name, f"{size:,}")
    rest = sum(size for _, size in own[_ROWS:])
    if rest:
        grid.add_row(f"{len(own) - _ROWS} others", f"{rest:,}")
    bios = sum(size for (_, kind), size in sizes.items() if kind == "bios")
    if bios:
        grid.add_row("BIOS", f"{bios:,}")
    return grid
