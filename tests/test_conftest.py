"""The helpers that all other tests lean on."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("fixture", "message"),
    [
        ("need_program", "program no-such-thing is not on this machine"),
        ("need_library", "library libno-such-thing is not on this machine"),
    ],
)
class TestMissing:
    def test_skips_with_a_reason(
        self,
        fixture: str,
        message: str,
        request: pytest.FixtureRequest,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A test that needs what the machine lacks is skipped, and says why."""
        monkeypatch.delenv("BLINKS_REQUIRE_SYSTEM", raising=False)
        with pytest.raises(pytest.skip.Exception, match=message):
            request.getfixturevalue(fixture)("no-such-thing")

    def test_fails_when_the_machine_must_have_it(
        self,
        fixture: str,
        message: str,
        request: pytest.FixtureRequest,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """With BLINKS_REQUIRE_SYSTEM=1 the same lack is a failure."""
        monkeypatch.setenv("BLINKS_REQUIRE_SYSTEM", "1")
        with pytest.raises(pytest.fail.Exception, match=message):
            request.getfixturevalue(fixture)("no-such-thing")


def test_present_program_and_library_are_found(need_program, need_library):
    """What the machine has is found and named."""
    assert need_program("python3").endswith("python3")
    assert "libc" in need_library("c")
