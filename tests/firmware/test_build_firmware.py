"""The firmware build: reproducible, and honest about sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .building import build_script


def _need_tools() -> None:
    script = build_script()
    try:
        script.find_tools()
    except script.BuildError as error:
        pytest.skip(str(error))


def test_shipped_images_are_what_the_sources_give(tmp_path: Path) -> None:
    """Building anew gives every shipped image, byte for byte, and no image lacks its source."""
    _need_tools()
    script = build_script()
    built = script.build_all(tmp_path / "images", [], tmp_path / "build")
    shipped = {path.name: path.read_bytes() for path in script.IMAGES.glob("*.hex")}
    assert {path.name: path.read_bytes() for path in built} == shipped


def test_a_sketch_too_large_fails(tmp_path: Path) -> None:
    """A sketch beyond its 5,888 bytes is refused with a message that says so."""
    _need_tools()
    script = build_script()
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "big.ino").write_text(
        "const byte bulk[4500] PROGMEM = {1};\nvolatile word at;\n"
        "void setup() {}\nvoid loop() { setValueSentOnAllFaces(pgm_read_byte(&bulk[at])); }\n",
        encoding="utf-8",
    )
    with pytest.raises(script.BuildError, match="big does not fit: its text is too large for text"):
        script.build_sketch(script.find_tools(), script.Sketch("big", tmp_path / "big", ()), tmp_path / "out")


def test_unknown_name_is_refused(tmp_path: Path) -> None:
    """Asking for a sketch that does not exist names it."""
    _need_tools()
    script = build_script()
    with pytest.raises(script.BuildError, match="no sketch 'fractura'"):
        script.build_all(tmp_path / "images", ["fractura"], tmp_path / "build")
