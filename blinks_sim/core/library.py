"""The compiled core, loaded at run time; its declarations come from `api.h`, the contract with the C side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cffi import FFI  # type: ignore[import-untyped]

from ..errors import BlinksError

_SUFFIXES = (".so", ".dylib", ".dll")
_REMEDY = "run 'pip install .' (in a checkout: 'make core')"


def _declarations() -> tuple[str, dict[str, int]]:
    """Read api.h: its C declarations, and its numeric macros by name."""
    text = Path(__file__).with_name("api.h").read_text(encoding="utf-8")
    lines = text.splitlines()
    macros = dict(re.findall(r"^#define (BC_\w+) (\d+)$", text, flags=re.MULTILINE))
    plain = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    return plain, {name: int(value) for name, value in macros.items()}


def library_path(folder: Path | None = None) -> Path:
    """Return where the compiled core lies.

    Raises:
        BlinksError: there is none in the folder (default: beside this file).
    """
    folder = Path(__file__).parent if folder is None else folder
    for prefix in ("lib", ""):
        for suffix in _SUFFIXES:
            path = folder / f"{prefix}blinks_core{suffix}"
            if path.exists():
                return path
    raise BlinksError(f"{folder}: the compiled core is missing; {_REMEDY}")


def _open() -> tuple[FFI, Any, dict[str, int]]:
    ffi = FFI()
    declarations, macros = _declarations()
    ffi.cdef(declarations)
    path = library_path()
    try:
        return ffi, ffi.dlopen(str(path)), macros
    except OSError as error:
        raise BlinksError(f"{path}: not a library for this machine; {_REMEDY}") from error


ffi, lib, _MACROS = _open()

FACES = _MACROS["BC_FACES"]
FLASH_BYTES = _MACROS["BC_FLASH_BYTES"]
EEPROM_BYTES = _MACROS["BC_EEPROM_BYTES"]
QUANTUM_PS = _MACROS["BC_QUANTUM_PS"]
FRAME_OSC = _MACROS["BC_FRAME_OSC"]
