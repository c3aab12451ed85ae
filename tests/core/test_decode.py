"""All 65,536 program words against the bit patterns of the manual."""

from __future__ import annotations

import pytest

from blinks_sim.core import decode_name, decode_words

from .isa import PATTERNS, decode
from .rig import Rig

WORDS = {word: decode(word) for word in range(0x10000)}


def test_patterns_do_not_overlap():
    """The table itself gives a word one meaning (decode asserts it), and every row some word."""
    assert {row.name for row in WORDS.values() if row} == set(PATTERNS)


def test_every_word_decodes_to_its_instruction_or_to_none():
    """Names of all words are the manual's; what the part lacks has none."""
    wrong = {
        f"{word:04x}": (row.name if row else None, decode_name(word))
        for word, row in WORDS.items()
        if (row.mnemonic if row else None) != decode_name(word)
    }
    assert not wrong, f"{len(wrong)} words (expected, found): {dict(list(wrong.items())[:20])}"


def test_every_word_has_its_length():
    """LDS, STS, JMP and CALL take two words, all others one, illegal ones none."""
    wrong = [f"{word:04x}" for word, row in WORDS.items() if decode_words(word) != (row.words if row else 0)]
    assert not wrong


@pytest.mark.parametrize("word", [0x0001, 0x00FF, 0x9404, 0x940B, 0x9419, 0x9519, 0x95D8, 0x95F8, 0x9006, 0x9207,
                                  0x9598 + 0x20, 0xF808, 0xFE08, 0xFFFF, 0x9003, 0x9208])  # fmt: skip
def test_an_illegal_word_stops_the_chip(word: int):
    """Running an illegal word is a fault that names the place and the word; nothing runs on."""
    rig = Rig(f"nop\n.word {word}")
    rig.step()
    assert rig.chip.fault is None
    rig.chip.step(3)
    fault = rig.chip.fault
    assert fault is not None
    assert (fault.kind.name, fault.pc, fault.word) == ("OPCODE", 2, word)

