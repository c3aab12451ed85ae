"""Which files make up a sketch."""

from __future__ import annotations

from pathlib import Path

import pytest

from blinks_sim.sketch import SketchError, SketchFiles, find_sketch, find_sketches

LOOP = "void setup() {}\nvoid loop() {}\n"


def lay(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def tabs(sketch: SketchFiles) -> list[str]:
    return [tab.name for tab in sketch.tabs]


def test_the_tab_named_like_the_folder_comes_first(tmp_path: Path):
    """Other tabs follow by name, whatever the case of their letters."""
    folder = lay(
        tmp_path / "Game", Zoo_ino="", Game_ino=LOOP, alpha_ino="", Beta_ino="", x_cpp="", y_h="", z_txt=""
    )
    for path in (folder, folder / "Game.ino"):
        sketch = find_sketch(path)
        assert (sketch.name, tabs(sketch)) == ("Game", ["Game.ino", "alpha.ino", "Beta.ino", "Zoo.ino"])
        assert [p.name for p in sketch.sources + sketch.headers] == ["x.cpp", "y.h"]


def test_a_folder_named_otherwise(tmp_path: Path):
    """Where no tab is named like the folder, the only one with a loop() is the main one."""
    folder = lay(tmp_path / "Game-master", Game_ino=LOOP, Also_ino="int a;\n")
    assert tabs(find_sketch(folder)) == ["Game.ino", "Also.ino"]
    assert tabs(find_sketch(folder / "Game.ino")) == ["Game.ino", "Also.ino"]


def test_sketches_side_by_side(tmp_path: Path):
    """Several .ino files with a loop() each are a sketch each."""
    folder = lay(tmp_path / "games", One_ino=LOOP, Two_ino=LOOP)
    assert [tabs(sketch) for sketch in find_sketches(folder)] == [["One.ino"], ["Two.ino"]]
    assert tabs(find_sketch(folder / "Two.ino")) == ["Two.ino"]
    with pytest.raises(SketchError, match=r"games: holds 2 sketches \(One, Two\); name one of them"):
        find_sketch(folder)


def test_a_folder_of_sketches(tmp_path: Path):
    """Sketch folders are found at any depth, but none inside a sketch, and nothing in hidden folders."""
    lay(tmp_path / "b" / "Deep", Deep_ino=LOOP)
    lay(tmp_path / "a", a_ino=LOOP)
    lay(tmp_path / "a" / "src", inner_ino=LOOP, inner_cpp="")
    lay(tmp_path / ".git", hidden_ino=LOOP)
    found = find_sketches(tmp_path)
    assert [sketch.name for sketch in found] == ["a", "Deep"]
    assert [p.name for p in found[0].sources] == ["inner.cpp"]
