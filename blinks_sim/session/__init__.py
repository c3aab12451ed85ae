"""A recorded run: commands with their times, what the table started from, and checkpoints to compare with.

A session is made from a table (`Recorder`), kept in a file (`Session.save`, `Session.load`) and played again
bit for bit (`Replay`). `History` goes back and forth on a table that is still being played on.
"""

from __future__ import annotations

from .history import History
from .record import Checkpoint, Recorder, Session
from .replay import Divergence, Replay

__all__ = ["Checkpoint", "Divergence", "History", "Recorder", "Replay", "Session"]
