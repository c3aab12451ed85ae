"""The command line: what it prints, and what it says to bad input."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from blinks_sim import Image, cli
from blinks_sim.image import bundled

from .programs import IDLE


def run(*arguments: str) -> int:
    """Run the command line here; return its exit status."""
    try:
        cli.main(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def fresh(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, without a display."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    kept = {name: value for name, value in os.environ.items() if name not in displays}
    return subprocess.run(
        [sys.executable, "-m", "blinks_sim", *arguments],
        env={**kept, **environment},
        timeout=120,  # an unwanted window would stay open for ever
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def idle(tmp_path: Path) -> str:
    """Return a file with a whole image that does nothing."""
    path = tmp_path / "idle.hex"
    path.write_text(IDLE.to_hex(), encoding="ascii")
    return str(path)


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    """Return a file with a sketch of one NOP: behind it lies erased flash, which is no instruction."""
    path = tmp_path / "faulty.hex"
    path.write_text(":021700000000E7\n:00000001FF\n", encoding="ascii")
    return str(path)


# What it prints


def test_json_is_one_object_with_the_whole_table(capsys: pytest.CaptureFixture[str]):
    """`--headless --json` prints exactly the promised keys, with ids for neighbors."""
    assert run("run", "fracture", "--tiles", "3", "--headless", "--json", "--seconds", "1.5") == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert err == ""
    assert set(report) == {"time_s", "digest", "tiles"}
    assert report["time_s"] == 1.5
    assert len(report["digest"]) == 16
    assert [tile["id"] for tile in report["tiles"]] == [0, 1, 2]
    for tile in report["tiles"]:
        assert set(tile) == {
            *("id", "cell", "turn", "faces", "color", "neighbors", "fault", "millis", "sketch"),
        }
        assert (tile["color"], tile["fault"], tile["sketch"], tile["turn"]) == ("RED", None, "fracture", 0)
        assert [len(face) for face in tile["faces"]] == [3] * 6
        assert len(tile["neighbors"]) == 6
        assert 500 < tile["millis"] < 1500
    cells = {tile["id"]: tile["cell"] for tile in report["tiles"]}
    assert cells[0] == [0, 0]
    for tile in report["tiles"]:
        assert sorted(other for other in tile["neighbors"] if other is not None) == sorted(
            {0, 1, 2} - {tile["id"]}
        )


def test_a_seed_decides_everything(capsys: pytest.CaptureFixture[str]):
    """The same command prints the same digest; another seed another one."""

    def digest(seed: str) -> str:
        assert (
            run("run", "fracture", "--tiles=2", "--headless", "--json", "--seconds=0.9", "--seed", seed) == 0
        )
        return str(json.loads(capsys.readouterr().out)["digest"])

    assert digest("7") == digest("7") != digest("8")


def test_images_are_dealt_in_turn(idle: str, capsys: pytest.CaptureFixture[str]):
    """Several images go to the tiles one after the other."""
    arguments = ("run", idle, "fracture", "--layout", "line", "--tiles", "5", "--bios", "none")
    assert run(*arguments, "--headless", "--json", "--seconds", "0") == 0
    report = json.loads(capsys.readouterr().out)
    assert [tile["sketch"] for tile in report["tiles"]] == ["idle", "fracture", "idle", "fracture", "idle"]


def test_a_table_is_printed_for_people(faulty: str, capsys: pytest.CaptureFixture[str]):
    """Without --json each tile has a line with its cell, colors, neighbors and fault."""
    assert run("run", "fracture", faulty, "--tiles", "2", "--headless", "--seconds", "1") == 0
    out = capsys.readouterr().out
    assert "2 tiles after 1 s" in out
    rows = [line for line in out.splitlines() if "fracture" in line or "faulty" in line]
    assert ["RED" in row for row in rows] == [True, False]
    assert "illegal" in rows[1]


@pytest.mark.parametrize(("teams", "each"), [(3, 5), (6, 2)])
def test_a_start_has_its_teams(teams: int, each: int, capsys: pytest.CaptureFixture[str]):
    """Each tile of a start shows its team's color; six teams take the image that knows six."""
    assert run("run", "--layout", f"start-{teams}x{each}", "--headless", "--json", "--seconds", "0") == 0
    report = json.loads(capsys.readouterr().out)
    cycle = ("RED", "BLUE", "YELLOW", "GREEN", "ORANGE", "MAGENTA")
    assert [tile["color"] for tile in report["tiles"]] == [
        cycle[number // each] for number in range(teams * each)
    ]


def test_teams_are_left_alone_by_other_sketches(capsys: pytest.CaptureFixture[str]):
    """A start layout only places tiles that do not run Fracture."""
    assert run("run", "clicks", "--layout", "start-2x2", "--headless", "--json", "--seconds", "0.1") == 0
    assert json.loads(capsys.readouterr().out)["time_s"] == 0.1


def test_images_and_layouts_are_listed(capsys: pytest.CaptureFixture[str]):
    """Newcomers can ask what there is."""
    assert run("images") == 0
    assert capsys.readouterr().out.split() == sorted(bundled())
    assert run("layouts") == 0
    assert "start-PxK" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["-h"]])
def test_help_is_there(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    """Help exits with 0 and names the short form."""
    assert run(*arguments) == 0
    assert "Usage: blinks-sim" in capsys.readouterr().out


# Bad input


def damaged(tmp_path: Path) -> dict[str, Path]:
    """Write one bad image of each kind; return the files by what is wrong."""
    good = Image.load("fracture").to_hex()
    lines = good.splitlines()
    wrong = lines[3][:-1] + ("0" if lines[3][-1] != "0" else "1")
    # A 64-bit ELF header for another machine (62: x86-64), and nothing else.
    elf = (
        b"\x7fELF\x02\x01\x01"
        + bytes(9)
        + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0)
    )
    over = ":02380000940C26\n:00000001FF\n"
    contents = {
        "truncated": good[: len(good) // 2].encode(),
        "checksum": "\n".join([*lines[:3], wrong, *lines[4:]]).encode(),
        "part": elf,
        "over": over.encode(),
        "empty": b"",
        "binary": bytes(range(256)),
    }
    files = {}
    for name, content in contents.items():
        files[name] = tmp_path / f"{name}.{'elf' if name == 'part' else 'hex'}"
        files[name].write_bytes(content)
    return files


@pytest.mark.parametrize("kind", ["truncated", "checksum", "part", "over", "empty", "binary"])
@pytest.mark.parametrize("as_bios", [False, True])
def test_a_bad_image_is_one_line(
    kind: str, as_bios: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Whatever is wrong with a file: one line that names it, exit status 2."""
    path = str(damaged(tmp_path)[kind])
    arguments = ["fracture", "--bios", path] if as_bios else [path]
    assert run("run", *arguments, "--headless", "--seconds", "0") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("blinks-sim: ")
    assert path in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tiles", "0"], "cannot lay 0 tiles; a table holds 1 to 500"),
        (["--tiles", "10000"], "cannot lay 10000 tiles; a table holds 1 to 500"),
        (["--tiles", "many"], "'many' is not a valid integer"),
        (["--tiles", "7", "--layout", "start-3x5"], "start-3x5: has 15 tiles, not 7"),
        (["--layout", "flowr"], "no layout 'flowr'"),
        (["--layout", "start-7x5"], "no layout 'start-7x5'"),
        (["--layout", "start-5x2"], "start-5x2: has a team 4, but 'fracture' has colors for teams 0 to 3"),
        (["--seconds", "-1"], "cannot run for -1 seconds"),
        (["--seconds", "nan"], "cannot run for nan seconds"),
        (["--seconds", "1e300"], "cannot run for 1e+300 seconds"),
        (["--seed", "x"], "'x' is not a valid integer"),
        (["--colour"], "No such option '--colour'"),
        (["fractur"], "no image 'fractur'"),
        (["nowhere/sketch.hex"], "nowhere/sketch.hex"),
    ],
)  # fmt: skip
def test_bad_arguments_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    """Arguments that make no sense: one line that quotes them, exit status 2."""
    assert run("run", "fracture", "--headless", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("blinks-sim: ")
    assert message in err
    assert err.count("\n") == 1


def test_json_wants_headless(capsys: pytest.CaptureFixture[str]):
    """A window prints nothing, so --json without --headless is refused."""
    assert run("run", "fracture", "--json") == 2
    assert "add --headless" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["dance"], ["--what"]])
def test_unknown_commands_are_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    """So are commands that do not exist."""
    assert run(*arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_overlapping_layout_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Two tiles on one cell: the file, the line and the other line."""
    path = tmp_path / "mine.txt"
    path.write_text("0 0\n1 0\n0 0\n", encoding="utf-8")
    assert run("run", "fracture", "--headless", "--layout", str(path)) == 2
    err = capsys.readouterr().err
    assert f"{path}:3: cell of '0 0' is taken by the tile of line 1" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("as_layout", [False, True])
def test_an_unreadable_file_is_one_line(
    as_layout: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A file that the system will not read: one line with the system's reason."""
    path = tmp_path / "locked.hex"
    path.write_text(":00000001FF\n", encoding="ascii")

    def refuse(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    arguments = ["fracture", "--layout", str(path)] if as_layout else [str(path)]
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text" if as_layout else "read_bytes", refuse)
        if not as_layout:
            patched.setattr(Path, "open", refuse)
        status = run("run", *arguments, "--headless")
    err = capsys.readouterr().err
    assert status == 2
    assert str(path) in err
    assert "Permission denied" in err
    assert err.count("\n") == 1


def test_bugs_keep_their_traceback(monkeypatch: pytest.MonkeyPatch):
    """What is not a user's mistake is not dressed up as one."""
    monkeypatch.setattr(cli, "_run", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        run("run", "fracture", "--tiles", "1", "--headless")


# As a program


def test_no_display_is_said_and_the_scene_runs():
    """Bare, without a display: a notice on stderr with the options, the start on stdout, exit status 0."""
    ended = fresh()
    assert ended.returncode == 0, ended.stderr
    assert "There is no display here" in ended.stderr
    assert ended.stderr.count("\n") == 1
    for option in ("--headless", "--seconds", "--json", "run --help"):
        assert option in ended.stderr
    assert ended.stdout.count("RED") == ended.stdout.count("BLUE") == ended.stdout.count("YELLOW") == 5


@pytest.mark.parametrize("arguments", [("fracture", "--layout", "start-3x5"), ("--seconds", "1")])
def test_the_start_table_in_full_is_the_same_as_bare(arguments: tuple[str, ...]):
    """What bare is short for needs no display either."""
    ended = fresh("run", *arguments)
    assert (ended.returncode, ended.stderr.count("There is no display here")) == (0, 1)


@pytest.mark.parametrize("arguments", [("fracture",), ("--tiles", "3"), ("hello", "--layout", "start-3x5")])
def test_a_table_of_ones_own_wants_a_display_or_headless(arguments: tuple[str, ...]):
    """Whoever asks for a window where none can be is told how to do without, and nothing is run."""
    ended = fresh("run", *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "blinks-sim: there is no display here to open a window on; add --headless to run without one\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("output", [[], ["--json"]])
def test_output_that_cannot_be_written_is_one_line(output: list[str]):
    """No space left is the user's to mend."""
    command = [sys.executable, "-m", "blinks_sim", "run", "hello", "--tiles", "1", "--headless", *output]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "no space left" in ended.stderr


@pytest.mark.parametrize("option", [[], ["--bios"], ["--layout"]])
def test_a_name_too_long_for_the_system_is_one_line(option: list[str], capsys: pytest.CaptureFixture[str]):
    """Even asking whether such a file is there fails."""
    assert run("run", "--headless", *option, 5000 * "x") == 2
    ended = capsys.readouterr()
    assert (ended.out, ended.err.count("\n")) == ("", 1)
    assert "xxx…: File name too long" in ended.err


def test_the_output_may_lack_characters():
    """A terminal without Unicode gets the table all the same."""
    ended = fresh("run", "fracture", "--tiles", "2", "--headless", "--seconds", "1", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("RED") == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_streams_may_be_closed(closed: str):
    """Nobody has to listen."""
    command = f"{sys.executable} -m blinks_sim run hello --tiles 1 --headless --seconds 0 {closed}"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_closed_pipe_is_no_error():
    """Whoever reads the output may stop reading."""
    command = (
        f"{sys.executable} -m blinks_sim run fracture --tiles 200 --headless --json --seconds 0 | head -c 10"
    )
    ended = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '{"time_s":', "")


def test_a_window_gets_the_table_ready_to_play(monkeypatch: pytest.MonkeyPatch):
    """With a display the desk gets a running table, its tiles in their teams already."""
    from blinks_sim import ui

    seen = {}

    def desk(pacer, *, title: str, image: Image, until_s: float | None) -> None:
        colors = pacer.call(lambda table: [tile.color for tile in table.tiles]).result(60)
        seen.update(title=title, image=image, colors=colors, tiles=len(pacer.frame.tiles), until_s=until_s)

    monkeypatch.setattr(ui, "available", lambda: True)
    monkeypatch.setattr(ui, "run_desk", desk)
    assert run() == 0
    assert seen == {
        "title": "fracture",
        "image": Image.load("fracture"),
        "colors": ["RED"] * 5 + ["BLUE"] * 5 + ["YELLOW"] * 5,
        "tiles": 15,
        "until_s": None,
    }


def test_a_window_closes_after_its_seconds():
    """With --seconds the desk closes by itself; SDL's dummy driver, asked for, counts as a display."""
    ended = fresh("run", "fracture", "--tiles", "1", "--seconds", "0.2", SDL_VIDEODRIVER="dummy")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
