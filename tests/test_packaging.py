"""What is shipped: packages, dependencies, documents, and an installation on a bare machine."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from blinks_sim import Image

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = PROJECT["tool"]["scikit-build"]["wheel"]["packages"]
# Names that a distribution is imported by, where they differ from its own.
IMPORT_NAMES = {
    "pillow": "PIL",
    "pyelftools": "elftools",
    "pygame-ce": "pygame",
    "pyserial": "serial",
    "pyvcd": "vcd",
    "tree-sitter": "tree_sitter",
    "tree-sitter-cpp": "tree_sitter_cpp",
}

LOADED_BY = {"pytest"}  # what only loads a part of ours that is there already: it need not be declared


def distributions(requirements: list[str]) -> list[str]:
    return [re.match(r"[\w.-]+", requirement)[0] for requirement in requirements]


def foreign_imports() -> set[str]:
    """Return the top-level names from outside the standard library that the shipped packages import."""
    names = set()
    for path in (p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - set(PACKAGES)


def test_every_package_is_shipped():
    """Each importable folder of the house is in the wheel."""
    house = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "tools"}
    assert house == set(PACKAGES)


def test_dependencies_are_the_imports():
    """What the packages import is declared, and nothing else is."""
    declared = distributions(PROJECT["project"]["dependencies"])
    assert {IMPORT_NAMES.get(name, name) for name in declared} == foreign_imports() - LOADED_BY


def test_every_dependency_has_its_reason():
    """CONTRIBUTING says why each dependency is there."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = distributions(
        [
            *PROJECT["build-system"]["requires"],
            *PROJECT["project"]["dependencies"],
            *(requirement for extra in extras for requirement in extra),
        ]
    )
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in wanted if f"| {name} |" not in text] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page: str):
    """A link inside the project points at something that is there."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_readme_example_runs(capsys: pytest.CaptureFixture[str]):
    """The Python example in the README does what it says."""
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example[1], "README.md", "exec"), {})
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "BLUE RED [None, None, <Tile 1: fracture>, None, None, None]"
    assert last.startswith("[None, None, None, None, None, None] ")


@pytest.mark.long
def test_installs_without_a_compiler(tmp_path: Path):
    """With no C compiler on PATH, pip installs the project; elsewhere it runs tiles and builds a sketch."""
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    leave_out = ("CC", "PYTHONPATH", "DISPLAY")
    env = {name: value for name, value in os.environ.items() if name not in leave_out}
    env["PATH"] = str(programs)
    install = subprocess.run(
        [programs / "python", "-m", "pip", "install", "-v", f"{ROOT}[build]"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert install.returncode == 0, install.stdout[-4000:] + install.stderr[-4000:]
    assert "Collecting ziglang" in install.stdout + install.stderr

    run = subprocess.run(
        [
            programs / "blinks-sim",
            "run",
            "fracture",
            "--tiles",
            "3",
            "--seconds",
            "0.5",
            "--headless",
            "--json",
        ],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert [tile["fault"] for tile in json.loads(run.stdout)["tiles"]] == [None] * 3

    sketch = tmp_path / "game" / "game.ino"
    sketch.parent.mkdir()
    sketch.write_text("void setup() {}\nvoid loop() { show(); }\nvoid show() { setColor(RED); }\n")
    build = subprocess.run(
        [programs / "blinks-sim", "build", sketch.parent, "-o", "game.hex"],
        env={**env, "BLINKS_CACHE": str(tmp_path / "cache")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    assert build.stdout.startswith("game uses 1,")
    assert Image.load(tmp_path / "game.hex").sketch_bytes > 1000
