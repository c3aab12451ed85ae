"""`blinks-sim build`, and sketches where `blinks-sim run` takes an image."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from blinks_sim import Image, cli

from .making import need_tools, write

GOOD = "void setup() {}\nvoid loop() { setColor(GREEN); }\n"
WARNS = "void setup() { int unused; }\nvoid loop() {}\n"
BAD = "void setup() {}\nvoid loop() {\n\tsetColour(GREEN);\n}\n"


def run(*arguments: object) -> int:
    """Run the command line here; return its exit status."""
    need_tools()
    try:
        cli.main([str(argument) for argument in arguments])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_the_size_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A build tells how much of the flash and the RAM the sketch takes, and what is left for the stack."""
    assert run("build", write(tmp_path / "good", good_ino=GOOD)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    hit = re.fullmatch(
        r"good uses (1,\d{3}) of 5,888 bytes of flash \((\d+) %\)\.\n"
        r"Its variables use (\d+) of 642 bytes of RAM \(\d+ %\), beside the 382 shared with the BIOS; "
        r"(\d+) are left for the stack\.\n",
        out,
    )
    assert hit
    assert int(hit[2]) == int(hit[1].replace(",", "")) * 100 // 5888
    assert int(hit[3]) + int(hit[4]) == 642


def test_errors_show_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """An error is printed in the compiler's own form, with the line and a mark; exit status 2."""
    write(tmp_path / "bad", bad_ino=BAD)
    monkeypatch.chdir(tmp_path)
    for command in (["build", "bad"], ["build", "bad/bad.ino"], ["run", "bad", "--headless"]):
        assert run(*command) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines()[:3] == [
            "bad/bad.ino:3:2: error: 'setColour' was not declared in this scope; did you mean 'setColor'?",
            "    3 | \tsetColour(GREEN);",
            "      | \t^",
        ]
        assert re.fullmatch(r"blinks-sim: bad(\.ino)? does not build: 1 error", err.splitlines()[-1])


def test_color_only_on_a_terminal(tmp_path: Path):
    """Messages are colored on a terminal; without one they are plain."""
    need_tools()
    folder = write(tmp_path / "bad", bad_ino=BAD)
    command = [sys.executable, "-m", "blinks_sim", "build", str(folder)]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "\x1b" not in plain.stderr
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert b"\x1b[31m\x1b[1merror:\x1b[0m" in shown


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """--json gives sizes and messages of every sketch, and the errors of those that fail; exit status 2."""
    write(tmp_path / "a", a_ino=WARNS)
    write(tmp_path / "b", b_ino=BAD)
    assert run("build", tmp_path, "--json") == 2
    out, err = capsys.readouterr()
    good, bad = json.loads(out)["sketches"]
    assert set(good) == {
        *("name", "folder", "ok", "flash_bytes", "flash_limit", "ram_bytes", "ram_limit", "stack_bytes"),
        *("elf", "messages"),
    }
    assert (good["name"], good["ok"], good["flash_limit"], good["ram_limit"]) == ("a", True, 5888, 1024)
    assert good["ram_bytes"] + good["stack_bytes"] == 1024
    assert good["messages"] == [
        {
            "file": str(tmp_path / "a" / "a.ino"),
            "line": 1,
            "column": 20,
            "severity": "warning",
            "text": "unused variable 'unused' [-Wunused-variable]",
        }
    ]
    assert set(bad) == {"name", "folder", "ok", "error", "messages"}
    assert bad["messages"][0]["line"] == 3
    assert err == "blinks-sim: 1 of 2 sketches do not build: b; see their messages\n"


def test_a_folder_of_sketches_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Each sketch of a folder is built, whatever becomes of the others, and takes a line."""
    for name, text in (("a", GOOD), ("b", BAD), ("c", GOOD)):
        write(tmp_path / name, **{f"{name}_ino": text})
    assert run("build", tmp_path, "-o", tmp_path / "out") == 2
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"a: 1,\d{3} bytes of flash, \d+ of RAM left for the stack", lines[0])
    assert lines[1] == "b: does not build"
    assert lines[2].startswith("c: ")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.hex", "c.hex"]


def test_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """-o writes the sketch at 0x1700 for a flasher, --elf the ELF with symbols beside it."""
    folder = write(tmp_path / "good", good_ino=GOOD)
    target = tmp_path / "new folder" / "out.hex"
    assert run("build", folder, "-o", target, "--elf") == 0
    assert target.read_text().startswith(":10170000")
    assert Image.load(target) == Image.load(target.with_suffix(".elf"))
    assert "main" in Image.load(target.with_suffix(".elf")).symbols
    capsys.readouterr()
    assert run("build", folder, "--elf") == 2
    assert capsys.readouterr().err == (
        "blinks-sim: --elf writes the ELF beside the image; say where with -o FILE\n"
    )
    assert run("build", folder, "-o", folder / "good.ino" / "x.hex") == 2
    assert "cannot write it" in capsys.readouterr().err


def test_run_builds_a_sketch(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Sketch files and folders run like images, and mix with them."""
    folder = write(tmp_path / "good", good_ino=GOOD)
    assert (
        run("run", folder, folder / "good.ino", "hello", "--tiles", 3, "--headless", "--json", "--seconds", 1)
        == 0
    )
    tiles = json.loads(capsys.readouterr().out)["tiles"]
    assert [tile["sketch"] for tile in tiles] == ["good", "good", "hello"]
    assert [tile["color"] for tile in tiles[:2]] == ["GREEN", "GREEN"]


def test_different_sketches_on_different_tiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """--sketch and --on give tiles their own sketch; the others run the images, or the first sketch."""
    one = write(tmp_path / "one", one_ino=GOOD)
    two = write(tmp_path / "two", two_ino=GOOD.replace("GREEN", "RED"))

    def sketches(*arguments: object) -> list[str]:
        assert run("run", *arguments, "--headless", "--json", "--seconds", 0) == 0
        return [tile["sketch"] for tile in json.loads(capsys.readouterr().out)["tiles"]]

    assert sketches("--sketch", one, "--on", "1-6", "--sketch", two, "--on", 7) == ["one"] * 7 + ["two"]
    assert sketches("hello", "--sketch", two, "--on", "0,2-3", "--tiles", 5) == [
        *("two", "hello", "two", "two", "hello")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--sketch", "a.ino"],
            "each --sketch needs its --on, as in --sketch A.ino --on 1-6 --sketch B.ino --on 7",
        ),
        (["--sketch", "hello", "--on", "x"], "--on 'x': 'x' names no tiles; give ids as in 1-6 or 0,3"),
        (
            ["--sketch", "hello", "--on", "0,6-1"],
            "--on '0,6-1': '6-1' names no tiles; give ids as in 1-6 or 0,3",
        ),
        (
            ["--sketch", "hello", "--on", "1", "--sketch", "values", "--on", "0-1"],
            "--on '0-1': tile 1 already runs 'hello'; name it once",
        ),
        (
            ["--sketch", "hello", "--on", "4", "--tiles", "4"],
            "--on names tile 4, but the tiles are 0 to 3; lay more: --tiles",
        ),
    ],
)
def test_tiles_that_cannot_be_meant(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    """Bad pairs of --sketch and --on are refused."""
    assert run("run", *arguments, "--headless") == 2
    assert capsys.readouterr().err == f"blinks-sim: {message}\n"
