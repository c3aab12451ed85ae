"""The command line's sessions: `blinks-sim replay`, and `run --record`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .moments import Frame
    from .session import Replay
    from .table import Table

_GIF_STEP_S = 0.05
_GIF_SIZE = (480, 360)


@contextmanager
def recorded(table: Table, path: str | None) -> Iterator[None]:
    """Write what happens to a table to a session file, also when it is interrupted."""
    if path is None:
        yield
        return
    from .session import Recorder
    from .session.file import check_writable

    check_writable(Path(path))
    with Recorder(table) as recorder:
        try:
            yield
        finally:
            recorder.session().save(path)


@click.command()
@click.argument("file")
@click.option("--verify", is_flag=True, help="Compare with the checkpoints: exit status 1 if it differs.")
@click.option("--gif", metavar="OUT", help="Draw the run as an animated picture.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def replay(file: str, verify: bool, gif: str | None, as_json: bool) -> None:
    """Play the session in FILE again, bit for bit, without a window.

    Exit status: 0 as recorded, 1 it went elsewhere (the first difference is told), 2 the file cannot be used.
    """
    from .session import Replay, Session

    session = Session.load(file)
    again = Replay(session, threads=2)
    if gif is not None:
        _draw(again, Path(gif))
    found = None
    with _bar("replaying") as progress:
        if verify:
            found = Replay(session, threads=2).verify(progress)
        elif gif is None:
            again.finish()
    result = {
        "time_s": session.seconds,
        "commands": len(session.commands),
        "checkpoints": len(session.checkpoints),
        "same": None if not verify else found is None,
        "divergence": None
        if found is None
        else {"time_s": found.time_s, "tile": found.tile, "field": found.field},
    }
    if as_json:
        click.echo(json.dumps(result))
    elif found is not None:
        click.echo(str(found))
    else:
        same = f", the same at {len(session.checkpoints)} checkpoints" if verify else ""
        click.echo(f"{session.seconds:g} s, {len(session.commands)} commands{same}")
    if found is not None:
        raise SystemExit(1)


def _draw(again: Replay, out: Path) -> None:
    from .picture.animation import animate
    from .session.file import check_writable

    check_writable(out)
    with _bar("drawing") as progress:
        animate(_frames(again, progress), out, _GIF_SIZE, _GIF_STEP_S)


def _frames(again: Replay, progress: Callable[[float], None]) -> Iterator[Frame]:
    from .table import QUANTUM_S

    for quantum in range(0, again.session.end + 1, round(_GIF_STEP_S / QUANTUM_S)):
        again.run_to(quantum)
        yield again.table.frame()
        progress(quantum / max(again.session.end, 1))


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None]]:
    """Show a bar where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda share: progress.update(task, completed=share)
