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


ILLEGAL = "0001 00FF 9404 940B 9419 9519 95D8 95F8 9006 9207 95B8 F808 FE08 FFFF 9003 9208"


@pytest.mark.parametrize("word", [int(word, 16) for word in ILLEGAL.split()])
def test_an_illegal_word_stops_the_chip(word: int):
    """Running an illegal word is a fault that names the place and the word; nothing runs on."""
    rig = Rig(f"nop\n.word {word}")
    rig.step()
    assert rig.chip.fault is None
    rig.chip.step(3)
    fault = rig.chip.fault
    assert fault is not None
    assert (fault.kind.name, fault.pc, fault.word) == ("OPCODE", 2, word)
