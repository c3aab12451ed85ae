"""Firmware images: the flash map, merging, and every way a HEX file can be wrong."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.errors import ImageError
from blinks_sim.image import Image, bundled

JMP = bytes([0x0C, 0x94, 0x80, 0x1C])
CODE = bytes(range(1, 101))  # stands for a sketch of 100 bytes
AGAIN = "build or download it again"


def record(address: int, data: bytes, kind: int = 0) -> str:
    body = bytes([len(data), address >> 8, address & 0xFF, kind]) + data
    return f":{body.hex().upper()}{-sum(body) & 0xFF:02X}"


END = record(0, b"", 1)


def hex_file(*parts: tuple[int, bytes]) -> bytes:
    """Write Intel HEX of parts (address, bytes), as tool chains do."""
    lines = [
        record(address + i, data[i : i + 16]) for address, data in parts for i in range(0, len(data), 16)
    ]
    return "\n".join([*lines, END, ""]).encode()


def bios_bytes(fill: int) -> bytes:
    """Something that looks like a BIOS: code below, a jump in each vector, code behind."""
    return bytes([fill]) * 0xA00 + JMP * 26 + bytes([fill]) * (0x800 - 104)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of bundled images: a BIOS and a sketch of our own."""
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "bios.hex").write_bytes(hex_file((0x2E00, bios_bytes(0xB1))))
    (folder / "fracture.hex").write_bytes(hex_file((0x1700, CODE)))
    monkeypatch.setattr("blinks_sim.image._SHELVES", (tmp_path / "none", folder))
    return folder


def whole(sketch: bytes, bios: bytes = b"") -> bytes:
    """The flash with a built-in sketch and a BIOS."""
    return b"\xff" * 0x1700 + sketch.ljust(0x1700, b"\xff") + bios.ljust(0x1200, b"\xff")


def error(data: bytes, name: str = "game.hex", bios: str | None = None) -> str:
    with pytest.raises(ImageError) as caught:
        Image.parse(data, name, bios)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_bundled_image_gets_the_bundled_bios(shelf: Path):
    """A name without a path finds the bundled sketch; the BIOS is merged in."""
    image = Image.load("fracture")
    assert image.flash == whole(CODE, bios_bytes(0xB1))
    assert (image.name, image.symbols, image.entry, image.sketch_bytes) == ("fracture", {}, 0x3800, 100)
    assert image.sha256 == hashlib.sha256(image.flash).hexdigest()
    assert sorted(bundled()) == ["bios", "fracture"]


def test_the_images_of_the_source_tree_are_found():
    """Every image that comes with the package loads, and has room for what the sketch's area holds."""
    assert {"bios", "fracture", "fracture6", "hello"} <= bundled().keys()
    for name in bundled():
        image = Image.load(name)
        assert image.entry == 0x3800
        assert (image.sketch_bytes > 0) == (name != "bios")
        assert image.flash[0x2E00:] == Image.load("bios").flash[0x2E00:]


def test_a_sketch_at_0_is_moved(shelf: Path, tmp_path: Path):
    """A file linked at 0x0000 gives the same flash as one at 0x1700, up to the full 5,888 bytes."""
    path = tmp_path / "raw.hex"
    path.write_bytes(hex_file((0, CODE)))
    assert Image.load(path) == Image.load("fracture")
    assert Image.load(path).name == "raw"
    full = bytes(1 + i % 200 for i in range(5888))
    assert Image.parse(hex_file((0, full)), "x") == Image.parse(hex_file((0x1700, full)), "x")
    assert Image.parse(hex_file((0, full)), "x").sketch_bytes == 5888


@pytest.mark.parametrize("base", [0, 0x1700])
def test_a_file_with_its_own_bios_keeps_it(shelf: Path, base: int):
    """A sketch at either place with 0x2E00–0x3FFF behind it does not get the bundled BIOS."""
    image = Image.parse(hex_file((base, CODE), (0x2E00, bios_bytes(0xC2))), "with_bootloader.hex")
    assert image.flash == whole(CODE, bios_bytes(0xC2))


def test_a_dump_of_a_whole_chip_is_kept_as_it_is(shelf: Path):
    """A read-out has the sketch twice, active and built in, erased bytes and all."""
    dump = CODE.ljust(0x1700, b"\xff") + CODE.ljust(0x1700, b"\xff") + bios_bytes(0xC2)
    assert Image.parse(hex_file((0, dump)), "dump.hex").flash == dump


@pytest.mark.parametrize("own", [b"", bios_bytes(0xC2)])
def test_the_bios_asked_for_is_used(shelf: Path, tmp_path: Path, own: bytes):
    """Of a file given as BIOS just 0x2E00–0x3FFF counts, and it replaces any other."""
    path = tmp_path / "vendor.hex"
    path.write_bytes(hex_file((0x1700, b"\x55" * 40), (0x2E00, bios_bytes(0xD3))))
    data = hex_file((0x1700, CODE), (0x2E00, own))
    assert Image.parse(data, "x", bios=path).flash == whole(CODE, bios_bytes(0xD3))
    assert Image.parse(data, "x", bios="bios").flash == whole(CODE, bios_bytes(0xB1))


def test_without_a_bios_the_content_stays_where_it_is():
    """With bios "none" a program may have the whole chip; it starts at 0 unless there is a boot section."""
    program = bytes(1 + i % 200 for i in range(9000))
    image = Image.parse(hex_file((0, program)), "bare.hex", bios="none")
    assert image.flash == program.ljust(0x4000, b"\xff")
    assert image.entry == 0
    assert Image.parse(hex_file((0x3800, CODE)), "boot.hex", bios="none").entry == 0x3800


def test_an_image_is_a_value(shelf: Path):
    """Equality and hash look at the flash; a name makes no difference."""
    one, two = Image.parse(hex_file((0, CODE)), "one.hex"), Image.parse(hex_file((0, CODE)), "two.hex")
    assert one == two
    assert hash(one) == hash(two)
    assert (one.name, two.name) == ("one", "two")
    assert one != Image.parse(hex_file((0, CODE[1:])), "one.hex")


@given(st.dictionaries(st.integers(0, 0x3FFF), st.integers(0, 255), min_size=1, max_size=200))
def test_hex_round_trip(content):
    """Whatever lies in flash, the HEX text written from it reads back to the same bytes."""
    flash = bytearray(b"\xff" * 0x4000)
    for address, byte in {0: 1, **content}.items():
        flash[address] = byte
    image = Image(bytes(flash))
    assert Image.parse(image.to_hex().encode(), "x", bios="none") == image


def test_merged_hex_reads_back(shelf: Path):
    """A merged image written as HEX is a file with its own BIOS."""
    image = Image.load("fracture")
    (shelf / "bios.hex").unlink()
    assert Image.parse(image.to_hex().encode(), "again.hex") == image


# What is wrong with a file. The second line of GOOD ends the sketch, the third is the end record.
FIRST, SECOND = record(0x1700, CODE[:16]), record(0x1710, CODE[16:20])
GOOD = f"{FIRST}\n{SECOND}\n{END}\n"


def test_the_good_file_is_good(shelf: Path):
    """The file that the next tests damage loads, with any line ends, case and blank lines."""
    image = Image.parse(GOOD.encode(), "game.hex")
    assert image.flash[0x1700:0x1714] == CODE[:20]
    assert Image.parse(GOOD.lower().replace("\n", "\r\n\r\n").encode(), "x") == image
    assert Image.parse(GOOD.strip().encode(), "x") == image


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{FIRST}\n{SECOND}\n", f"game.hex:2: truncated, no end record after {SECOND!r}; {AGAIN}"),
        (f"{FIRST}\n{SECOND[:12]}", f"game.hex:2: truncated in '{SECOND[:12]}'; {AGAIN}"),
        (f"{FIRST}\n:0", f"game.hex:2: truncated in ':0'; {AGAIN}"),
        (f"{FIRST}\n{SECOND[:9]}\n{END}\n", f"game.hex:2: no record of Intel HEX: ':04171000'; {AGAIN}"),
        (f"{FIRST}\nhello\n{END}\n", f"game.hex:2: no record of Intel HEX: 'hello'; {AGAIN}"),
        (f"{FIRST}\n:0417100Z\n{END}\n", f"game.hex:2: no record of Intel HEX: ':0417100Z'; {AGAIN}"),
        (
            f"{FIRST}\n{SECOND[:-2]}00\n{END}\n",
            f"game.hex:2: wrong checksum in '{SECOND[:-2]}00'; {AGAIN}",
        ),
        (
            f"{SECOND}\n{FIRST[:-2]}00\n{END}\n",
            f"game.hex:2: wrong checksum in '{FIRST[:-2]}00'; {AGAIN}",
        ),
        (
            f"{FIRST}\n{record(0x170F, CODE[:3])}\n{END}\n",
            f"game.hex:2: address 0x170F is given twice, again in {record(0x170F, CODE[:3])!r}; {AGAIN}",
        ),
        (f"{END}\n", f"game.hex: holds no data for flash; {AGAIN}"),
        (f"{record(0x1700, bytes([255] * 9))}\n{END}\n", f"game.hex: holds no data for flash; {AGAIN}"),
        ("", f"game.hex: empty file; {AGAIN}"),
        (" \n", f"game.hex: empty file; {AGAIN}"),
        (
            "int main() {}\n",
            "game.hex: starts with 'int main() {', neither Intel HEX nor ELF; name a .hex or .elf file",
        ),
        (
            f"{FIRST}\n{record(0, bytes([0, 1]), 4)}\n{record(0x1234, CODE[:2])}\n{END}\n",
            "game.hex: reaches 0x11235, beyond the 16,384 bytes of flash; make it smaller",
        ),
        (
            hex_file((0x3FFF, b"\x01\x02")).decode(),
            "game.hex: reaches 0x4000, beyond the 16,384 bytes of flash; make it smaller",
        ),
    ],
)
def test_a_damaged_hex_file(shelf: Path, text: str, message: str):
    """The error names file and line, quotes the record and says what to do."""
    assert error(text.encode()) == message


def test_long_records_are_quoted_in_part(shelf: Path):
    """A record of more than 16 bytes does not fill the screen."""
    long = record(0x1700, CODE[:32])
    assert error(f"{long[:-2]}00\n{END}\n".encode()) == (
        f"game.hex:1: wrong checksum in '{long[:44]}…'; {AGAIN}"
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            [(0, bytes([1] * 5889))],
            "game.hex: takes 5,889 bytes from 0x0000, a sketch has 5,888; make it smaller, "
            "or run it without a BIOS ('none')",
        ),
        (
            [(0, CODE), (0x3000, CODE)],
            "game.hex: takes 12,388 bytes from 0x0000, a sketch has 5,888; make it smaller, "
            "or run it without a BIOS ('none')",
        ),
        (
            [(0x1700, bytes([1] * 5889))],
            "game.hex: reaches 0x2E00, over the BIOS at 0x2E00; a sketch has 5,888 bytes from 0x1700: "
            "make it smaller",
        ),
        (
            [(0x1700, CODE), (0x3F00, CODE)],
            "game.hex: reaches 0x3F63, over the BIOS at 0x2E00; a sketch has 5,888 bytes from 0x1700: "
            "make it smaller",
        ),
    ],
)
def test_an_image_that_does_not_fit(shelf: Path, parts: list[tuple[int, bytes]], message: str):
    """A sketch may not grow over its area, nor over the BIOS."""
    assert error(hex_file(*parts)) == message


def test_a_bios_file_without_a_bios(shelf: Path, tmp_path: Path):
    """A sketch given as BIOS is refused."""
    path = tmp_path / "sketch.hex"
    path.write_bytes(hex_file((0x1700, CODE)))
    message = f"{path}: holds no BIOS: no vectors at 0x3800; name a file with 0x2E00–0x3FFF"
    assert error(hex_file((0, CODE)), bios=str(path)) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "fractur",
            "no image 'fractur'; did you mean 'fracture'? bundled: bios, fracture; "
            "or name a .hex or .elf file",
        ),
        ("xyzzy", "no image 'xyzzy'; bundled: bios, fracture; or name a .hex or .elf file"),
        (
            "no/such.hex",
            "no/such.hex: cannot read it (No such file or directory); name a .hex or .elf file",
        ),
        (
            "fracture.hex",
            "fracture.hex: cannot read it (No such file or directory); name a .hex or .elf file",
        ),
    ],
)
@pytest.mark.parametrize("as_bios", [False, True])
def test_what_is_not_there(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str, as_bios: bool
):
    """Unknown names get a suggestion, missing files the system's words, for a sketch and for a BIOS."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImageError) as caught:
        Image.load("fracture" if as_bios else name, bios=name if as_bios else None)
    assert str(caught.value) == message


def test_an_unreadable_file(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What the system says of a file that it will not read reaches the user."""
    path = tmp_path / "locked.hex"
    path.write_text(GOOD)

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ImageError) as caught:
        Image.load(path)
    assert str(caught.value) == f"{path}: cannot read it (Permission denied); name a .hex or .elf file"


def test_a_folder_is_not_a_file(shelf: Path, tmp_path: Path):
    """A folder is refused in the system's words."""
    with pytest.raises(ImageError, match=r"cannot read it \(Is a directory\)"):
        Image.load(tmp_path)


def test_a_file_without_a_suffix(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A bundled name wins over a file called like it; another file needs no suffix."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text(GOOD)
    (tmp_path / "fracture").write_text(GOOD)
    assert Image.load("mine").sketch_bytes == 20
    assert Image.load("fracture").sketch_bytes == 100
    assert Image.load("./fracture").sketch_bytes == Image.load(Path("fracture")).sketch_bytes == 20


@given(st.integers(0, 400), st.integers(0, 255), st.integers(0, 400))
def test_a_damaged_file_never_crashes(position, byte, length):
    """Any byte changed and any length cut off give an image or our error, nothing else."""
    good = hex_file((0x1700, CODE))
    data = bytearray(good)
    data[position % len(data)] = byte
    for damaged in (bytes(data), good[: length % len(good)], bytes(data)[length % len(good) :]):
        with suppress(ImageError):
            Image.parse(damaged, "game.hex", bios="none")
