"""The start of a game: a folder with a small sketch that works, tests of it, and a recipe that runs them."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from ..errors import UsageError

_LONGEST_NAME = 63  # as Arduino has it
_FILES = {
    "{}.ino": "game.ino.txt",
    "test_{}.py": "test_game.py.txt",
    ".github/workflows/test.yml": "ci.yml.txt",
}


def create(name: str, where: Path) -> list[Path]:
    """Make the folder of a new game in the folder `where`; return the files written.

    Raises:
        UsageError: the name is none for a sketch, something of that name is there, or it cannot be written.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name!r} is no name for a sketch; give a letter, then letters, digits and _, "
            f"{_LONGEST_NAME} at most"
        )
    folder = where / name
    if folder.exists():
        raise UsageError(f"{str(folder)!r} is there already; choose another name or move it away")
    shelf = files(__name__)
    written = []
    try:
        for target, template in _FILES.items():
            path = folder / target.format(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (shelf / template).read_text(encoding="utf-8")
            path.write_text(text.replace("NAME", name), encoding="utf-8", newline="\n")
            written.append(path)
    except OSError as error:
        raise UsageError(
            f"{str(folder)!r}: cannot write it ({error.strerror}); go to a folder of yours"
        ) from error
    return written
