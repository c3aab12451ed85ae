"""What was built before, kept by the content of what went into it."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

from .messages import SketchError

VARIABLE = "BLINKS_CACHE"
_KEPT = 200  # builds and libraries


def digest(*parts: str | bytes) -> str:
    """Return a key for content; the same parts always give the same, others another."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:32]


def digest_files(files: Iterable[Path], root: Path) -> str:
    """Return a key for the names below a folder, and the contents, of files."""
    parts: list[str | bytes] = []
    for file in files:
        parts += [file.relative_to(root).as_posix(), file.read_bytes()]
    return digest(*parts)


class Cache:
    """Keep folders of files by key, below the user's cache folder or the one that BLINKS_CACHE names.

    Raises:
        SketchError: the folder cannot be written.
    """

    def __init__(self) -> None:
        named = os.environ.get(VARIABLE)
        self._root = (Path(named) if named else user_cache_path("blinks-sim")).absolute() / "builds"
        try:
            self._root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def find(self, key: str) -> Path | None:
        """Return the folder kept under a key, or None."""
        folder = self._root / key
        try:
            os.utime(folder)  # what is used stays
        except FileNotFoundError:
            return None
        except OSError:  # somebody else's cache: good enough to read
            pass
        return folder

    @contextmanager
    def workshop(self) -> Iterator[Path]:
        """Give a folder to work in, gone in the end unless it was kept."""
        try:
            folder = Path(tempfile.mkdtemp(prefix="work-", dir=self._root))
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def keep(self, key: str, folder: Path) -> Path:
        """Keep a finished folder under a key, whoever else does the same now; return where it lies."""
        target = self._root / key
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():
                raise
            shutil.copytree(folder, target, dirs_exist_ok=True)
        self._forget_oldest()
        return target

    def _forget_oldest(self) -> None:
        kept = [folder for folder in self._root.iterdir() if not folder.name.startswith("work-")]
        if len(kept) <= _KEPT:
            return
        for folder in sorted(kept, key=_used_at)[:-_KEPT]:
            shutil.rmtree(folder, ignore_errors=True)

    def _unwritable(self, error: OSError) -> SketchError:
        return SketchError(
            f"{self._root}: cannot keep builds there ({error.strerror}); name another folder in {VARIABLE}"
        )


def _used_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
