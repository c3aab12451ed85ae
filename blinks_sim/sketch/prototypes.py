"""The prototypes that Arduino promises: functions of a sketch may be called before they are defined.

They come from a parse of the preprocessed text and go in before the first item that may need them; one that
names a type goes behind that type. Members, functions in namespaces and what the sketch declares itself get
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from .lines import Place, Preprocessed
from .scan import TOKEN, WITH_ARGUMENTS, Item, items

_DEFAULTS = {"optional_parameter_declaration", "optional_type_parameter_declaration"}
_TYPES = {"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"}
_NAMES = {"type_identifier", "identifier", "namespace_identifier"}
_TYPE_HEAD = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)")
_LAST_WORD = re.compile(r"(\w+)\W*$")


@dataclass(frozen=True, slots=True)
class Insertion:
    """Say which prototypes go in at a place, each with the place of its function."""

    at: Place
    prototypes: tuple[tuple[Place, str], ...]


@dataclass(frozen=True, slots=True)
class _Function:
    item: Item
    name: str
    signature: tuple[str, ...] | None
    text: str
    needs: frozenset[str]


def prototypes(source: Preprocessed, tabs: set[str]) -> list[Insertion]:
    """Return what to put in where, in order of the text; `tabs` names the files that count."""
    text = source.text
    found = list(items(text))
    in_tabs = [item for item in found if source.file_of(item.start) in tabs]
    root = _parse(_without_bodies(text, found))
    nodes = dict(_nodes(root))
    declared = _declared(text, found, nodes)
    own = {signature for node in nodes.values() for signature in _declarations(node)}
    functions = [
        function
        for item in in_tabs
        if item.body is not None
        and (function := _function(text, item, nodes.get(item.start), declared)) is not None
        and (function.name, function.signature) not in own
    ]
    if not functions:
        return []
    anchor = _first_need(text, in_tabs, {function.name for function in functions})
    starts = [item.outside for item in in_tabs]
    placed: dict[int, list[_Function]] = {}
    for function in functions:
        needed = max([anchor, *(declared[name] for name in function.needs if name in declared)])
        at = next(start for start in [*starts, len(text)] if start >= needed)
        if at < function.item.start:
            placed.setdefault(at, []).append(function)
    return [
        Insertion(
            source.place_of(at), tuple((source.place_of(each.item.start), each.text) for each in placed[at])
        )
        for at in sorted(placed)
    ]


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cpp.language()))


def _parse(text: str) -> Node:
    # One byte a character keeps its offsets; names of C++11 are ASCII here.
    return _parser().parse(text.encode("ascii", "replace")).root_node


def _without_bodies(text: str, found: list[Item]) -> str:
    """Return the text with the bodies of functions emptied: what is in them cannot lead the parser astray."""
    parts, at = [], 0
    for item in found:
        if item.body is not None:
            parts += [text[at : item.body + 1], " " * (item.end - item.body - 2), "}"]
            at = item.end
    return "".join([*parts, text[at:]])


def _nodes(node: Node) -> Iterator[tuple[int, Node]]:
    """Yield the top-level nodes by where they start, those in `extern "C"` included."""
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "linkage_specification":
            body = child.child_by_field_name("body")
            if body is not None and body.type == "declaration_list":
                yield from _nodes(body)
                continue
        yield child.start_byte, child


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def _name_of(declarator: Node | None) -> Node | None:
    """Return the node of the name that a declarator declares."""
    while declarator is not None and declarator.type.endswith("declarator"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(iter(declarator.named_children), None)
    return declarator


def _text(node: Node) -> str:
    return (node.text or b"").decode("ascii", "replace")


def _signature(declarator: Node) -> tuple[str, ...] | None:
    """Return the types of a function's parameters, as they are written."""
    functions = [node for node in _walk(declarator) if node.type == "function_declarator"]
    if not functions:
        return None
    name = _name_of(declarator)
    of_name = next((f for f in functions if _name_of(f.child_by_field_name("declarator")) == name), None)
    parameters = None if of_name is None else of_name.child_by_field_name("parameters")
    return None if parameters is None else tuple(_type_of(node) for node in parameters.named_children)


def _type_of(parameter: Node) -> str:
    name = _name_of(parameter.child_by_field_name("declarator"))
    default = parameter.child_by_field_name("default_value")
    stop = parameter.end_byte if default is None else default.start_byte
    whole, start = _text(parameter)[: stop - parameter.start_byte], parameter.start_byte
    if name is not None:
        whole = whole[: name.start_byte - start] + " " + whole[name.end_byte - start :]
    return " ".join(re.findall(r"\w+|[^\w\s]", whole.rstrip("= ")))


def _declarations(node: Node) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Yield name and signature of each function that a top-level node declares without defining it."""
    inner = next((n for n in node.named_children if n.type == "declaration"), node)
    if inner.type != "declaration":
        return
    for declarator in inner.children_by_field_name("declarator"):
        name = _name_of(declarator)
        if name is not None and name.type == "identifier":
            yield _text(name), _signature(declarator)


def _definition(node: Node | None) -> Node | None:
    """Return the definition of a function in a top-level node: its own, a template's, one with linkage."""
    while node is not None and node.type in ("template_declaration", "linkage_specification"):
        body = node.child_by_field_name("body")
        node = body or next((n for n in node.named_children if n.type.endswith("definition")), None)
    return node if node is not None and node.type == "function_definition" else None


def _function(text: str, item: Item, node: Node | None, declared: dict[str, int]) -> _Function | None:
    """Return what to declare for the function that an item defines; None where it wants no prototype."""
    assert item.body is not None
    definition = _definition(node)
    if node is None or node.has_error or (definition is None and node.end_byte < item.end):
        return _function_unparsed(text, item, declared)
    if definition is None:
        return None  # a variable with an initializer in braces
    declarator = definition.child_by_field_name("declarator")
    name = _name_of(declarator)
    if declarator is None or name is None or name.type != "identifier":
        return None  # a member, an operator, a specialization
    defaults, needs = [], set()
    inner = _parameter_names(node) | {name.start_byte}
    for part in _walk(node):
        if part.type in _DEFAULTS:
            equals = next(child for child in part.children if child.type == "=")
            defaults.append((equals.start_byte, part.end_byte))
        elif part.type in _NAMES and part.start_byte not in inner:
            needs.add(_text(part))
    header = _cut(text, item.start, item.body, defaults)
    return _make(item, _text(name), _signature(declarator), header, needs)


def _parameter_names(node: Node) -> set[int]:
    """Return where the names of parameters start."""
    declarators = (
        part.child_by_field_name("declarator")
        for part in _walk(node)
        if part.type.endswith("parameter_declaration")
    )
    return {name.start_byte for name in map(_name_of, declarators) if name is not None}


def _function_unparsed(text: str, item: Item, declared: dict[str, int]) -> _Function | None:
    """Return what to declare for a function whose header the parser does not understand."""
    assert item.body is not None
    tokens = [t for t in TOKEN.finditer(text, item.start, item.body) if t.lastgroup != "comment"]
    words = [token[0] for token in tokens]
    depth, opening = 0, 0
    defaults: list[tuple[int, int]] = []
    equals: int | None = None
    for number, word in enumerate(words):
        outermost = depth == 0 and number > 0 and words[number - 1] not in WITH_ARGUMENTS
        if word == "(" and outermost and not opening and tokens[number - 1].lastgroup == "word":
            opening = number
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if word == "=" and depth == 1 and opening:
            equals = tokens[number].start()
        elif equals is not None and ((word == "," and depth == 1) or depth == 0):
            defaults.append((equals, tokens[number].start()))
            equals = None
    if not opening or words[opening - 2 : opening - 1] in (["::"], ["~"]) or "operator" in words:
        return None
    if words[opening + 1] in ("*", "&"):
        return None  # what the bracket holds is declared, not what stands before it
    needs = set(words) & declared.keys()
    return _make(item, words[opening - 1], None, _cut(text, item.start, item.body, defaults), needs)


def _make(
    item: Item, name: str, signature: tuple[str, ...] | None, header: str, needs: set[str]
) -> _Function | None:
    if name.startswith("__") or name == "main" or (re.search(r"\bauto\b", header) and "->" not in header):
        return None  # interrupts and the like are no functions to call; `auto` is known only from the body
    return _Function(item, name, signature, f"{item.linkage}{header};", frozenset(needs))


def _cut(text: str, start: int, end: int, leave_out: list[tuple[int, int]]) -> str:
    """Return a stretch of text on one line; comments and some ranges become blanks, so that columns stay."""
    comments = [token.span() for token in TOKEN.finditer(text, start, end) if token.lastgroup == "comment"]
    parts, at = [], start
    for first, last in sorted(leave_out + comments):
        parts += [text[at:first], " " * (last - max(first, at))]
        at = max(at, last)
    return "".join([*parts, text[at:end]]).replace("\n", " ").rstrip()


def _declared(text: str, found: list[Item], nodes: dict[int, Node]) -> dict[str, int]:
    """Return from where on each name that the text declares is known."""
    known: dict[str, int] = {}
    for item in found:
        if item.body is not None:
            continue
        node = nodes.get(item.start)
        broken = node is None or node.has_error
        names = _names_by_pattern(text[item.start : item.end]) if broken else _names_in(node)
        namespace = _namespace(node)
        if namespace:
            opening = re.compile(rf"using\s+namespace\s+{namespace}\b")
            use = next((each.end for each in found if opening.match(text, each.start)), item.end)
        else:
            use = item.end
        for name in names:
            known.setdefault(name, use)
    return known


def _namespace(node: Node | None) -> str:
    """Return the name of the namespace that a node is, or "" where it is none or has no name."""
    name = None
    if node is not None and node.type == "namespace_definition":
        name = node.child_by_field_name("name")
    return "" if name is None else re.escape(_text(name))


def _names_in(node: Node | None) -> Iterator[str]:
    for part in _walk(node) if node is not None else ():
        if part.type in _TYPES or part.type in ("alias_declaration", "enumerator"):
            name = part.child_by_field_name("name")
            if name is not None:
                yield _text(name)
        elif part.type in ("type_definition", "declaration", "init_declarator"):
            for declarator in part.children_by_field_name("declarator"):
                name = _name_of(declarator)
                if name is not None and name.type in _NAMES:
                    yield _text(name)


def _names_by_pattern(text: str) -> list[str]:
    names = _TYPE_HEAD.findall(text)
    last = _LAST_WORD.search(text) if text.startswith(("typedef", "using")) else None
    return [*names, last[1]] if last else names


def _first_need(text: str, in_tabs: list[Item], names: set[str]) -> int:
    """Return where the first item starts that is a function or mentions one of these names."""
    return next(
        item.outside
        for item in in_tabs
        if item.body is not None
        or any(
            token[0] in names
            for token in TOKEN.finditer(text, item.start, item.end)
            if token.lastgroup == "word"
        )
    )
