"""What the linker complains of, in words about the sketch."""

from __future__ import annotations

import re
from pathlib import Path

from .files import SketchFiles
from .messages import Message

_OVERFLOW = re.compile(r"region `(\w+)' overflowed by (\d+) bytes?")
_UNDEFINED = re.compile(r"undefined reference to `(.+)'")
_TWICE = re.compile(r"multiple definition of `(.+)'")
_LIMITS = {"text": ("flash", 5888), "data": ("RAM", 642)}


def defined_twice(output: str) -> bool:
    """Tell whether a link failed because the sketch defines what the library defines too."""
    return _TWICE.search(output) is not None


def link_messages(output: str, files: SketchFiles) -> list[Message]:
    """Return what a failed link means: what does not fit, what is missing, what is there twice."""
    found = [_overflow(region, int(over), files) for region, over in _OVERFLOW.findall(output)]
    for name in dict.fromkeys(_UNDEFINED.findall(output)):
        if name in ("setup()", "loop()", "setup", "loop"):
            what = name.removesuffix("()")
            text = f"the sketch has no {what}(); add 'void {what}() {{}}'"
            found.append(Message(str(files.tabs[0]), 1, 0, "error", text))
        else:
            found.append(_placed(name, f"{name!r} is used but defined nowhere", files))
    found += [
        _placed(name, f"{name!r} is defined more than once", files)
        for name in dict.fromkeys(_TWICE.findall(output))
    ]
    return found or [
        Message("", 0, 0, "error", " ".join(output.split()) or "the linker failed without a word")
    ]


def _overflow(region: str, over: int, files: SketchFiles) -> Message:
    kind, limit = _LIMITS.get(region, (region, 0))
    text = (
        f"the sketch does not fit: {limit + over:,} bytes of {kind}, {over:,} more than the {limit:,} it has"
    )
    return Message(str(files.tabs[0]), 1, 0, "error", text)


def _placed(name: str, text: str, files: SketchFiles) -> Message:
    """Return an error at the first mention of a name in the sketch's files, or without a place."""
    plain = re.split(r"[(<\[]", name)[0].rsplit("::")[-1]
    mention = re.compile(rf"\b{re.escape(plain)}\b")
    for file in files.all:
        for number, line in enumerate(_text(file).splitlines(), start=1):
            hit = mention.search(line.split("//")[0])
            if hit:
                return Message(str(file), number, hit.start() + 1, "error", text)
    return Message("", 0, 0, "error", text)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
