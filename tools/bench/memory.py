"""Lay so many tiles of Fracture on a table, run it, print the most memory that took, in bytes.

python tools/bench/memory.py TILES
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

from blinks_sim import Image, Table
from blinks_sim.layout import Layout
from blinks_sim.start import lay


def peak() -> int:
    """Return the most memory that was resident at once, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: what getrusage says there begins with what our parent had
        kilobytes = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"), re.MULTILINE)
        assert kilobytes is not None
        return int(kilobytes[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS: bytes


table = Table()
lay(table, Layout.load("flower", int(sys.argv[1])), [Image.load("fracture")])
table.run(0.1)
print(peak())
