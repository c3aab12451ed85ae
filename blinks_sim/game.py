"""What every game is, and what a referee tells the desk.

A game's rules are code apart from tiles, bots and pictures; they meet those through the protocols here.
States are immutable values: `apply` returns the next one, so search, undo and logs need no copies. A rule
is known by its number in `seeds/` (F7, T9, K3), and whoever refuses a move names the rules that it breaks.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any, NewType, Protocol, Self, TypeAlias, TypeVar

from .errors import GameError

Seat = NewType("Seat", int)
"""A player's place, from 0 in the order of turns."""

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Data as JSON has it."""

Place: TypeAlias = tuple[tuple[int, int], int]
"""A tile's cell (q, r) and turn (0–5) on the lattice of its cluster."""

LOG_VERSION = 1


class Phase(Enum):
    """Tell why it is nobody's turn: chance moves next, or the game is over."""

    CHANCE = "chance"
    OVER = "over"


Turn: TypeAlias = Seat | Phase


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """Name a rule by its number, and say in words how it is broken."""

    rule: str
    words: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.words}"

    @classmethod
    def parse(cls, text: str) -> BrokenRule:
        """Return the broken rule written as "F7: words".

        Raises:
            GameError: there is no ": " in the text.
        """
        rule, colon, words = text.partition(": ")
        if not colon:
            raise GameError(f"cannot read the rule {text!r}; write it like 'F7: each part must be connected'")
        return cls(rule, words)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tell how a game ended: who won, the one that counts first (nobody: a draw), why, and by which rule."""

    winners: tuple[Seat, ...]
    reason: str
    rule: str

    @property
    def winner(self) -> Seat | None:
        """Give the seat that won, or None after a draw."""
        return self.winners[0] if self.winners else None


class Move(Hashable, Protocol):
    """Be a move of a game or of chance: a hashable value whose `str` is its notation."""

    def __str__(self) -> str:
        """Return the notation, which the game's `parse_move` reads back."""
        ...


M = TypeVar("M", bound=Move)


class State(Protocol[M]):
    """Be a position of a game with everything that is needed to go on: an immutable, hashable value."""

    @property
    def turn(self) -> Turn:
        """Give the seat to move, or `Phase.CHANCE` or `Phase.OVER`."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """Give how the game ended, or None while it goes on."""
        ...

    def legal_moves(self) -> Iterator[M]:
        """Yield the legal moves of whoever's turn it is, lazily: there may be millions. None when over."""
        ...

    def explain(self, move: M) -> tuple[BrokenRule, ...]:
        """Return the rules that a move would break here; none: it is legal."""
        ...

    def apply(self, move: M) -> Self:
        """Return the state after a legal move. Unchecked, for speed; `play` is the checked twin."""
        ...

    def draw(self, rng: Random) -> M:
        """Return a move of chance, with the probability that the rules give it. Only at `Phase.CHANCE`."""
        ...

    def view(self, seat: Seat | None) -> Plain:
        """Return what a seat sees now (None: an onlooker), as plain data."""
        ...

    def information_state(self, seat: Seat) -> Plain:
        """Return all that a seat can know, with perfect recall of what it has seen."""
        ...

    def resample(self, seat: Seat, rng: Random) -> Self:
        """Return a state that the seat cannot tell from this one, what is hidden from it dealt anew."""
        ...

    def to_json(self) -> Plain:
        """Return the whole state, hidden parts too; the game's `from_json` reads it back."""
        ...


S = TypeVar("S", bound=State[Any])
S_co = TypeVar("S_co", bound=State[Any], covariant=True)
M_co = TypeVar("M_co", bound=Move, covariant=True)


class Game(Protocol[S_co, M_co]):
    """Be a game with its options chosen: what makes states and reads what they write."""

    @property
    def name(self) -> str:
        """Give the name that logs carry."""
        ...

    def start(self, seats: int, rng: Random) -> S_co:
        """Return a first state for a number of players; `rng` makes what the rules leave open.

        Raises:
            GameError: the game is not for that many.
        """
        ...

    def parse_move(self, text: str) -> M_co:
        """Return the move with a notation: `parse_move(str(move)) == move`.

        Raises:
            GameError: the text is no move, legal or not.
        """
        ...

    def from_json(self, data: Plain) -> S_co:
        """Return the state that `to_json` wrote.

        Raises:
            GameError: the data is no state of this game.
        """
        ...


def play(state: S, move: Move) -> S:
    """Return the state after a move, or refuse it.

    Raises:
        GameError: the move breaks rules; they are named.
    """
    broken = state.explain(move)
    if broken:
        raise GameError(f"move {str(move)!r} is not legal: {'; '.join(map(str, broken))}")
    return state.apply(move)


@dataclass(frozen=True, slots=True)
class Log:
    """Hold a game so far: its name, its first state as JSON text, and the notation of every move."""

    game: str
    start: str
    moves: tuple[str, ...] = ()

    @classmethod
    def of(cls, game: Game[S, M], start: S) -> Log:
        """Return the empty log of a game that starts from a state."""
        return cls(game.name, json.dumps(start.to_json(), sort_keys=True))

    def then(self, move: Move) -> Log:
        """Return the log with one more move, of a seat or of chance."""
        return Log(self.game, self.start, (*self.moves, str(move)))

    def states(self, game: Game[S, M]) -> Iterator[S]:
        """Yield the first state and the one after each move, checking every move.

        Raises:
            GameError: the log is of another game, or one of its moves cannot be read or is not legal.
        """
        if game.name != self.game:
            raise GameError(
                f"log of game {self.game!r} cannot be played as {game.name!r}; choose {self.game!r}"
            )
        state = game.from_json(json.loads(self.start))
        yield state
        for number, text in enumerate(self.moves, start=1):
            try:
                state = play(state, game.parse_move(text))
            except GameError as error:
                raise GameError(f"move {number} of the log: {error}") from error
            yield state

    def __str__(self) -> str:
        fields = {
            "version": LOG_VERSION,
            "game": self.game,
            "start": json.loads(self.start),
            "moves": self.moves,
        }
        return json.dumps(fields, sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> Log:
        """Return the log in a text: `parse(str(log)) == log`.

        Raises:
            GameError: the text is no log, or of another version.
        """
        try:
            fields = json.loads(text)
            version, game, moves = fields["version"], fields["game"], fields["moves"]
            start = json.dumps(fields["start"], sort_keys=True)
        except (ValueError, TypeError, KeyError) as error:
            raise GameError(f"cannot read the log {text[:40]!r}; give one that this program wrote") from error
        if version != LOG_VERSION:
            raise GameError(f"log of version {version!r} cannot be read; this program writes {LOG_VERSION}")
        if (
            not isinstance(game, str)
            or not isinstance(moves, list)
            or not all(isinstance(m, str) for m in moves)
        ):
            raise GameError(f"cannot read the log {text[:40]!r}; its game and its moves must be texts")
        return cls(game, start, tuple(moves))


@dataclass(frozen=True, slots=True)
class Mend:
    """Give a split and a mend: the tiles that move, and where every tile of the cluster lies then.

    `part` holds tile ids. `places` are on one lattice, whichever; only their relation to each other counts.
    """

    part: frozenset[int]
    places: Mapping[int, Place]


@dataclass(frozen=True, slots=True)
class Preview:
    """Tell what a mend would bring: rules it breaks (none: legal), happy tiles, and a game's end."""

    broken: tuple[BrokenRule, ...]
    happy: frozenset[int]
    outcome: Outcome | None


class Referee(Protocol):
    """Watch over a game that is played with the tiles on the desk. It never touches a tile.

    The desk asks before and after every fracture; tiles are known by their ids on the table.
    """

    @property
    def turn(self) -> Turn:
        """Give the seat to move, or `Phase.OVER`."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """Give how the game ended, or None while it goes on."""
        ...

    def seat_name(self, seat: Seat) -> str:
        """Return what a seat is called on the desk, such as its colour."""
        ...

    def explain_split(self, part: frozenset[int]) -> tuple[BrokenRule, ...]:
        """Return the rules that taking these tiles from the cluster would break; none: it is legal."""
        ...

    def preview(self, mend: Mend) -> Preview:
        """Return what a mend would bring, legal or not. Changes nothing."""
        ...

    def play(self, mend: Mend) -> Preview:
        """Take a mend as the turn of the seat to move.

        Raises:
            GameError: it breaks rules, which are named, or the game is over.
        """
        ...

    def undo(self) -> Mapping[int, Place] | None:
        """Take the last turn back; return where the tiles must lie, or None at the start."""
        ...

    def redo(self) -> Mapping[int, Place] | None:
        """Play again the turn taken back last; return where the tiles must lie, or None without one."""
        ...

    def hint(self, rng: Random) -> Mend | None:
        """Return a good mend for the seat to move, or None where it knows none."""
        ...
