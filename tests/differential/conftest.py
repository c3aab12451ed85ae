"""libsimavr for the tests that compare with it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .simavr import build


@pytest.fixture(scope="session")
def simavr_door(
    need_program: Callable[[str], str],
    need_library: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> ctypes.CDLL:
    """Return the compiled door to libsimavr; skips where compiler, library or headers are missing."""
    need_library("simavr")
    try:
        return build(need_program("cc"), tmp_path_factory.mktemp("simavr"))
    except subprocess.CalledProcessError:
        if Path("/usr/include/simavr/sim_avr.h").exists():
            raise
        need_program("headers of libsimavr-dev")
        raise AssertionError from None
