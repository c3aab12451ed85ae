"""Variables of a program from the DWARF of its ELF file, as avr-gcc 7 writes it after link-time optimisation.

That is DWARF 2 with extensions: one unit for the whole program, in which a variable of a namespace or a
function lies as a declaration there and as a definition at the top. What the optimiser removed altogether
leaves no trace, or a declaration without a place.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from .mangled import split
from .types import Array, Enumeration, Member, Number, Struct, Type

_OP_ADDR, _OP_PLUS_UCONST = 0x03, 0x23
_SCOPES = ("DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_structure_type", "DW_TAG_class_type")
_TRANSPARENT = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type")
_POINTERS = (
    "DW_TAG_pointer_type",
    "DW_TAG_reference_type",
    "DW_TAG_rvalue_reference_type",
    "DW_TAG_ptr_to_member_type",
)
_STRUCTS = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
_SIGNED = (0x05, 0x06)  # DW_ATE_signed, DW_ATE_signed_char
_BOOLEAN, _FLOAT = 0x02, 0x04


@dataclass(frozen=True, slots=True)
class Variable:
    """Describe a variable: its full name, its file, its type, and its address (RAM from 0x800000).

    `address` is None for one that has no place of its own in memory.
    """

    name: str
    file: str
    type: Type
    address: int | None


def read_variables(elf_bytes: bytes) -> list[Variable]:
    """Return the variables of namespaces, files and functions in an ELF file; none without DWARF."""
    try:
        elf = ELFFile(io.BytesIO(elf_bytes))
        if not elf.has_dwarf_info():
            return []
        classes = _class_statics(elf)
        found: dict[tuple[str, int | None], Variable] = {}
        for unit in elf.get_dwarf_info().iter_CUs():
            for variable in _Unit(unit).variables():
                name = classes.get(variable.address or 0, variable.name)
                named = Variable(name, variable.file, variable.type, variable.address)
                found[name, variable.address] = named
        placed = {name for name, address in found if address is not None}
        return [each for each in found.values() if each.address is not None or each.name not in placed]
    except (ELFError, DWARFError, KeyError, AttributeError):
        return []  # damaged, or of a kind that is not understood: as good as none


@dataclass(frozen=True, slots=True)
class Inlined:
    """Tell of a function that the compiler put into another: `pieces` are (address, size), in bytes."""

    name: str
    entry: int
    pieces: tuple[tuple[int, int], ...]


def read_inlined(elf_bytes: bytes) -> list[Inlined]:
    """Return the functions that were put into others, outer ones before those within; none without DWARF."""
    try:
        elf = ELFFile(io.BytesIO(elf_bytes))
        if not elf.has_dwarf_info():
            return []
        units = elf.get_dwarf_info().iter_CUs()
        return [each for unit in units for each in _Unit(unit).inlined()]
    except (ELFError, DWARFError, KeyError, AttributeError):
        return []  # as good as none


def _class_statics(elf: ELFFile) -> dict[int, str]:
    """Return the full names of variables by address, as far as symbols tell: DWARF forgets their classes."""
    names: dict[int, str] = {}
    for section in elf.iter_sections("SHT_SYMTAB"):
        if not isinstance(section, SymbolTableSection):
            continue
        for symbol in section.iter_symbols():
            parts, rest = split(symbol.name)
            if len(parts) > 1 and not rest and symbol["st_info"]["type"] == "STT_OBJECT":
                names[symbol["st_value"]] = "::".join(parts)
    return names


class _Unit:
    """Read one compile unit."""

    def __init__(self, unit: CompileUnit) -> None:
        self._unit = unit
        self._types: dict[int, Type] = {}
        self._files = self._file_names()

    def _file_names(self) -> list[str]:
        program = self._unit.dwarfinfo.line_program_for_CU(self._unit)
        return [entry.name.decode(errors="replace") for entry in program["file_entry"]] if program else []

    def variables(self) -> Iterator[Variable]:
        for die, scope in self._walk(self._unit.get_top_DIE(), ()):
            # A definition refers to the declaration that has name, type and scope.
            declared, scope = self._declared(die), self._scope_of(die, scope)
            name, of = _name(declared), declared.attributes.get("DW_AT_type")
            if not name or of is None:
                continue
            address = _address(die)
            if address is None and scope and scope[0] == "()":
                continue  # a local one, in registers or on the stack
            full = "::".join(part for part in scope if part != "()") + "::" if scope else ""
            yield Variable(f"{full}{name}", self._file(declared), self._type(declared), address)

    def inlined(self, within: DIE | None = None) -> Iterator[Inlined]:
        for die in (within or self._unit.get_top_DIE()).iter_children():
            if die.tag == "DW_TAG_inlined_subroutine":
                name = "::".join(part for part in self._inside(die, ()) if part != "()")
                pieces = self._pieces(die)
                if name and pieces:
                    entry = _number(die, "DW_AT_entry_pc", pieces[0][0])
                    yield Inlined(name, entry, pieces)
            if die.has_children:
                yield from self.inlined(die)

    def _pieces(self, die: DIE) -> tuple[tuple[int, int], ...]:
        if "DW_AT_low_pc" in die.attributes:
            start, high = _number(die, "DW_AT_low_pc"), die.attributes["DW_AT_high_pc"]
            end = high.value if high.form == "DW_FORM_addr" else start + high.value
            return ((start, end - start),) if end > start else ()
        ranges = self._unit.dwarfinfo.range_lists()
        if ranges is None or "DW_AT_ranges" not in die.attributes:
            return ()
        base = _number(self._unit.get_top_DIE(), "DW_AT_low_pc")
        found = ranges.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, self._unit)
        return tuple(
            (base + each.begin_offset, each.end_offset - each.begin_offset)
            for each in found
            if isinstance(each, RangeEntry) and each.end_offset > each.begin_offset
        )

    def _walk(self, die: DIE, scope: tuple[str, ...]) -> Iterator[tuple[DIE, tuple[str, ...]]]:
        """Yield variables with the names of what they lie in; "()" first in what lies in a function."""
        for child in die.iter_children():
            if child.tag == "DW_TAG_variable":
                yield child, scope
            elif child.tag == "DW_TAG_lexical_block":
                yield from self._walk(child, scope)
            elif child.tag in ("DW_TAG_namespace", "DW_TAG_subprogram"):
                yield from self._walk(child, self._inside(child, scope))

    def _inside(self, die: DIE, scope: tuple[str, ...]) -> tuple[str, ...]:
        declared = self._declared(die)
        outer = scope if declared is die else self._parents(declared)
        name = _name(declared)
        inner = (*outer, name) if name else outer
        if die.tag == "DW_TAG_subprogram" and "()" not in inner:
            inner = ("()", *inner)
        return inner

    def _scope_of(self, die: DIE, scope: tuple[str, ...]) -> tuple[str, ...]:
        declared = self._declared(die)
        return scope if declared is die else self._parents(declared)

    def _parents(self, die: DIE) -> tuple[str, ...]:
        parent = die.get_parent()
        if parent is None or parent.tag not in (*_SCOPES, "DW_TAG_lexical_block"):
            return ()
        if parent.tag == "DW_TAG_lexical_block":
            return self._parents(parent)
        return self._inside(parent, self._parents(parent))

    def _declared(self, die: DIE) -> DIE:
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in die.attributes:
                return self._declared(die.get_DIE_from_attribute(link))
        return die

    def _file(self, die: DIE) -> str:
        at = die.attributes.get("DW_AT_decl_file")
        return self._files[at.value - 1] if at is not None and 0 < at.value <= len(self._files) else ""

    # Types ----------------------------------------------------------------------------------------

    def _type(self, die: DIE, alias: str | None = None) -> Type:
        """Return the type that a DIE's DW_AT_type refers to; `alias` is the name it goes by."""
        if "DW_AT_type" not in die.attributes:
            return Number(alias or "void", 1, "unsigned")
        of = die.get_DIE_from_attribute("DW_AT_type")
        if of.tag in _TRANSPARENT:
            return self._type(of, alias or _name(of) or None)
        known = self._types.get(of.offset)
        if known is None or alias:
            known = self._make(of, alias or _name(of) or "unnamed")
            if not alias:
                self._types[of.offset] = known
        return known

    def _make(self, die: DIE, name: str) -> Type:
        size = _number(die, "DW_AT_byte_size", 2)
        if die.tag in _POINTERS or die.tag == "DW_TAG_subroutine_type":
            return Number("pointer", size, "pointer")
        if die.tag == "DW_TAG_enumeration_type":
            names = {_number(c, "DW_AT_const_value"): _name(c) for c in die.iter_children()}
            signed = any(value < 0 for value in names)
            return Enumeration(name, size, signed, names)
        if die.tag == "DW_TAG_array_type":
            made = self._type(die)
            for child in reversed([c for c in die.iter_children() if c.tag == "DW_TAG_subrange_type"]):
                made = Array(made, _count(child))
            return made
        if die.tag in _STRUCTS:
            return Struct(name, size, tuple(self._members(die)))
        encoding = _number(die, "DW_AT_encoding")
        kinds = {_BOOLEAN: "bool", _FLOAT: "float"}
        kind = kinds.get(encoding, "signed" if encoding in _SIGNED else "unsigned")
        return Number(name, size, kind)

    def _members(self, die: DIE) -> Iterator[Member]:
        own, inherited = [], []
        for child in die.iter_children():
            if child.tag == "DW_TAG_inheritance":
                inherited += self._within(self._type(child), _offset(child))
            elif child.tag == "DW_TAG_member" and not _hidden(child):
                of, offset, name = self._type(child), _offset(child), _name(child)
                if name:
                    own.append(Member(name, offset, of, _bits(child, of.size)))
                else:
                    own += self._within(of, offset)
        names = {member.name for member in own}
        yield from (member for member in inherited if member.name not in names)
        yield from own

    @staticmethod
    def _within(kind: Type, offset: int) -> list[Member]:
        members = kind.members if isinstance(kind, Struct) else ()
        return [Member(m.name, m.offset + offset, m.type, m.bits) for m in members]


def _name(die: DIE) -> str:
    at = die.attributes.get("DW_AT_name")
    return at.value.decode(errors="replace") if at is not None else ""


def _number(die: DIE, attribute: str, default: int = 0) -> int:
    at = die.attributes.get(attribute)
    return at.value if at is not None and isinstance(at.value, int) else default


def _address(die: DIE) -> int | None:
    place: Any = die.attributes.get("DW_AT_location")
    if place is None or (not place.form.startswith("DW_FORM_block") and place.form != "DW_FORM_exprloc"):
        return None
    if len(place.value) != 5 or place.value[0] != _OP_ADDR:
        return None
    # The linker leaves 0 where it has dropped a variable that nothing uses.
    return int.from_bytes(bytes(place.value[1:]), "little") or None


def _offset(die: DIE) -> int:
    at = die.attributes.get("DW_AT_data_member_location")
    if at is None:
        return 0
    if isinstance(at.value, int):
        return at.value
    assert at.value[0] == _OP_PLUS_UCONST, "a member at a computed place"
    return sum((byte & 0x7F) << 7 * n for n, byte in enumerate(at.value[1:]))


def _count(die: DIE) -> int:
    if "DW_AT_count" in die.attributes:
        return _number(die, "DW_AT_count")
    return _number(die, "DW_AT_upper_bound", -1) + 1


def _hidden(die: DIE) -> bool:
    """Tell whether a member is the compiler's own, or a static one, which is a variable."""
    artificial = "DW_AT_artificial" in die.attributes or _name(die).startswith("_vptr")
    return artificial or "DW_AT_external" in die.attributes or "DW_AT_declaration" in die.attributes


def _bits(die: DIE, size: int) -> tuple[int, int] | None:
    """Return (lowest bit, how many) of a bit-field; DWARF 2 counts from the highest bit down."""
    width = _number(die, "DW_AT_bit_size")
    if not width:
        return None
    if "DW_AT_data_bit_offset" in die.attributes:
        return _number(die, "DW_AT_data_bit_offset"), width
    return 8 * _number(die, "DW_AT_byte_size", size) - _number(die, "DW_AT_bit_offset") - width, width
