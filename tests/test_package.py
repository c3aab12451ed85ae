"""The package's front door."""

from __future__ import annotations

import subprocess
import sys

import pytest

import blinks_sim
from blinks_sim.errors import BlinksError, did_you_mean


def test_the_names_others_rely_on():
    """Table, Tile, Image and BlinksError come from the package itself."""
    from blinks_sim import Image, Table, Tile

    homes = {name: getattr(blinks_sim, name).__module__ for name in blinks_sim.__all__}
    assert homes == {
        "BlinksError": "blinks_sim.errors",
        "Image": "blinks_sim.image",
        "Table": "blinks_sim.table",
        "Tile": "blinks_sim.tile",
    }
    assert (Image, Table, Tile) == (blinks_sim.Image, blinks_sim.Table, blinks_sim.Tile)
    with pytest.raises(AttributeError, match="has no attribute 'Cluster'"):
        _ = blinks_sim.Cluster


def test_rules_and_grid_load_nothing_big():
    """A rule engine loads neither the compiled core, nor numpy, nor pygame."""
    code = (
        "import sys, blinks_sim.game, blinks_sim.hexgrid, blinks_sim.layout\n"
        "print([m for m in sys.modules if m in ('blinks_sim.core', 'cffi', 'numpy', 'pygame')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("word", "text"),
    [("fractur", "; did you mean 'fracture'?"), ("zzz", ""), ("", ""), ("hello", "; did you mean 'hello'?")],
)
def test_a_near_word_is_suggested(word: str, text: str):
    """A word that is nearly one of the known ones brings a suggestion, others none."""
    assert did_you_mean(word, ["fracture", "hello"]) == text


def test_all_errors_are_ours():
    """Every error of the tree is caught as BlinksError."""
    from blinks_sim import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) >= 6
    assert all(issubclass(kind, BlinksError) for kind in kinds)
