"""The start of a game: `blinks-sim new`."""

from __future__ import annotations

from pathlib import Path

import pytest

import blinks_sim.picture  # as in test_testing_plugin
import blinks_sim.sketch.steps
import blinks_sim.testing.report
from blinks_sim.cli import main
from blinks_sim.errors import UsageError
from blinks_sim.starter import create

pytest_plugins = ["pytester"]


def test_the_new_game_passes_its_tests(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]):
    """What is written builds without a warning and passes, as it stands."""
    main(["new", "Glow"])
    names = ["Glow/Glow.ino", "Glow/test_Glow.py", "Glow/.github/workflows/test.yml"]
    *said, last = capsys.readouterr().out.splitlines()
    assert said == names
    assert last == "Play it with 'blinks-sim run Glow', test it with 'pytest Glow'."
    assert all("NAME" not in (pytester.path / name).read_text(encoding="utf-8") for name in names)
    main(["build", "Glow"])
    told = capsys.readouterr()
    assert told.out.startswith("Glow uses ")
    assert told.err == ""
    result = pytester.runpytest_inprocess("-W", "error", plugins=[blinks_sim.testing])
    result.assert_outcomes(passed=3)


def test_the_recipe_uses_what_there_is():
    """The commands and options in the recipe for GitHub exist."""
    recipe = (Path(blinks_sim.__file__).parent / "starter" / "ci.yml.txt").read_text(encoding="utf-8")
    commands = [line.split("run: ")[1] for line in recipe.splitlines() if "- run: " in line]
    assert commands == [
        'pip install "blinks-sim[build]" pytest pytest-xdist',
        "blinks-sim build .",
        "pytest -n auto --blinks-artifacts=artifacts",
    ]
    assert "path: artifacts" in recipe


def test_nothing_is_overwritten(tmp_path: Path):
    """Whatever has the name already stays as it is."""
    (tmp_path / "Glow").write_text("mine")
    with pytest.raises(UsageError, match="Glow' is there already; choose another name or move it away"):
        create("Glow", tmp_path)
    assert (tmp_path / "Glow").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "1up", "my game", "a/b", "../x", "glow.ino", "spiel-ä", "x" * 64, "-x"])
def test_names_that_no_sketch_has(name: str, tmp_path: Path):
    """They are refused with what a name is made of, and nothing is written."""
    with pytest.raises(
        UsageError, match="is no name for a sketch; give a letter, then letters, digits and _"
    ):
        create(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path):
    """The error says where and why."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write it \(Not a directory\)"):
        create("Glow", tmp_path / "file")
