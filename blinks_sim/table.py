"""A table of tiles: where they lie, what touches what, the clock, and everything that is done to them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from weakref import WeakValueDictionary

from . import commands
from .commands import Command, Recorded
from .core import MAX_SKEW_PPM, QUANTUM_PS, Chip, ChipTable, ResetCause
from .errors import TableError
from .hexgrid import Cell, Contact, Nearby, Pose, contacts, overlap, settle
from .image import Image
from .moments import Frame, SavedTile, Snapshot, TileView
from .tile import FACES, MILLIS_AT, Tile
from .watching import Watcher, Watching

MAX_TILES = 500
QUANTUM_S = QUANTUM_PS / 1e12
USUAL_SKEW_PPM = 10_000  # seeded skews lie within ± this
CLICK_S = 0.060  # a click: so long down, then so long up
WINDOW_S = 0.280  # and so long after the last one: the window closes 330 ms after a press
LONGEST_RUN_S = 1e9  # some 30 years
FASTEST_BAUD = 8_000_000  # a bit a cycle

_SLICE_QUANTA = 1000
_ROUNDING_PS = QUANTUM_PS // 100  # slices of a third of a microsecond lose it in a second


class Table:
    """Make an empty table.

    Everything that happens on it follows from `seed` and the commands. Each tile's oscillator has its own
    seeded skew within ±1 %, unless `skew_ppm` gives one for all (millionths, ±200,000); `threads` never
    changes a result.

    Raises:
        TableError: an argument is out of range.
    """

    def __init__(self, seed: int = 1, skew_ppm: int | None = None, threads: int = 1) -> None:
        if skew_ppm is not None and abs(skew_ppm) > MAX_SKEW_PPM:
            raise TableError(
                f"skew of {skew_ppm} ppm is outside ±{MAX_SKEW_PPM}; real parts keep within ±50000"
            )
        if threads < 1:
            raise TableError(f"cannot run on {threads} threads; give 1 or more")
        self.seed = seed
        self.skew_ppm = skew_ppm
        self._core = ChipTable(threads)
        self._tiles: dict[int, Tile] = {}
        self._slots: dict[int, int] = {}
        self._known: WeakValueDictionary[int, Tile] = WeakValueDictionary()  # removed ones too
        self._used: set[int] = set()  # ids, removed ones too
        self._due_ps = 0
        self._record: list[Recorded] = []
        self._contacts: frozenset[Contact] | None = frozenset()  # None: poses have changed since
        self._connected = True  # the core knows the contacts
        self._by_face: dict[int, list[int | None]] = {}
        self._skip = True
        self._watching = Watching()

    # Time -----------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Run the table for so many seconds of table time.

        Time adds up in picoseconds, and whole quanta of 100 µs are run as they fall due. However a time is
        sliced, the same quanta are run: what the rounding of many slices loses does not put one off.

        Raises:
            TableError: the time is negative, not a number, or more than can be counted.
        """
        if not 0 <= seconds <= LONGEST_RUN_S:
            raise TableError(f"cannot run for {seconds:g} seconds; give 0 to {LONGEST_RUN_S:g}")
        self._due_ps += round(seconds * 1e12)
        end = (self._due_ps + _ROUNDING_PS) // QUANTUM_PS
        while self.quantum < end:
            self._connect()
            # In slices, so that an interrupt from the keyboard is heard and serial bytes do not pile up.
            self._run_slice(min(_SLICE_QUANTA, end - self.quantum))
            self._fetch_serial()

    def _run_slice(self, quanta: int) -> None:
        if not self._watching:
            self._core.run(quanta)
            return
        start_ps = self.quantum * QUANTUM_PS
        self._watching.prepare(self._tiles)
        self._core.run(quanta)
        facing: dict[tuple[int, int], tuple[int, int]] = {}
        for a, face_a, b, face_b in self.contacts:
            facing[a, face_a], facing[b, face_b] = (b, face_b), (a, face_a)
        self._watching.collect(start_ps, self.quantum * QUANTUM_PS, self._tiles, facing)

    def watch(self, watcher: Watcher) -> None:
        """Let somebody see what happens on the table from now on. Nothing depends on who watches."""
        self._watching.add(watcher)
        self._watching.prepare(self._tiles)

    def unwatch(self, watcher: Watcher) -> None:
        """Let somebody watch no longer."""
        self._watching.remove(watcher)
        self._watching.prepare(self._tiles)

    @property
    def quantum(self) -> int:
        """Quanta run so far."""
        return self._core.quantum

    @property
    def time_s(self) -> float:
        """Seconds of table time run so far."""
        return self.quantum * QUANTUM_PS / 1e12

    def set_threads(self, threads: int) -> None:
        """Choose how many threads run the tiles (1 or more)."""
        self._core.set_threads(threads)

    def set_skip(self, on: bool) -> None:
        """Choose whether spin loops are skipped (default on); no result depends on it."""
        self._skip = on
        for tile in self._tiles.values():
            tile.chip.set_skip(on)

    def _fetch_serial(self) -> None:
        for tile in self._tiles.values():
            tile._serial += tile.chip.take_serial()

    # Tiles and places -----------------------------------------------------------------------------

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles, by id."""
        return tuple(self._tiles[number] for number in sorted(self._tiles))

    @property
    def next_id(self) -> int:
        """Id that the next tile gets: one more than the highest so far."""
        return max(self._used, default=-1) + 1

    def tile(self, number: int) -> Tile:
        """Return the tile with an id.

        Raises:
            TableError: there is none on the table.
        """
        try:
            return self._tiles[number]
        except KeyError:
            raise TableError(f"there is no tile {number} on the table; it has {self._ids()}") from None

    def _ids(self) -> str:
        return ", ".join(map(str, sorted(self._tiles))) or "none"

    @property
    def contacts(self) -> frozenset[Contact]:
        """The faces that touch, from the poses alone; tiles in somebody's hand touch nothing."""
        if self._contacts is None:
            poses = {number: tile.pose for number, tile in self._tiles.items() if not tile.lifted}
            self._contacts = frozenset(contacts(poses))
            self._by_face = {number: [None] * FACES for number in self._tiles}
            for a, face_a, b, face_b in self._contacts:
                self._by_face[a][face_a] = b
                self._by_face[b][face_b] = a
        return self._contacts

    def _connect(self) -> None:
        """Tell the core the contacts as they are when time goes on; looking at them must change nothing."""
        if not self._connected:
            self._core.set_contacts(
                [(self._slots[a], face_a, self._slots[b], face_b) for a, face_a, b, face_b in self.contacts]
            )
            self._connected = True

    def neighbors(self, tile: Tile) -> list[Tile | None]:
        """Return the tiles that touch faces 0 to 5 of a tile; None where none does."""
        self.tile(tile.id)
        return [None if other is None else self._tiles[other] for other in self._touching(tile.id)]

    def _poses_changed(self) -> None:
        self._contacts, self._connected = None, False

    def _touching(self, number: int) -> list[int | None]:
        _ = self.contacts
        return self._by_face[number]

    # What is done to them -------------------------------------------------------------------------

    def add(
        self,
        image: Image,
        cell: Cell = (0, 0),
        turn: int = 0,
        *,
        pose: Pose | None = None,
        battery_mv: int = 3000,
        number: int | None = None,
    ) -> Tile:
        """Lay down a new tile that runs an image, switched on, on a cell or at a free pose; return it.

        Its id is the next one, or the number given; seed, clock skew and serial number follow from the id.

        Raises:
            TableError: it would overlap another tile, the id was used before, or the table is full.
        """
        number = self.next_id if number is None else number
        self.submit(commands.Add(image, Pose.of(cell, turn) if pose is None else pose, number, battery_mv))
        return self._tiles[number]

    def remove(self, *tiles: Tile) -> None:
        """Take tiles away for good."""
        self.submit(commands.Remove(tuple(tile.id for tile in tiles)))

    def move(
        self,
        tiles: Sequence[Tile],
        cell: Cell | None = None,
        turn: int | None = None,
        *,
        pose: Pose | None = None,
    ) -> None:
        """Move tiles as one rigid piece: the first one goes to a cell and turn or to a free pose.

        Without `turn` the piece is not turned; the turn is that of the first tile, clockwise in steps of 60°.

        Raises:
            TableError: there is no tile or no place given, or the piece would overlap another tile.
        """
        if not tiles:
            raise TableError("no tiles to move; name at least one")
        first = tiles[0].pose
        if pose is None:
            if cell is None:
                raise TableError("nowhere to move to; give a cell or a pose")
            pose = Pose.of(cell, turn or 0)
            if turn is None:
                pose = dataclasses.replace(pose, angle=first.angle)
        _check_finite({tiles[0].id: pose})
        degrees = (pose.angle - first.angle) % 360.0
        about = (first.x, first.y)
        shift = (pose.x - first.x, pose.y - first.y)
        moved = {tile.id: tile.pose.moved(*shift, degrees, about) for tile in tiles}
        self.submit(commands.Move(tuple(settle(moved).items())))

    def click(self, tiles: Iterable[Tile], count: int = 1) -> None:
        """Click all of the tiles at once, so many times, and run until their click windows have closed."""
        tiles = list(tiles)
        for _ in range(count):
            for tile in tiles:
                tile.press()
            self.run(CLICK_S)
            for tile in tiles:
                tile.release()
            self.run(CLICK_S)
        self.run(WINDOW_S)

    @property
    def record(self) -> tuple[Recorded, ...]:
        """All commands so far, each with the quantum before which it took effect."""
        return tuple(self._record)

    def submit(self, command: Command) -> None:
        """Carry out a command before the next quantum and record it.

        Raises:
            TableError: it cannot be carried out; then nothing has changed.
        """
        match command:
            case commands.Add():
                if command.tile is None:
                    command = dataclasses.replace(command, tile=self.next_id)
                self._add(command)
            case commands.Remove(numbers):
                self._remove(numbers)
            case commands.Move(poses, lifted):
                self._move(dict(poses), lifted)
            case commands.Press(number) | commands.Release(number):
                self._button(self.tile(number), isinstance(command, commands.Press))
            case commands.Reset(number):
                self.tile(number).chip.reset()
            case commands.Flash(number, image):
                self._flash(self.tile(number), image)
            case commands.Send(number, data, baud):
                self._send(self.tile(number), data, baud)
            case commands.Write(number, address, data):
                self._write(self.tile(number), address, data)
            case commands.SetBattery(number, battery_mv):
                self.tile(number).chip.battery_mv = _battery(battery_mv)
        self._record.append(Recorded(self.quantum, command))

    def _add(self, command: commands.Add) -> None:
        number = command.tile
        assert number is not None
        if number < 0 or number in self._used:
            raise TableError(f"tile id {number} cannot be used; give a new one such as {self.next_id}")
        if len(self._tiles) >= MAX_TILES:
            raise TableError(f"the table holds {MAX_TILES} tiles already; remove one first")
        battery_mv = _battery(command.battery_mv)
        self._check_free({number: command.pose})
        chip = self._new_chip(number, battery_mv)
        _switch_on(chip, command.image)
        self._lay(Tile(self, number, command.image, chip, command.pose))
        self._used.add(number)

    def _lay(self, tile: Tile) -> None:
        self._slots[tile.id] = self._core.add(tile.chip)
        self._tiles[tile.id] = tile
        self._known[tile.id] = tile
        self._poses_changed()

    def _remove(self, numbers: tuple[int, ...]) -> None:
        for tile in _distinct([self.tile(number) for number in numbers]):
            self._core.remove(self._slots.pop(tile.id), tile.chip)
            tile._chip = None
            del self._tiles[tile.id]
        self._poses_changed()

    def _move(self, poses: dict[int, Pose], lifted: bool) -> None:
        tiles = {number: self.tile(number) for number in poses}
        if lifted:
            _check_finite(poses)
        else:
            self._check_free(poses)
        for number, tile in tiles.items():
            tile.pose, tile.lifted = poses[number], lifted
        self._poses_changed()

    def _check_free(self, poses: Mapping[int, Pose]) -> None:
        """Refuse poses that overlap each other or a resting tile that does not move."""
        _check_finite(poses)
        resting = {n: t.pose for n, t in self._tiles.items() if n not in poses and not t.lifted}
        index = Nearby({**resting, **poses})
        for number, pose in poses.items():
            for other, at in index.within(pose.x, pose.y, 2.0):
                if other != number and overlap(pose, at):
                    raise TableError(
                        f"tile {number} would overlap tile {other} at {_place(pose)}; nothing moved"
                    )

    def _button(self, tile: Tile, down: bool) -> None:
        if down:
            tile.chip.press()
        else:
            tile.chip.release()
        tile.pressed = down

    def _flash(self, tile: Tile, image: Image) -> None:
        _switch_on(tile.chip, image)
        tile.image = image

    def _send(self, tile: Tile, data: bytes, baud: int) -> None:
        if not 1 <= baud <= FASTEST_BAUD:
            raise TableError(f"cannot send at {baud} baud; give 1 to {FASTEST_BAUD}")
        before = tile.chip.save()
        taken = tile.chip.give_serial(data, baud)
        if taken < len(data):
            tile.chip.restore(before)
            raise TableError(
                f"tile {tile.id} took only {taken} of {len(data)} bytes; run the table between sends"
            )

    def _write(self, tile: Tile, address: int, data: bytes) -> None:
        try:
            tile.chip.write(address, data)
        except ValueError as error:
            raise TableError(f"tile {tile.id}: {error}") from None

    # Chance ---------------------------------------------------------------------------------------

    def _new_chip(self, number: int, battery_mv: int) -> Chip:
        """Make the chip of a tile: all its chance follows from the table's seed and the tile's id."""
        digest = blake2b(f"{self.seed} {number}".encode(), digest_size=25).digest()
        spread = int.from_bytes(digest[8:16], "little") % (2 * USUAL_SKEW_PPM + 1) - USUAL_SKEW_PPM
        chip = Chip(
            seed=int.from_bytes(digest[:8], "little"),
            skew_ppm=spread if self.skew_ppm is None else self.skew_ppm,
            battery_mv=battery_mv,
            serial=digest[16:25],
        )
        chip.set_skip(self._skip)
        return chip

    # Keeping --------------------------------------------------------------------------------------

    def digest(self) -> str:
        """Return a hash of the whole table, 16 hexadecimal digits: clock, every tile's state and pose."""
        total = blake2b(self.quantum.to_bytes(8, "little"), digest_size=8)
        for tile in self.tiles:
            where = tile.pose.place or (tile.pose.x, tile.pose.y, tile.pose.angle)
            total.update(f"{tile.id} {where!r} {tile.lifted} {tile.chip.digest():x};".encode())
        return total.hexdigest()

    def snapshot(self) -> Snapshot:
        """Keep everything as it is now, the light under way between tiles included."""
        saved = (
            SavedTile(
                id=tile.id,
                image=tile.image,
                pose=tile.pose,
                lifted=tile.lifted,
                pressed=tile.pressed,
                battery_mv=tile.battery_mv,
                serial=bytes(tile._serial),
                state=tile.chip.save(),
            )
            for tile in self.tiles
        )
        return Snapshot(
            seed=self.seed,
            skew_ppm=self.skew_ppm,
            quantum=self.quantum,
            due_ps=self._due_ps,
            used=frozenset(self._used),
            record=self.record,
            tiles=tuple(saved),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot of this table, or of another with the same seed and skew.

        Tiles added since vanish, removed ones come back; a `Tile` in hand stands for its tile again.

        Raises:
            TableError: the snapshot is of a table with another seed or skew.
        """
        if (snapshot.seed, snapshot.skew_ppm) != (self.seed, self.skew_ppm):
            raise TableError(
                f"the snapshot is of a table with seed {snapshot.seed} and skew {snapshot.skew_ppm}, "
                f"this one has {self.seed} and {self.skew_ppm}; make a table alike"
            )
        self._remove(tuple(self._tiles))
        self._core.quantum = snapshot.quantum
        for saved in snapshot.tiles:
            chip = self._new_chip(saved.id, saved.battery_mv)
            tile = self._known.get(saved.id) or Tile(self, saved.id, saved.image, chip, saved.pose)
            tile._chip, tile._serial = chip, bytearray(saved.serial)
            tile.image, tile.pose, tile.lifted, tile.pressed = (
                saved.image,
                saved.pose,
                saved.lifted,
                saved.pressed,
            )
            self._lay(tile)
            chip.restore(saved.state)
            chip.set_skip(self._skip)
        self._due_ps, self._used = snapshot.due_ps, set(snapshot.used)
        self._record = list(snapshot.record)

    def frame(self) -> Frame:
        """Return what there is to draw now."""
        return Frame(
            quantum=self.quantum,
            time_s=self.time_s,
            tiles=tuple(self._view(tile) for tile in self.tiles),
            contacts=self.contacts,
        )

    def _view(self, tile: Tile) -> TileView:
        faces = tile.faces
        faces.setflags(write=False)
        return TileView(
            id=tile.id,
            sketch=tile.image.name,
            pose=tile.pose,
            cell=tile.cell,
            turn=tile.turn,
            lifted=tile.lifted,
            pressed=tile.pressed,
            faces=faces,
            neighbors=tuple(self._touching(tile.id)),
            fault=tile.fault,
        )


def _switch_on(chip: Chip, image: Image) -> None:
    """Switch a chip on with an image. RAM is noise then, but a clock that nobody has started shows 0."""
    chip.load_flash(image.flash)
    chip.reset(ResetCause.POWER_ON)
    chip.write(MILLIS_AT, bytes(4))


def _place(pose: Pose) -> str:
    """Say where a pose is: its cell, or its coordinates off the lattice."""
    if pose.place is not None:
        return f"cell {pose.place[0]}"
    return f"({pose.x:.2f}, {pose.y:.2f})"


def _check_finite(poses: Mapping[int, Pose]) -> None:
    for number, pose in poses.items():
        if not all(map(math.isfinite, (pose.x, pose.y, pose.angle))):
            raise TableError(f"tile {number} cannot lie at {pose}; give finite numbers")


def _battery(millivolts: int) -> int:
    if not 0 <= millivolts <= 6000:
        raise TableError(f"a battery of {millivolts} mV cannot be; the part takes 0 to 6000")
    return millivolts


def _distinct(tiles: Sequence[Tile]) -> list[Tile]:
    """Return the tiles, each once."""
    return list(dict.fromkeys(tiles))
