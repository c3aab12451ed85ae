"""Types of variables as the compiler lays them out: bytes in memory ↔ Python values.

Numbers, pointers and characters are int, `bool` is bool, floating point is float, an enumeration is an
`EnumValue`, an array is a list, a struct, class or union a dict by member. Lowest byte first, as on an AVR.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..errors import VariableError, did_you_mean


class EnumValue(int):
    """Be the number that a variable of an enumeration holds; `name` is its enumerator's, None without one."""

    name: str | None

    def __new__(cls, number: int, name: str | None = None) -> EnumValue:
        """Make a number with a name."""
        made = super().__new__(cls, number)
        made.name = name
        return made

    def __repr__(self) -> str:
        return str(int(self)) if self.name is None else f"{self.name} ({int(self)})"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class Number:
    """Describe a number; `kind` is "signed", "unsigned", "bool", "float" or "pointer"."""

    name: str
    size: int
    kind: str


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Describe an enumeration: its enumerators by value."""

    name: str
    size: int
    signed: bool
    names: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Array:
    """Describe an array."""

    of: Type
    count: int

    @property
    def name(self) -> str:
        """Name of the type, as in "byte[6]"."""
        of: Type = self.of
        dimensions = f"[{self.count}]"
        while isinstance(of, Array):
            dimensions += f"[{of.count}]"
            of = of.of
        return f"{of.name}{dimensions}"

    @property
    def size(self) -> int:
        """Bytes it takes."""
        return self.of.size * self.count


@dataclass(frozen=True, slots=True)
class Member:
    """Describe a member; `bits` is (lowest bit, how many) of a bit-field within its bytes."""

    name: str
    offset: int
    type: Type
    bits: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Struct:
    """Describe a struct, class or union, members of its bases and nameless members included."""

    name: str
    size: int
    members: tuple[Member, ...]

    def member(self, name: str) -> Member:
        """Return a member.

        Raises:
            VariableError: there is none of that name.
        """
        for member in self.members:
            if member.name == name:
                return member
        names = [member.name for member in self.members]
        near = did_you_mean(name, names)
        raise VariableError(f"{self.name} has no member {name!r}{near or ';'} it has {', '.join(names)}")


Type: TypeAlias = Number | Enumeration | Array | Struct


def decode(kind: Type, data: bytes) -> Any:
    """Return the value that bytes hold."""
    match kind:
        case Number(kind="float"):
            return struct.unpack("<f" if kind.size == 4 else "<d", data)[0]
        case Number(kind="bool"):
            return any(data)
        case Number():
            return int.from_bytes(data, "little", signed=kind.kind == "signed")
        case Enumeration():
            return _enumerated(kind, int.from_bytes(data, "little", signed=kind.signed))
        case Array():
            size = kind.of.size
            return [decode(kind.of, data[at : at + size]) for at in range(0, size * kind.count, size or 1)]
        case Struct():
            return {
                member.name: decode_member(member, data[member.offset : member.offset + member.type.size])
                for member in kind.members
            }


def decode_member(member: Member, data: bytes) -> Any:
    """Return the value of a member in its bytes."""
    if member.bits is None:
        return decode(member.type, data)
    low, width = member.bits
    number = int.from_bytes(data, "little") >> low & (1 << width) - 1
    if _signed(member.type) and number >> width - 1:
        number -= 1 << width
    if isinstance(member.type, Enumeration):
        return _enumerated(member.type, number)
    return bool(number) if isinstance(member.type, Number) and member.type.kind == "bool" else number


def encode(kind: Type, value: Any, old: bytes) -> bytes:
    """Return bytes that hold a value; what it leaves open stays as in `old`.

    An enumeration takes a number or an enumerator's name, an array a sequence of its length, a struct or
    union a mapping of some of its members.

    Raises:
        VariableError: the value is of another kind or out of range.
    """
    match kind:
        case Number(kind="float"):
            if not isinstance(value, int | float):
                raise _unfit(kind, value, "a number")
            try:
                return struct.pack("<f" if kind.size == 4 else "<d", value)
            except OverflowError:
                raise _unfit(kind, value, "less") from None
        case Number() | Enumeration():
            return _integer(kind, value, 8 * kind.size).to_bytes(kind.size, "little")
        case Array():
            if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != kind.count:
                raise _unfit(kind, value, f"a list of {kind.count}")
            size = kind.of.size
            parts = (encode(kind.of, each, old[n * size : (n + 1) * size]) for n, each in enumerate(value))
            return b"".join(parts)
        case Struct():
            if not isinstance(value, Mapping):
                raise _unfit(kind, value, "a dict of members")
            new = bytearray(old)
            for name, each in value.items():
                member = kind.member(name)
                place = slice(member.offset, member.offset + member.type.size)
                new[place] = encode_member(member, each, bytes(new[place]))
            return bytes(new)


def encode_member(member: Member, value: Any, old: bytes) -> bytes:
    """Return a member's bytes with a value in it; other bits stay as in `old`.

    Raises:
        VariableError: as `encode`.
    """
    if member.bits is None:
        return encode(member.type, value, old)
    assert isinstance(member.type, Number | Enumeration)
    low, width = member.bits
    number = _integer(member.type, value, width)
    kept = int.from_bytes(old, "little") & ~((1 << width) - 1 << low)
    return (kept | number << low).to_bytes(len(old), "little")


def _signed(kind: Type) -> bool:
    return (
        kind.signed if isinstance(kind, Enumeration) else isinstance(kind, Number) and kind.kind == "signed"
    )


def _enumerated(kind: Enumeration, number: int) -> EnumValue:
    return EnumValue(number, kind.names.get(number))


def _integer(kind: Number | Enumeration, value: Any, width: int) -> int:
    """Return a value's bits as an unsigned number of so many bits."""
    if isinstance(kind, Enumeration) and isinstance(value, str):
        known = {name: number for number, name in kind.names.items()}
        if value not in known:
            near = did_you_mean(value, known) or ";"
            raise VariableError(f"{kind.name} has no {value!r}{near} it has {', '.join(known)}")
        value = known[value]
    if not isinstance(value, int):
        raise _unfit(kind, value, "a whole number")
    low, high = 0, (1 << width) - 1
    if isinstance(kind, Number) and kind.kind == "bool":
        high = 1
    elif _signed(kind):
        low, high = -(1 << width - 1), (1 << width - 1) - 1
    if not low <= value <= high:
        raise _unfit(kind, value, f"{low} to {high}")
    return int(value) & (1 << width) - 1


def _unfit(kind: Type, value: Any, wanted: str) -> VariableError:
    return VariableError(f"{value!r} does not fit {kind.name}; give {wanted}")
