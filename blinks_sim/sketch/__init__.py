"""From a sketch to an image for a tile: `build(path)` takes an .ino file or a sketch folder.

Sketches follow Arduino's rules: tabs joined, `Arduino.h` included, prototypes made, Arduino's flags. The tool
chain is avr-gcc, the library the one in `firmware/blinklib`, which comes with this package. What was built
before is kept by the content of all that went into it.
"""

from __future__ import annotations

from .build import Build, build
from .compiler import FLASH_BYTES, RAM_BYTES, SHARED_BYTES
from .files import SketchFiles, find_sketch, find_sketches
from .messages import Message, SketchError

__all__ = [
    "FLASH_BYTES",
    "RAM_BYTES",
    "SHARED_BYTES",
    "Build",
    "Message",
    "SketchError",
    "SketchFiles",
    "build",
    "find_sketch",
    "find_sketches",
]
