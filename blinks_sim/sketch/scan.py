"""Cut preprocessed C++ into its top-level items, whatever a parser may think of what they hold.

Only brackets, strings and comments matter here, so one item that no parser understands cannot hide the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|(?m:^)[ \t]*\#[^\n]*)
    |(?P<text>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?\)(?P=mark)"
        |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:[uUL])?'(?:\\.|[^'\\\n])*')
    |(?P<word>[A-Za-z_$]\w*)
    |(?P<other>\d[\w.]*|::|->|\S)""",
    re.VERBOSE | re.DOTALL,
)

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
WITH_ARGUMENTS = {"__attribute__", "__attribute", "alignas", "noexcept", "throw", "decltype"}
_AFTER_PARAMETERS = {"const", "volatile", "noexcept", "override", "final", "&"}
_LINKAGE = 'extern "C" '


@dataclass(frozen=True, slots=True)
class Item:
    """Give where a top-level item lies; for a function also where its body begins.

    `linkage` is what a block around it says, and `outside` where that begins, or the item without one.
    """

    start: int
    end: int
    body: int | None
    linkage: str
    outside: int


def items(
    text: str, start: int = 0, end: int | None = None, linkage: str = "", outside: int | None = None
) -> Iterator[Item]:
    """Yield the items of a text in order; those in `extern "C" {}` too, with their linkage."""
    stop = len(text) if end is None else end
    first: int | None = None
    header: list[str] = []
    depth, opened, kind = 0, 0, ""

    def item(end: int, body: int | None) -> Item:
        assert first is not None
        return Item(first, end, body, linkage, first if outside is None else outside)

    for token in TOKEN.finditer(text, start, stop):
        if token.lastgroup == "comment":
            continue
        word = token[0]
        if first is None:
            first, header, kind = token.start(), [], ""
        if word in _OPENING:
            if depth == 0 and word == "{":
                kind, opened = _kind(header), token.start()
            if depth == 0:
                header.append(word)
            depth += 1
        elif word in _CLOSING:
            depth = max(depth - 1, 0)
            if depth == 0:
                header.append(word)
            if depth == 0 and word == "}" and kind in ("function", "namespace", "linkage"):
                if kind == "linkage":
                    around = first if outside is None else outside
                    yield from items(text, opened + 1, token.start(), _LINKAGE, around)
                else:
                    yield item(token.end(), opened if kind == "function" else None)
                first = None
        elif depth == 0:
            header.append(word)
            if word == ";":
                if len(header) > 1:
                    yield item(token.end(), None)
                first = None
    if first is not None:
        yield item(stop, None)


def _kind(header: list[str]) -> str:
    """Tell what the brace after these tokens opens; what lies in brackets is left out of them."""
    tokens = _plain(header)
    if tokens[:1] == ["namespace"] or tokens[:2] == ["inline", "namespace"]:
        return "namespace"
    if tokens[:1] == ["extern"] and len(tokens) == 2 and tokens[1].startswith('"'):
        return "linkage"
    if "(" not in tokens or ("=" in tokens and "operator" not in tokens):
        return "value or type"
    behind = tokens[tokens.index(")") + 1 :] if ")" in tokens else []
    if ":" in behind:  # a constructor: the body follows a bracket, an initializer follows a name
        return "function" if tokens[-1] in (")", "}") else "initializer"
    while tokens and tokens[-1] in _AFTER_PARAMETERS:
        tokens.pop()
    return "function" if tokens[-1:] == [")"] or "->" in behind else "value or type"


def _plain(header: list[str]) -> list[str]:
    """Return the tokens without attributes and without the parameters of a template."""
    tokens: list[str] = []
    at = 0
    while at < len(header):
        word = header[at]
        if word in WITH_ARGUMENTS and header[at + 1 : at + 2] == ["("]:
            at += 3  # the word and its brackets
        elif word == "template" and header[at + 1 : at + 2] == ["<"]:
            at, open_angles = at + 2, 1
            while at < len(header) and open_angles:
                open_angles += {"<": 1, ">": -1}.get(header[at], 0)
                at += 1
        else:
            tokens.append(word)
            at += 1
    return tokens
