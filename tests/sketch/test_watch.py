"""Sketches that are watched: saved, built again, flashed to their tiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from blinks_sim import Image, Table, cli
from blinks_sim.cli_build import sketch_image
from blinks_sim.cli_watch import Watch
from blinks_sim.pace import Pacer

from .making import need_tools, write

RED = "void setup() {}\nvoid loop() { setColor(RED); }\n"
BLUE = RED.replace("RED", "BLUE")


def test_a_saved_sketch_is_flashed_where_its_tiles_lie(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Tiles of a sketch get what it builds to now, also those added later; a broken save changes none."""
    need_tools()
    folder = write(tmp_path / "game", game_ino=RED)
    first = sketch_image(str(folder), None)
    table = Table(seed=1)
    table.add(first, cell=(0, 0))
    table.add(Image.load("hello"), cell=(1, 0))

    def running() -> list[Image]:
        return pacer.call(lambda table: [tile.image for tile in table.tiles]).result()

    with Pacer(table, speed=0) as pacer:
        watch = Watch(pacer, {str(folder): first}, lambda path: sketch_image(path, None))
        watch.look()
        hello = Image.load("hello")
        assert running() == [first, hello]

        write(folder, game_ino=BLUE)
        watch.look()
        second = sketch_image(str(folder), None)
        assert second != first
        assert running() == [second, hello]
        assert "game: built again, " in capsys.readouterr().err

        write(folder, game_ino="void setup() {")
        watch.look()
        assert running() == [second, hello]
        assert "blinks-sim: game does not build: " in capsys.readouterr().err

        pacer.call(lambda table: table.add(first, cell=(2, 0))).result()
        watch.look()
        assert running() == [second, hello, second]

        write(folder, game_ino=RED + "// back again\n")
        watch.look()
        watch.look()
        assert running() == [first, hello, first]
    assert [tile.cell for tile in table.tiles] == [(0, 0), (1, 0), (2, 0)]


def test_watching_runs_beside_the_table(tmp_path: Path):
    """The watching thread ends with its context, whatever it was doing."""
    with Pacer(Table(seed=1), speed=0) as pacer, Watch(pacer, {}, lambda path: Image.load(path)):
        assert pacer.call(lambda table: len(table.tiles)).result() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hello", "--watch"], "--watch watches sketches; name an .ino file or a sketch folder"),
        (
            ["x.ino", "--watch", "--headless"],
            "--watch flashes tiles while a window shows them; leave --headless out",
        ),
    ],
)
def test_watch_needs_a_sketch_and_a_window(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    """--watch is refused where there is nothing to watch or nobody to see it."""
    with pytest.raises(SystemExit) as end:
        cli.main(["run", *arguments])
    assert end.value.code == 2
    assert capsys.readouterr().err == f"blinks-sim: {message}\n"
