"""Names as the C++ compiler writes them into symbols, taken apart as far as this needs no types."""

from __future__ import annotations

import re

_PART = re.compile(r"L?(\d+)")
_STRUCTOR = re.compile(r"[CD][0-4]")


def split(symbol: str) -> tuple[list[str], str]:
    """Return the parts of a mangled name, such as _ZN7Derived7counterE, and what follows them.

    No parts for any other symbol, nor for operators, templates and what lies in a function. Nameless
    namespaces are left out.
    """
    match = re.match(r"_Z(N[VK]*)?", symbol)
    if match is None:
        return [], symbol
    rest = symbol[match.end() :]
    parts: list[str] = []
    while True:
        if match[1] and rest.startswith("E"):
            return parts, rest[1:]
        if parts and (structor := _STRUCTOR.match(rest)):
            parts.append(parts[-1] if rest[0] == "C" else f"~{parts[-1]}")
            rest = rest[structor.end() :]
            continue
        head = _PART.match(rest)
        if head is None:
            return [], symbol
        end = head.end() + int(head[1])
        if not rest[head.end() :].startswith("_GLOBAL__N_"):
            parts.append(rest[head.end() : end])
        rest = rest[end:]
        if not match[1]:
            return parts, rest


def readable(symbol: str) -> str:
    """Return a symbol as people write it, without argument types; as it is where that is hard."""
    if symbol.startswith("_ZTV"):
        return f"vtable for {readable(f'_Z{symbol[4:]}')}"
    parts, rest = split(symbol)
    if not parts:
        return symbol
    copy = re.search(r"\.\D.*$", rest)  # of a function that the optimiser copied or split
    return "::".join(parts) + (copy[0] if copy else "")
