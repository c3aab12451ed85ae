"""The command line: parse, call, print."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from . import cli_build, cli_inside, cli_new, cli_session
from .errors import BlinksError, UsageError

if TYPE_CHECKING:
    from .image import Image
    from .layout import Layout
    from .table import Table

HEADLESS_S = 5.0
START = "start-3x5"


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blinks-sim")
@click.pass_context
def app(context: click.Context) -> None:
    """Play and test Blinks on a simulated table: real firmware on every tile.

    Alone it is short for `run fracture --layout start-3x5`.
    """
    if context.invoked_subcommand is None:
        context.invoke(run)


@app.command()
@click.argument("images", nargs=-1, metavar="[IMAGE]...")
@click.option("--bios", metavar="FILE", help="Run the sketches on this BIOS instead of the bundled one.")
@click.option("--tiles", type=int, metavar="N", help="Lay so many tiles, 1 to 500.")
@click.option("--layout", "layout_name", metavar="NAME|FILE", help="Lay the tiles like this: see 'layouts'.")
@click.option(
    "--seconds", type=float, metavar="S", help=f"Table time to run [without a window: {HEADLESS_S:g}]."
)
@click.option(
    "--sketch", "sketches", multiple=True, metavar="IMAGE", help="With --on: run this on some tiles."
)
@click.option("--on", multiple=True, metavar="IDS", help="The tiles of the --sketch before it: 1-6 or 0,3.")
@click.option("--watch", is_flag=True, help="Build sketches again when saved, and flash them where they lie.")
@click.option("--headless", is_flag=True, help="Open no window: run, then print the table.")
@click.option("--json", "as_json", is_flag=True, help="With --headless: print one JSON object.")
@click.option("--seed", type=int, default=1, metavar="N", help="Seed of all chance on the table [1].")
@click.option(
    "--ir-log",
    type=click.File("w", encoding="utf-8", lazy=False),
    metavar="FILE",
    help="Write each packet that passes, decoded (-: stdout).",
)
@click.option(
    "--vcd",
    type=click.File("w", encoding="utf-8", lazy=False),
    metavar="FILE",
    help="Write light, anodes and buttons as VCD.",
)
@click.option("--record", metavar="FILE", help="Record the run as a session, for 'replay'.")
def run(
    images: tuple[str, ...],
    bios: str | None,
    tiles: int | None,
    layout_name: str | None,
    seconds: float | None,
    sketches: tuple[str, ...],
    on: tuple[str, ...],
    watch: bool,
    headless: bool,
    as_json: bool,
    seed: int,
    ir_log: IO[str] | None,
    vcd: IO[str] | None,
    record: str | None,
) -> None:
    """Run IMAGEs on a table of tiles: bundled names (see 'images'), sketches, Intel HEX or ELF files.

    A sketch is an .ino file or a sketch folder, and is built first.

    Several images are dealt to the tiles in turn. Without any, it is Fracture in a start for three players.
    With --sketch and --on, tiles that no --on names run the IMAGEs, or else the first --sketch.
    """
    if as_json and not headless:
        raise UsageError("--json prints what a table without a window came to; add --headless")
    if as_json and ir_log is sys.stdout:
        raise UsageError("--json and --ir-log - would both write to stdout; give --ir-log a file")
    if watch and headless:
        raise UsageError("--watch flashes tiles while a window shows them; leave --headless out")
    if watch and not any(map(_is_sketch, images + sketches)):
        raise UsageError("--watch watches sketches; name an .ino file or a sketch folder")
    if seconds is not None:
        _check_time(seconds)
    asked = cli_build.asked_for(sketches, on)
    if asked and tiles is None and layout_name is None:
        tiles = max(7, *(tile + 1 for tile in asked))
    layout = _layout(layout_name, tiles, bool(images or asked))
    names = cli_build.deal(images, asked, len(layout.spots))
    loaded = _images(names, bios, layout)
    windowed = not headless and _has_display()
    if not (headless or windowed):
        if layout.name != START or names not in ((), ("fracture",)):
            raise UsageError(
                "there is no display here to open a window on; add --headless to run without one"
            )
        click.echo(_NO_DISPLAY.format(HEADLESS_S if seconds is None else seconds), err=True)
    table = _table(seed, layout, loaded)
    with cli_session.recorded(table, record), cli_inside.written_down(table, ir_log, vcd):
        if windowed:
            watched = {name: image for name, image in zip(names, loaded, strict=False) if _is_sketch(name)}
            until_s = None if seconds is None else table.time_s + seconds
            _play(table, loaded, until_s, watched if watch else {}, bios)
            return
        _run(table, HEADLESS_S if seconds is None else seconds)
    if as_json:
        click.echo(json.dumps(_report(table)))
    else:
        _print(table)


# Said where somebody only wants to see what this is: the start table shows it without a window as well.
_NO_DISPLAY = (
    "There is no display here, so the table runs without a window for {:g} s. Options: --headless (the same "
    "without this notice), --seconds S, --json, --tiles N, --layout NAME; see 'blinks-sim run --help'."
)


@app.command()
def images() -> None:
    """List the bundled images."""
    from .image import bundled

    click.echo("\n".join(bundled()))


@app.command()
def layouts() -> None:
    """List the built-in layouts and say what a layout file is."""
    click.echo(
        "line, ring, flower, triangle   any number of tiles: --tiles N\n"
        "start-PxK                      P teams (2-6) of K tiles (2-6) each, for Fracture\n"
        "FILE                           a line for each tile: q r [turn] [team]"
    )


app.add_command(cli_build.build)
app.add_command(cli_inside.profile)
app.add_command(cli_new.new)
app.add_command(cli_session.replay)


def _check_time(seconds: float) -> None:
    from .table import LONGEST_RUN_S

    if not 0 <= seconds <= LONGEST_RUN_S:
        raise UsageError(f"cannot run for {seconds:g} seconds; give --seconds 0 to {LONGEST_RUN_S:g}")


def _layout(name: str | None, tiles: int | None, has_images: bool) -> Layout:
    from .layout import Layout

    if name is None:
        name = START if tiles is None and not has_images else "flower"
    return Layout.load(name, tiles)


def _images(names: Sequence[str], bios: str | None, layout: Layout) -> list[Image]:
    from .image import Image
    from .start import TEAMS

    if not names:
        teams = max((spot.team or 0 for spot in layout.spots), default=0) + 1
        names = ["fracture" if teams <= len(TEAMS["fracture"]) else "fracture6"]
    loaded = {
        name: cli_build.sketch_image(name, bios) if _is_sketch(name) else Image.load(name, bios=bios)
        for name in dict.fromkeys(names)
    }
    return [loaded[name] for name in names]


def _is_sketch(name: str) -> bool:
    from .image import bundled

    return name not in bundled() and cli_build.is_sketch(name)


def _table(seed: int, layout: Layout, images: Sequence[Image]) -> Table:
    """Return a table laid out and ready to play."""
    from .start import join_teams, lay
    from .table import Table

    table = Table(seed=seed, threads=min(os.cpu_count() or 1, 4))
    join_teams(table, lay(table, layout, images), layout)
    return table


def _play(
    table: Table,
    images: Sequence[Image],
    until_s: float | None,
    watched: Mapping[str, Image],
    bios: str | None,
) -> None:
    """Give a table to the desk until its window is closed; sketches that are `watched` follow their files."""
    from .cli_watch import Watch
    from .pace import Pacer
    from .ui import run_desk

    title = ", ".join(dict.fromkeys(image.name for image in images))
    with Pacer(table) as pacer, Watch(pacer, watched, lambda path: cli_build.sketch_image(path, bios)):
        run_desk(pacer, title=title, image=images[0], until_s=until_s)


def _has_display() -> bool:
    from .ui import available

    return available()


def _run(table: Table, seconds: float) -> None:
    """Run the table, with a bar where somebody watches."""
    if not sys.stderr.isatty():
        table.run(seconds)
        return
    from rich.console import Console
    from rich.progress import track

    slices = max(round(seconds / 0.1), 1)
    console = Console(stderr=True)
    for _ in track(range(slices), "running", console=console, transient=True):
        table.run(seconds / slices)


def _report(table: Table) -> dict[str, Any]:
    return {
        "time_s": table.time_s,
        "digest": table.digest(),
        "tiles": [
            {
                "id": tile.id,
                "cell": tile.cell,
                "turn": tile.turn,
                "faces": [[round(channel, 6) for channel in face] for face in tile.faces.tolist()],
                "color": tile.color,
                "neighbors": [None if other is None else other.id for other in tile.neighbors],
                "fault": tile.fault,
                "millis": tile.millis,
                "sketch": tile.image.name,
            }
            for tile in table.tiles
        ],
    }


def _print(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    from .colors import color_name

    grid = Grid(title=f"{len(table.tiles)} tiles after {table.time_s:g} s", title_justify="left")
    for column in ("id", "cell", "sketch", "faces 0–5", "neighbors 0–5", "millis", "fault"):
        grid.add_column(column)
    for tile in table.tiles:
        names = [color_name(face) for face in tile.faces.tolist()]
        colors = names if len(set(names)) > 1 else names[:1]
        grid.add_row(
            str(tile.id),
            "{} {}".format(*tile.cell) if tile.cell else "",
            tile.image.name,
            Text(" ").join(Text(name, style=_STYLES[name]) for name in colors),
            " ".join("·" if other is None else str(other.id) for other in tile.neighbors),
            str(tile.millis),
            tile.fault or "",
        )
    Console().print(grid)


_STYLES = {
    "RED": "red",
    "ORANGE": "orange1",
    "YELLOW": "yellow",
    "GREEN": "green",
    "CYAN": "cyan",
    "BLUE": "blue",
    "MAGENTA": "magenta",
    "WHITE": "bold",
    "OFF": "dim",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    The exit status is 0, 2 for what a user can mend (one line on stderr), or 130 when interrupted.
    """
    _make_streams_safe()
    try:
        app.main(args=arguments, prog_name="blinks-sim", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        _fail(error.format_message())
    except BlinksError as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            _fail(f"{str(error.filename)[:40]}…: {error.strerror}; give a shorter one")
        if error.errno != errno.ENOSPC:
            raise
        _drop_output()
        _fail("cannot write all output, there is no space left where it goes; make room")


def _make_streams_safe() -> None:
    """Let closed streams swallow what is written; print "?" for what the output's encoding lacks."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _drop_output() -> None:
    """Keep Python from flushing at exit what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    click.echo(f"blinks-sim: {' '.join(message.split())}", err=True)
    sys.exit(2)
