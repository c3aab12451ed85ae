"""What every test may ask for: system programs and libraries, golden files."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

# A loaded machine is slow, not wrong: no test fails for the time it took.
settings.register_profile("blinks", deadline=None)
settings.load_profile("blinks")

Need = Callable[[str], str]


def _missing(what: str) -> NoReturn:
    reason = f"{what} is not on this machine"
    if os.environ.get("BLINKS_REQUIRE_SYSTEM") == "1":
        pytest.fail(f"{reason}, and BLINKS_REQUIRE_SYSTEM=1 asks for it", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def need_program() -> Need:
    """Return a function: name of a system program → its path; skips the test where it is missing."""
    return lambda name: shutil.which(name) or _missing(f"program {name}")


@pytest.fixture(scope="session")
def need_library() -> Need:
    """Return a function: name of a shared library → its file name; skips the test where it is missing."""
    return lambda name: ctypes.util.find_library(name) or _missing(f"library lib{name}")


def pytest_configure() -> None:
    """Let the programs that tests start find the package that the tests found, wherever they start."""
    spec = importlib.util.find_spec("blinks_sim")
    assert spec is not None
    assert spec.origin is not None
    os.environ["PYTHONPATH"] = str(Path(spec.origin).parents[1])
    os.environ["PYTHONSAFEPATH"] = "1"


@pytest.fixture(scope="session", autouse=True)
def _builds_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the sketches that tests build, for all of them together, away from the user's."""
    base = tmp_path_factory.getbasetemp()
    together = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ["BLINKS_CACHE"] = str(together / "cache")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one way to change golden files."""
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")


@pytest.fixture
def golden_picture(request: pytest.FixtureRequest) -> Callable[[str, Any], None]:
    """Return a function (name, surface) that compares a picture with tests/golden/<name>.

    Small differences pass: fonts and scaling differ a little between versions of pygame. A missing file is
    written, and the test fails.
    """
    import pygame

    def compare(name: str, surface: pygame.Surface) -> None:
        path = Path(__file__).parent / "golden" / name
        if not path.exists() or request.config.getoption("--update-golden"):
            known = path.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            pygame.image.save(surface, path)
            if not known:
                pytest.fail(f"golden picture {name} was missing: written, look at it and run again")
        wanted = pygame.image.load(path)
        assert surface.get_size() == wanted.get_size()
        apart = abs(
            pygame.surfarray.array3d(surface).astype(int) - pygame.surfarray.array3d(wanted).astype(int)
        )
        assert apart.mean() < 1.5, f"{name}: pixels differ by {apart.mean():.2f} of 255 on average"
        wrong = (apart.max(axis=2) > 48).mean()
        assert wrong < 0.004, f"{name}: {wrong:.2%} of the pixels differ clearly"

    return compare
