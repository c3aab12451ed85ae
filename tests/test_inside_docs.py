from __future__ import annotations

import re
from pathlib import Path

import pytest

from .firmware.building import need_tools

PAGE = Path(__file__).parents[1] / "docs" / "inside.md"


def test_the_documented_examples_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The examples of the page run one after the other, and the packet printed is the one shown."""
    need_tools()
    text = PAGE.read_text(encoding="utf-8")
    (sketch,) = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
    (tmp_path / "Counter.ino").write_text(sketch, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(example, names)
    (shown,) = re.findall(r"```text\n(.*?)\n```", text, re.DOTALL)
    printed = capsys.readouterr().out.splitlines()[0]
    # Sizes of the sketch, and so its times, may change with the library.
    assert re.sub(r"\d\.\d+ ", "N ", printed) == re.sub(r"\d\.\d+ ", "N ", shown)
    assert (tmp_path / "trace.vcd").stat().st_size > 1000
