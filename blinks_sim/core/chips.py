"""Many chips side by side: one clock, and light between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .chip import Chip
from .library import ffi, lib


class ChipTable:
    """Make an empty table of chips that exchange light and share one clock, which counts quanta."""

    def __init__(self, threads: int = 1) -> None:
        made = lib.bc_table_new()
        if made == ffi.NULL:
            raise MemoryError("no memory for a table")
        self._table = ffi.gc(made, lib.bc_table_free)
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Choose how many threads run the chips (1 or more); results do not depend on it."""
        lib.bc_table_threads(self._table, threads)

    def add(self, chip: Chip) -> int:
        """Lay a chip down; return its slot. It lives as long as it lies on the table."""
        slot = int(lib.bc_table_add(self._table, chip._tile))
        if slot < 0:
            raise MemoryError("no memory for another chip")
        ffi.gc(chip._tile, None)  # from now on the table frees it
        chip._owner = self
        return slot

    def remove(self, slot: int, chip: Chip) -> None:
        """Take a chip away, for good: it cannot be used afterwards."""
        chip._tile, chip._owner = None, None
        lib.bc_table_remove(self._table, slot)

    def set_contacts(self, rows: Sequence[Iterable[int]]) -> None:
        """Say which faces touch: rows of (slot, face, slot, face), instead of all that was said before."""
        flat = [number for row in rows for number in row]
        lib.bc_table_contacts(self._table, flat, len(rows))

    def run(self, quanta: int) -> None:
        """Run all chips for so many quanta."""
        lib.bc_table_run(self._table, quanta)

    @property
    def quantum(self) -> int:
        """Quanta run so far; settable, when a saved table is restored."""
        return int(lib.bc_table_quantum(self._table))

    @quantum.setter
    def quantum(self, quantum: int) -> None:
        lib.bc_table_set_quantum(self._table, quantum)
