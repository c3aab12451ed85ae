"""A pytest plugin for people who write sketches: fixtures `sketch` and `blinks`, and reports of what failed.

pytest loads it in every run on a machine where this package is installed, so it takes the table and the
compiled core in only when a test asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..sketch import Build
    from .tables import Blinks, Sketches

__all__ = ["Blinks", "Sketches"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from . import tables

        return getattr(tables, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_MARKER = "sketch(path): test this sketch, an .ino file or a folder seen from the test's folder"
_USED: pytest.StashKey[tuple[Blinks, Path]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's settings."""
    parser.getgroup("blinks").addoption(
        "--blinks-artifacts",
        metavar="DIR",
        help="save pictures of the tables of failed tests here, a folder a test [the test's tmp_path]",
    )
    parser.addini("blinks_sketch", "sketch to test, seen from the root folder [the one beside the test]")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def _sketches() -> Sketches:
    from .tables import Sketches

    return Sketches()


@pytest.fixture
def sketch(request: pytest.FixtureRequest, _sketches: Sketches) -> Build:
    """The sketch under test, built once a session.

    It is the one that the marker `sketch` names, else the setting `blinks_sketch`, else the one in the folder
    of the test, or in the nearest folder above it with an .ino file.
    """
    from ..sketch import SketchError

    try:
        return _sketches.build(_sketch_path(request))
    except SketchError as error:
        said = "\n".join(map(str, error.messages))
        pytest.fail(f"{said}\n{error}" if said else str(error), pytrace=False)


def _sketch_path(request: pytest.FixtureRequest) -> Path:
    folder = request.path.parent
    marker = request.node.get_closest_marker("sketch")
    if marker is not None:
        return folder / str(marker.args[0])
    if setting := request.config.getini("blinks_sketch"):
        return request.config.rootpath / str(setting)
    return next((place for place in (folder, *folder.parents) if any(place.glob("*.ino"))), folder)


@pytest.fixture
def blinks(request: pytest.FixtureRequest, sketch: Build, _sketches: Sketches, tmp_path: Path) -> Blinks:
    """A fresh table: place tiles on it by a drawing, click and move them, ask what they show."""
    from .tables import Blinks

    made = Blinks(sketch, _sketches, request.path.parent)
    chosen = request.config.getoption("--blinks-artifacts")
    folder = Path(chosen).absolute() / _file_name(request.node.nodeid) if chosen else tmp_path
    request.node.stash[_USED] = made, folder
    return made


def _file_name(test: str) -> str:
    return re.sub(r"[^\w.-]+", "-", test).strip("-")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell of the table of a test that failed."""
    report = yield
    if report.failed and _USED in item.stash:
        from .report import explain

        made, folder = item.stash[_USED]
        if made.names:
            report.sections.append(("table of Blinks", explain(made, folder)))
    return report
