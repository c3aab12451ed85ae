"""The command line's start of a game: `blinks-sim new`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name")
def new(name: str) -> None:
    """Start a game: make a folder NAME with a small sketch, tests of it, and a recipe for GitHub Actions."""
    from .starter import create

    for path in create(name, Path()):
        click.echo(str(path))
    click.echo(f"Play it with 'blinks-sim run {name}', test it with 'pytest {name}'.")
