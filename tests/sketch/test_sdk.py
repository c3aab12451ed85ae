"""Building against a vendor's Arduino platform: here one made of our own library, in the usual shape."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blinks_sim.errors import UsageError
from blinks_sim.sketch import SketchError, build
from blinks_sim.sketch.compiler import firmware_folder

from .making import PORT, need_tools, printed, write

PLATFORM = r"""
# the shape of Arduino's own platform for AVR
name=Test Boards
version=1.0.0
compiler.warning_flags=-w
compiler.warning_flags.all=-Wall
compiler.path={runtime.tools.avr-gcc.path}/bin/
compiler.c.cmd=avr-gcc
compiler.c.flags=-c -g -Os {compiler.warning_flags} -std=gnu11 -ffunction-sections -fdata-sections -MMD -flto
compiler.c.elf.flags={compiler.warning_flags} -Os -g -flto -fuse-linker-plugin -Wl,--gc-sections -nostartfiles
compiler.S.flags=-c -g -x assembler-with-cpp -flto -MMD
compiler.cpp.cmd=avr-g++
compiler.cpp.flags=-c -g -Os {compiler.warning_flags} -std=gnu++11 -fpermissive -fno-exceptions -MMD -flto
build.extra_flags=
compiler.cpp.extra_flags=
build.defines=-DF_CPU={build.f_cpu} -DARDUINO={runtime.ide.version} {build.names}
build.names=-DARDUINO_{build.board} -DARDUINO_ARCH_{build.arch}
build.to={build.extra_flags} {includes} "{source_file}" -o "{object_file}"
build.from={object_files} "{build.path}/{archive_file}" "-L{build.path}" -lm
build.place=-Tdata 0x80027E -T "{runtime.platform.path}/{build.ldscript}" -Wl,-u,main
compiler.c={compiler.c.flags} -mmcu={build.mcu} {build.defines}
compiler.cpp={compiler.cpp.flags} -mmcu={build.mcu} {build.defines} {compiler.cpp.extra_flags}
recipe.c.o.pattern="{compiler.path}{compiler.c.cmd}" {compiler.c} {build.to}
recipe.cpp.o.pattern="{compiler.path}{compiler.cpp.cmd}" {compiler.cpp} {build.to}
recipe.S.o.pattern="{compiler.path}{compiler.c.cmd}" {compiler.S.flags} -mmcu={build.mcu} {build.to}
recipe.link.program="{compiler.path}avr-g++" {compiler.c.elf.flags} -mmcu={build.mcu} {build.place}
recipe.c.combine.pattern={recipe.link.program} -o "{build.path}/{build.project_name}.elf" {build.from}
"""

BOARDS = """
menu.speed=Speed
other.name=Another
other.build.mcu=atmega2560
tile.name=Tile
tile.build.mcu=atmega168pb
tile.build.board=AVR_BLINK
tile.build.core=tiles
tile.build.variant=standard
tile.build.ldscript=link/sketch.ld
tile.menu.speed.slow=Slow
tile.menu.speed.slow.build.f_cpu=8000000L
tile.menu.speed.fast=Fast
tile.menu.speed.fast.build.f_cpu=16000000L
"""


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    """Return a folder with an SDK somewhere below it; its library says that it is another one."""
    need_tools()
    root = tmp_path / "vendor sdk" / "hardware" / "avr"
    core = root / "cores" / "tiles"
    shutil.copytree(firmware_folder() / "blinklib", core)
    shutil.copytree(firmware_folder() / "include", core, dirs_exist_ok=True)
    (core / "Serial.h").unlink()
    (core / "Serial.cpp").unlink()
    write(root, platform_txt=PLATFORM, boards_txt=BOARDS, variants__standard__pins_h="#define PINS 31\n")
    (root / "link").mkdir()
    shutil.copy(firmware_folder() / "sketch.ld", root / "link")
    library = root / "libraries" / "Serial" / "src"
    library.mkdir(parents=True)
    for name in ("Serial.h", "Serial.cpp"):
        shutil.copy(firmware_folder() / "blinklib" / name, library)
    return tmp_path / "vendor sdk"


MAIN = (
    '#include "pins.h"\nvoid setup() { port.begin(); show(F_CPU / 1000000 + PINS); }\nvoid loop() {}\n'
    'void show(int n) { port.println(n); port.println("end"); }\n'
)


def test_a_platform_builds_a_sketch(tmp_path: Path, sdk: Path):
    """Board, menu, recipes, core, variant and library of the platform make the image."""
    folder = write(tmp_path / "game", game_ino=PORT + MAIN)
    built = build(folder, sdk=sdk)
    assert printed(built) == ["39"]
    assert build(folder, sdk=sdk) == built
    changed = next(sdk.rglob("pins.h"))
    changed.write_text("#define PINS 32\n")
    assert printed(build(folder, sdk=sdk)) == ["40"]


def test_messages_of_a_platform(tmp_path: Path, sdk: Path):
    """Errors and warnings point at the user's lines there too."""
    folder = write(tmp_path / "game", game_ino="void setup() { int x; }\nvoid loop() {\n  setColour(1);\n}\n")
    with pytest.raises(SketchError) as caught:
        build(folder, sdk=sdk)
    assert [str(message).removeprefix(f"{folder}/") for message in caught.value.messages] == [
        "game.ino:1:20: warning: unused variable 'x' [-Wunused-variable]",
        "game.ino:3:3: error: 'setColour' was not declared in this scope; did you mean 'setColor'?",
    ]
    write(folder, game_ino="void setup() {}\n")
    with pytest.raises(SketchError, match=r"game\.ino:1: error: the sketch has no loop\(\)"):
        build(folder, sdk=sdk)


def test_what_is_no_sdk(tmp_path: Path, sdk: Path):
    """A folder without a platform, a board for our part or a core is refused with what it lacks."""
    folder = write(tmp_path / "game", game_ino=MAIN)
    with pytest.raises(UsageError, match=r"no SDK in '.*game': no boards\.txt and platform\.txt"):
        build(folder, sdk=folder)
    boards = next(sdk.rglob("boards.txt"))
    boards.write_text(BOARDS.replace("build.core=tiles", "build.core=none"))
    with pytest.raises(UsageError, match="its core 'none' is not in its folder 'cores'"):
        build(folder, sdk=sdk)
    boards.write_text("a.name=A\na.build.mcu=atmega2560\n")
    with pytest.raises(UsageError, match="has no board with an atmega168pb"):
        build(folder, sdk=sdk)
