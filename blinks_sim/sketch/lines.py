"""Where preprocessed text comes from, by the line markers that the preprocessor leaves in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from .scan import TOKEN

_MARKER = re.compile(r'#(?:line)? (\d+) "((?:\\.|[^"\\])*)".*')


@dataclass(frozen=True, slots=True)
class Place:
    """Name a place in a file; the line counts from 1, the column from 0."""

    file: str
    line: int
    column: int


class Preprocessed:
    """Hold preprocessed text from the first line of a file on, and find where each character comes from.

    Columns are looked up in the files' own lines, `originals`, since the preprocessor changes blanks.
    """

    def __init__(self, text: str, originals: dict[str, list[str]], first: str) -> None:
        self._originals = originals
        kept: list[str] = []
        self._starts: list[int] = []
        self._origins: list[tuple[str, int]] = []
        file, number, offset = "", 0, 0
        begun = False
        for line in text.split("\n"):
            marker = _MARKER.fullmatch(line)
            if marker:
                file, number = re.sub(r"\\(.)", r"\1", marker[2]), int(marker[1])
                begun = begun or file == first
                continue
            if begun:
                kept.append(line)
                self._starts.append(offset)
                self._origins.append((file, number))
                offset += len(line) + 1
            number += 1
        self.text = "\n".join(kept)

    def file_of(self, offset: int) -> str:
        """Return the file that a character comes from."""
        return self._origins[bisect_right(self._starts, offset) - 1][0]

    def place_of(self, offset: int) -> Place:
        """Return where the token at an offset stands in its file."""
        row = bisect_right(self._starts, offset) - 1
        file, line = self._origins[row]
        lines = self._originals.get(file, [])
        raw = lines[line - 1] if 0 < line <= len(lines) else ""
        return Place(file, line, _column(self.text[self._starts[row] : offset], raw, self._word_at(offset)))

    def _word_at(self, offset: int) -> str:
        token = TOKEN.match(self.text, offset)
        return token[0] if token else ""


def _column(before: str, raw: str, word: str) -> int:
    """Return the column of a word in a line, from the tokens before it in the preprocessed line."""
    tokens = [token[0] for token in TOKEN.finditer(before)]
    hit = re.match(r"\s*" + "".join(rf"{re.escape(token)}\s*" for token in tokens), raw)
    if hit:
        return hit.end()
    later = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", raw) if word else None
    return later.start() if later else 0
