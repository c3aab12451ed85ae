"""The protocols of a game and a referee, tried with two tiny games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.errors import GameError
from blinks_sim.game import (
    BrokenRule,
    Game,
    Log,
    Mend,
    Outcome,
    Phase,
    Place,
    Plain,
    Preview,
    Referee,
    Seat,
    State,
    Turn,
    play,
)
from blinks_sim.hexgrid import Cell, direction_between


@dataclass(frozen=True, slots=True)
class Take:
    """Take some stones from the heap."""

    stones: int

    def __str__(self) -> str:
        return f"take {self.stones}"


@dataclass(frozen=True, slots=True)
class Roll:
    """Let the die fall."""

    die: int

    def __str__(self) -> str:
        return f"roll {self.die}"


NimMove = Take | Roll
S = TypeVar("S", bound=State[Any])
M = TypeVar("M", Take, Roll, NimMove)


@dataclass(frozen=True, slots=True)
class Nim:
    """Play Nim with a die that only seat 0 sees.

    N1 take 1–3 stones that are there. N2 the die is rolled first: who takes the last stone wins if it is
    even, and loses if it is odd.
    """

    heap: int
    die: int | None = None
    taken: tuple[int, ...] = ()

    @property
    def turn(self) -> Turn:
        if self.die is None:
            return Phase.CHANCE
        return Phase.OVER if self.heap == 0 else Seat(len(self.taken) % 2)

    @property
    def outcome(self) -> Outcome | None:
        if self.turn is not Phase.OVER or self.die is None:
            return None
        last = (len(self.taken) - 1) % 2
        return Outcome((Seat(last if self.die % 2 == 0 else 1 - last),), f"the die shows {self.die}", "N2")

    def legal_moves(self) -> Iterator[NimMove]:
        if self.turn is Phase.CHANCE:
            yield from map(Roll, range(1, 7))
        else:
            yield from map(Take, range(1, min(3, self.heap) + 1))

    def explain(self, move: NimMove) -> tuple[BrokenRule, ...]:
        if isinstance(move, Roll):
            return () if self.turn is Phase.CHANCE else (BrokenRule("N2", "the die has been rolled"),)
        broken = []
        if self.turn is Phase.CHANCE:
            broken.append(BrokenRule("N2", "the die has not been rolled"))
        if not 1 <= move.stones <= 3:
            broken.append(BrokenRule("N1", f"{move.stones} is not 1 to 3"))
        if move.stones > self.heap:
            broken.append(BrokenRule("N1", f"there are only {self.heap} stones"))
        return tuple(broken)

    def apply(self, move: NimMove) -> Nim:
        if isinstance(move, Roll):
            return replace(self, die=move.die)
        return replace(self, heap=self.heap - move.stones, taken=(*self.taken, move.stones))

    def draw(self, rng: Random) -> NimMove:
        return Roll(rng.randint(1, 6))

    def view(self, seat: Seat | None) -> Plain:
        return {"heap": self.heap, "die": self.die if seat == 0 or self.outcome else None}

    def information_state(self, seat: Seat) -> Plain:
        return {"now": self.view(seat), "taken": list(self.taken)}

    def resample(self, seat: Seat, rng: Random) -> Nim:
        hidden = self.die is not None and seat != 0 and self.outcome is None
        return replace(self, die=rng.randint(1, 6)) if hidden else self

    def to_json(self) -> Plain:
        return {"heap": self.heap, "die": self.die, "taken": list(self.taken)}


class NimGame:
    """The game of Nim with a hidden die."""

    name = "nim"

    def start(self, seats: int, rng: Random) -> Nim:
        if seats != 2:
            raise GameError(f"nim is for 2 players, not {seats}")
        return Nim(rng.randint(5, 12))

    def parse_move(self, text: str) -> NimMove:
        verb, _, number = text.partition(" ")
        if verb not in ("take", "roll") or not number.isdecimal():
            raise GameError(f"cannot read move {text!r}; write 'take 2' or 'roll 6'")
        return Take(int(number)) if verb == "take" else Roll(int(number))

    def from_json(self, data: Plain) -> Nim:
        match data:
            case {"heap": int(heap), "die": int() | None as die, "taken": list(taken)}:
                return Nim(heap, die, tuple(n for n in taken if isinstance(n, int)))
        raise GameError(f"no state of nim: {data!r}")


def playout(game: Game[S, M], seats: int, rng: Random) -> Iterator[tuple[S, Log]]:
    """Play at random through the protocols alone; yield each state and the log up to it."""
    state = game.start(seats, rng)
    log = Log.of(game, state)
    yield state, log
    while state.turn is not Phase.OVER:
        move = state.draw(rng) if state.turn is Phase.CHANCE else rng.choice(list(state.legal_moves()))
        state, log = play(state, move), log.then(move)
        yield state, log


NIM: Game[Nim, NimMove] = NimGame()


@given(st.integers(0, 10_000))
def test_a_game_runs_through_the_protocols(seed):
    """A game that the protocols alone know plays to its end, and every state comes back from its JSON."""
    for state, _ in playout(NIM, 2, Random(seed)):
        assert NIM.from_json(state.to_json()) == state
        assert (state.outcome is not None) == (state.turn is Phase.OVER)
        moves = list(state.legal_moves())
        assert bool(moves) == (state.turn is not Phase.OVER)
        for move in moves:
            assert NIM.parse_move(str(move)) == move
            assert state.explain(move) == ()


@given(st.integers(0, 10_000))
def test_a_log_plays_the_same_game(seed):
    """A log written as text and read back yields the same states."""
    states, logs = zip(*playout(NIM, 2, Random(seed)), strict=True)
    log = Log.parse(str(logs[-1]))
    assert log == logs[-1]
    assert list(log.states(NIM)) == list(states)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_resampling_keeps_what_a_seat_knows(seed, other):
    """A seat cannot tell a resampled state from the true one; what it knows itself does not change."""
    for state, _ in playout(NIM, 2, Random(seed)):
        for seat in (Seat(0), Seat(1)):
            again = state.resample(seat, Random(other))
            assert again.information_state(seat) == state.information_state(seat)
            assert again.turn == state.turn
        assert state.resample(Seat(0), Random(other)) == state


def test_what_is_hidden_stays_hidden():
    """The die is in the view of seat 0, in nobody else's before the end; resampling tries all its faces."""
    state = play(Nim(5), Roll(4))
    assert state.view(Seat(0)) == {"heap": 5, "die": 4}
    assert state.view(Seat(1)) == state.view(None) == {"heap": 5, "die": None}
    assert {state.resample(Seat(1), Random(seed)).die for seed in range(100)} == {1, 2, 3, 4, 5, 6}


def test_a_broken_rule_is_named():
    """A move against the rules is refused with every rule that it breaks."""
    state = play(Nim(5), Roll(4))
    assert state.explain(Take(7)) == (
        BrokenRule("N1", "7 is not 1 to 3"),
        BrokenRule("N1", "there are only 5 stones"),
    )
    with pytest.raises(GameError) as caught:
        play(state, Take(7))
    assert str(caught.value) == (
        "move 'take 7' is not legal: N1: 7 is not 1 to 3; N1: there are only 5 stones"
    )
    with pytest.raises(GameError, match="N2: the die has not been rolled"):
        play(Nim(5), Take(1))


def test_an_outcome_names_the_winner():
    """The first of the winners counts; a draw has none."""
    state = play(play(play(Nim(4), Roll(2)), Take(3)), Take(1))
    assert state.outcome == Outcome((Seat(1),), "the die shows 2", "N2")
    assert state.outcome.winner == 1
    assert Outcome((Seat(2), Seat(0)), "both are happy", "F14").winner == 2
    assert Outcome((), "third repetition", "F15").winner is None


@given(st.from_regex(r"[A-Z][0-9]{1,2}", fullmatch=True), st.text())
def test_a_broken_rule_reads_what_it_writes(rule, words):
    """A rule's text parses to the same rule."""
    assert BrokenRule.parse(str(BrokenRule(rule, words))) == BrokenRule(rule, words)


LOG = Log("nim", '{"die": null, "heap": 5, "taken": []}', ("roll 4", "take 3"))


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (replace(LOG, game="tink"), "log of game 'tink' cannot be played as 'nim'; choose 'tink'"),
        (
            LOG.then(Take(3)),
            "move 3 of the log: move 'take 3' is not legal: N1: there are only 2 stones",
        ),
        (
            replace(LOG, moves=("roll 4", "pass")),
            "move 2 of the log: cannot read move 'pass'; write 'take 2' or 'roll 6'",
        ),
        (replace(LOG, start="7"), "no state of nim: 7"),
    ],
)
def test_a_log_that_does_not_play(log: Log, message: str):
    """Replaying names the number of the move that fails, and why."""
    with pytest.raises(GameError) as caught:
        list(log.states(NIM))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot read the log '{'; give one that this program wrote"),
        ("[1]", "cannot read the log '[1]'; give one that this program wrote"),
        ('{"version": 1}', "cannot read the log '{\"version\": 1}'; give one that this program wrote"),
        (
            str(LOG).replace('"version": 1', '"version": 9'),
            "log of version 9 cannot be read; this program writes 1",
        ),
        (
            '{"version": 1, "game": 3, "start": 0, "moves": []}',
            'cannot read the log \'{"version": 1, "game": 3, "start": 0, "m\'; '
            "its game and its moves must be texts",
        ),
    ],
)
def test_a_text_that_is_no_log(text: str, message: str):
    """What cannot be read as a log is quoted."""
    with pytest.raises(GameError) as caught:
        Log.parse(text)
    assert str(caught.value) == message


def test_a_rule_without_a_colon():
    """A broken rule is a number, a colon and words."""
    with pytest.raises(GameError) as caught:
        BrokenRule.parse("F7")
    assert str(caught.value) == "cannot read the rule 'F7'; write it like 'F7: each part must be connected'"


@dataclass(slots=True)
class Corners:
    """Referee a game of corners.

    C1 one tile moves. C2 it must touch the rest again, elsewhere. C3 whoever makes two tiles happy wins: a
    tile with one neighbor is happy.
    """

    places: dict[int, Place]
    past: list[dict[int, Place]] = field(default_factory=list)
    future: list[dict[int, Place]] = field(default_factory=list)

    @property
    def turn(self) -> Turn:
        return Phase.OVER if self.outcome else Seat(len(self.past) % 2)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome(self.places, len(self.past) - 1) if self.past else None

    def _outcome(self, places: Mapping[int, Place], mover: int) -> Outcome | None:
        won = len(happy(places)) >= 2
        return Outcome((Seat(mover % 2),), "two tiles are happy", "C3") if won else None

    def seat_name(self, seat: Seat) -> str:
        return ("Anna", "Bert")[seat]

    def explain_split(self, part: frozenset[int]) -> tuple[BrokenRule, ...]:
        return () if len(part) == 1 else (BrokenRule("C1", f"{len(part)} tiles are not one"),)

    def preview(self, mend: Mend) -> Preview:
        broken = list(self.explain_split(mend.part))
        if any(not touched(tile, mend.places) for tile in mend.places) or mend.places == self.places:
            broken.append(BrokenRule("C2", "it must touch the rest, elsewhere"))
        return Preview(tuple(broken), happy(mend.places), self._outcome(mend.places, len(self.past)))

    def play(self, mend: Mend) -> Preview:
        found = self.preview(mend)
        if found.broken:
            raise GameError(f"this mend is not legal: {found.broken[0]}")
        self.past.append(self.places)
        self.places, self.future = dict(mend.places), []
        return found

    def undo(self) -> Mapping[int, Place] | None:
        if not self.past:
            return None
        self.future.append(self.places)
        self.places = self.past.pop()
        return self.places

    def redo(self) -> Mapping[int, Place] | None:
        if not self.future:
            return None
        self.past.append(self.places)
        self.places = self.future.pop()
        return self.places

    def hint(self, rng: Random) -> Mend | None:
        tile = rng.choice(sorted(self.places))
        cells = [(q, r) for q in range(-2, 4) for r in range(-2, 4)]
        taken = [cell for cell, _ in self.places.values()]
        for cell in (c for c in cells if c not in taken):
            mend = Mend(frozenset({tile}), {**self.places, tile: (cell, 0)})
            if not self.preview(mend).broken and self.preview(mend).outcome:
                return mend
        return None


def touched(tile: int, places: Mapping[int, Place]) -> list[int]:
    cell: Cell = places[tile][0]
    return [other for other, (at, _) in places.items() if direction_between(cell, at) is not None]


def happy(places: Mapping[int, Place]) -> frozenset[int]:
    return frozenset(tile for tile in places if len(touched(tile, places)) == 1)


TRIANGLE: dict[int, Place] = {10: ((0, 0), 0), 11: ((1, 0), 0), 12: ((0, 1), 0)}


def test_a_desk_can_follow_a_referee():
    """By the protocol alone a desk learns whose turn it is, why not, who is happy, who won, and undoes."""
    referee: Referee = Corners(dict(TRIANGLE))
    assert isinstance(referee.turn, int)
    assert referee.seat_name(referee.turn) == "Anna"
    assert [str(rule) for rule in referee.explain_split(frozenset({10, 11}))] == ["C1: 2 tiles are not one"]
    apart = Mend(frozenset({12}), {**TRIANGLE, 12: ((0, 5), 0)})
    assert referee.preview(apart).broken == (BrokenRule("C2", "it must touch the rest, elsewhere"),)
    with pytest.raises(GameError, match="C2: it must touch the rest"):
        referee.play(apart)
    mend = referee.hint(Random(1))
    assert mend is not None
    assert referee.explain_split(mend.part) == ()
    assert referee.preview(mend) == Preview(
        (), happy(mend.places), Outcome((Seat(0),), "two tiles are happy", "C3")
    )
    assert referee.outcome is None
    assert referee.play(mend).outcome == referee.outcome
    assert referee.turn is Phase.OVER
    assert referee.undo() == TRIANGLE
    assert (referee.turn, referee.outcome, referee.undo()) == (0, None, None)
    assert referee.redo() == mend.places
    assert (referee.turn, referee.redo()) == (Phase.OVER, None)
