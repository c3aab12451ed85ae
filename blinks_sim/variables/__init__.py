"""Variables of a sketch by name: `variables(image)` knows where each lies and what its bytes mean.

Names are those of the sketch: `teamIndex`, `ns::x`, `Class::member`, and `function::x` for a static of a
function; the last parts alone will do where only one variable ends so. Where two files have a static of the
same name, the file tells: `other.cpp::count`. Paths go into structs and arrays: `faces[2].value`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from ..errors import VariableError, did_you_mean
from ..image import Image
from .dwarf import Variable, read_variables
from .types import Array, EnumValue, Member, Struct, Type, decode_member, encode_member

__all__ = ["EnumValue", "Place", "Variables", "variables"]

_RAM = 0x80_0000
_EEPROM = 0x81_0000
_LIBRARY = "blinklib::"
_STEP = re.compile(r"\.(\w+)|\[\s*(\d+)\s*\]")


@dataclass(frozen=True, slots=True)
class Place:
    """Give where a variable, or a part of one, lies: `space` is "ram", "flash" or "eeprom"."""

    path: str
    space: str
    address: int
    member: Member

    @property
    def size(self) -> int:
        """Bytes it takes."""
        return self.member.type.size

    def decode(self, data: bytes) -> Any:
        """Return the value that its bytes hold; see `blinks_sim.variables.types`."""
        return decode_member(self.member, data)

    def encode(self, value: Any, old: bytes) -> bytes:
        """Return bytes that hold a value; what it leaves open stays as in `old`.

        Raises:
            VariableError: the value is of another kind or out of range.
        """
        try:
            return encode_member(self.member, value, old)
        except VariableError as error:
            raise VariableError(f"{self.path}: {error}") from None


class Variables:
    """Find the variables of one program."""

    def __init__(self, name: str, found: list[Variable]) -> None:
        self._image = name
        self._by_name = _named(found)

    @property
    def names(self) -> list[str]:
        """Names of all variables that have a place in memory, sorted."""
        return sorted(name for name, variable in self._by_name.items() if variable.address is not None)

    def type_of(self, name: str) -> Type:
        """Return the type of a variable.

        Raises:
            VariableError: there is none of that name.
        """
        return self._find(name)[1].type

    def place(self, path: str) -> Place:
        """Return where the variable or part that a path names lies.

        Raises:
            VariableError: there is none, the optimiser removed it, or the path does not fit its type.
        """
        name, variable, rest = self._split(path)
        if variable.address is None:
            raise VariableError(
                f"{self._image}: the optimiser removed {name!r}: it has no place in memory; "
                "make it volatile to keep it"
            )
        member = Member(name, variable.address, variable.type)
        at = 0
        while at < len(rest):
            step = _STEP.match(rest, at)
            if step is None:
                raise VariableError(f"{path!r}: cannot follow {rest[at:]!r}; write .member or [index]")
            member = _part(path, member, step)
            at = step.end()
        space, base = ("flash", 0) if member.offset < _RAM else ("ram", _RAM)
        if member.offset >= _EEPROM:
            space, base = "eeprom", _EEPROM
        return Place(path, space, member.offset - base, member)

    def _split(self, path: str) -> tuple[str, Variable, str]:
        """Return the variable that a path begins with, and the rest of the path."""
        ends = [len(path), *(step.start() for step in reversed(list(re.finditer(r"[.\[]", path))))]
        for end in ends:
            if path[:end] in self._by_name:
                return path[:end], self._by_name[path[:end]], path[end:]
        head = re.match(r"(?:[\w.]+\.\w+::)?[^.\[]*", path)
        end = head.end() if head else len(path)
        return (*self._find(path[:end]), path[end:])

    def _find(self, name: str) -> tuple[str, Variable]:
        if name in self._by_name:
            return name, self._by_name[name]
        ending = [full for full in self._by_name if full.endswith(f"::{name}")]
        if len(ending) == 1:
            return ending[0], self._by_name[ending[0]]
        if ending:
            raise VariableError(f"{self._image}: several are called {name!r}; say {' or '.join(ending)}")
        own = [full for full in self.names if not full.startswith(_LIBRARY)]
        near = did_you_mean(name, [*self.names, *(full.rpartition("::")[2] for full in self.names)])
        raise VariableError(
            f"{self._image}: no variable {name!r}: no such name, or the optimiser removed it"
            f"{near or ';'} there are {', '.join(own) or 'none of the sketch'}"
        )


def variables(image: Image) -> Variables:
    """Return the variables of an image that was built from a sketch or loaded from an ELF file.

    Raises:
        VariableError: the image knows nothing of them.
    """
    if image.elf is None:
        raise VariableError(
            f"{image.name}: holds no names of variables; run the sketch or its ELF file, not a HEX file"
        )
    found = _variables(image.elf, image.name)
    if not found.names:
        raise VariableError(f"{image.name}: its ELF file has no debug information; build it with -g")
    return found


@lru_cache(maxsize=32)
def _variables(elf: bytes, name: str) -> Variables:
    return Variables(name, read_variables(elf))


def _named(found: list[Variable]) -> dict[str, Variable]:
    """Return variables by name, told apart by file where names are the same."""
    often = Counter(variable.name for variable in found)
    named = {}
    for variable in found:
        name = variable.name
        if often[name] > 1:
            name = f"{PurePosixPath(variable.file).name}::{name}"
        named[name] = replace(variable, name=name)
    return named


def _part(path: str, whole: Member, step: re.Match[str]) -> Member:
    """Return the part of a variable that one step of a path leads to, its offset an address."""
    kind = whole.type
    if step[1] is not None:
        if not isinstance(kind, Struct):
            raise VariableError(
                f"{path!r}: {whole.name} is {kind.name} and has no members; leave {step[0]!r} out"
            )
        member = kind.member(step[1])
        return replace(member, name=f"{whole.name}{step[0]}", offset=whole.offset + member.offset)
    if not isinstance(kind, Array):
        raise VariableError(f"{path!r}: {whole.name} is {kind.name}, not an array; leave {step[0]!r} out")
    index = int(step[2])
    if index >= kind.count:
        raise VariableError(f"{path!r}: {whole.name} has {kind.count} elements; give 0 to {kind.count - 1}")
    return Member(f"{whole.name}{step[0]}", whole.offset + index * kind.of.size, kind.of)
