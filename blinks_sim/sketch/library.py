"""The library that every sketch is linked with, compiled once for each tool chain."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import compiler as flags
from .cache import Cache, digest, digest_files
from .compiler import Compiler
from .messages import SketchError
from .toolchain import ToolError

STRICT = ("-Wall", "-Wextra", "-Werror")
SCRIPT = "sketch.ld"

_FOLDERS = ("include", "blinklib")


def in_parallel(jobs: Sequence[Callable[[], str]]) -> list[str]:
    """Return what each job returns, in order; raise what the first of those that fail raises."""
    if len(jobs) == 1:
        return [jobs[0]()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [waiting.result() for waiting in [pool.submit(job) for job in jobs]]


def library_key(compiler: Compiler) -> str:
    """Return what tells the library, its flags and its compiler from others."""
    root = compiler.folder
    files = [root / SCRIPT, *sorted(p for name in _FOLDERS for p in (root / name).iterdir())]
    return digest(compiler.tools.identity, flags.IDENTITY, digest_files(files, root))


def library_objects(compiler: Compiler, cache: Cache) -> list[Path]:
    """Return the library's objects in their fixed order, compiled now unless they were before."""
    key = f"library-{library_key(compiler)}"
    folder = cache.find(key)
    if folder is None:
        with cache.workshop() as shop:
            try:
                compile_library(compiler, shop, "-w")
            except ToolError as error:
                raise SketchError(f"{compiler.tools.programs}: cannot build the library: {error}") from error
            folder = cache.keep(key, shop)
    return sorted(folder.glob("*.o"))


def compile_library(compiler: Compiler, into: Path, *flags: str) -> None:
    """Compile the library into a folder.

    Raises:
        ToolError: the compiler found errors.
    """
    sources = sorted(p.name for p in (compiler.folder / "blinklib").iterdir() if p.suffix in {".cpp", ".S"})

    def job(name: str) -> Callable[[], str]:
        return lambda: compiler.compile(f"blinklib/{name}", into / f"{name}.o", *compiler.includes, *flags)

    in_parallel([job(name) for name in sources])
