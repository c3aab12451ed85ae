"""The firmware build: reproducible, and honest about sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .building import build_script, need_tools


def test_shipped_images_are_what_the_sources_give(tmp_path: Path) -> None:
    """Building anew gives every shipped image, byte for byte, and no image lacks its source."""
    need_tools()
    script = build_script()
    built = script.build_all(tmp_path / "images", [], tmp_path / "build")
    shipped = {path.name: path.read_bytes() for path in script.IMAGES.iterdir()}
    assert {path.name: path.read_bytes() for path in built} == shipped


def test_unknown_name_is_refused(tmp_path: Path) -> None:
    """Asking for a sketch that does not exist names it."""
    need_tools()
    script = build_script()
    with pytest.raises(script.BuildError, match="no sketch 'fractura'"):
        script.build_all(tmp_path / "images", ["fractura"], tmp_path / "build")
