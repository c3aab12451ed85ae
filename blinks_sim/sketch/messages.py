"""What the compiler has to say: messages at places in files, and the error of a failed build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import BlinksError

_PLACED = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
_SUGGESTION = re.compile(r"suggested alternative: '(.+)'")


@dataclass(frozen=True, slots=True)
class Message:
    """Say something of a place in a file; `file` is "" and `line` 0 for what has no place.

    `line` and `column` count from 1; a column of 0 means the whole line. `severity` is "error", "warning" or
    "note"; a note belongs to the message before it.
    """

    file: str
    line: int
    column: int
    severity: str
    text: str

    def __str__(self) -> str:
        """Give the form that editors and CI know: `file:line:column: severity: text`."""
        place = self.file and ":".join(
            [self.file, str(self.line), *([str(self.column)] if self.column else [])]
        )
        return f"{place}: {self.severity}: {self.text}" if place else f"{self.severity}: {self.text}"

    @property
    def source_line(self) -> str | None:
        """Give the line of the file that the message is about, or None where there is none."""
        lines = _lines(self.file) if self.file else ()
        return lines[self.line - 1] if 0 < self.line <= len(lines) else None


class SketchError(BlinksError):
    """Report a sketch that does not build; `messages` holds all that was said, the errors among it."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text)
        self.messages = tuple(messages)

    @classmethod
    def of(cls, messages: Sequence[Message]) -> SketchError:
        """Return the error whose line is the first error's, with the number of others."""
        errors = [message for message in messages if message.severity == "error"]
        first, more = str(errors[0]), len(errors) - 1
        return cls(f"{first} (and {more} more error{'s'[: more > 1]})" if more else first, messages)


def parse(output: str) -> list[Message]:
    """Return the messages in what a compiler printed; a name that it suggests joins the message it is for."""
    found: list[Message] = []
    for line in output.splitlines():
        hit = _PLACED.fullmatch(line)
        if hit is None:
            continue
        severity = "error" if hit["kind"] == "fatal error" else hit["kind"]
        text = hit["text"]
        suggestion = _SUGGESTION.fullmatch(text)
        if suggestion and found:
            if suggestion[1].startswith("__"):
                continue  # the compiler guesses among its own macros too
            last = found.pop()
            text, severity = f"{last.text}; did you mean {suggestion[1]!r}?", last.severity
        found.append(Message(hit["file"], int(hit["line"]), int(hit["column"] or 0), severity, text))
    return found


def without_repeats(messages: Iterable[Message]) -> list[Message]:
    """Return the messages, each only once a line; the notes of one that is left out go with it."""
    kept: list[Message] = []
    seen: set[tuple[str, int, str, str]] = set()
    dropping = False
    for message in messages:
        if message.severity != "note":
            key = (message.file, message.line, message.severity, message.text)
            dropping = key in seen
            seen.add(key)
        if not dropping:
            kept.append(message)
    return kept


@cache
def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()
