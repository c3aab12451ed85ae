"""The pytest plugin for people who write sketches, run by pytest itself on small projects."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# pytester forgets what is loaded while it runs, but numpy and others can be loaded only once.
import blinks_sim.picture
import blinks_sim.sketch.steps
import blinks_sim.testing.report
from blinks_sim.session import Replay, Session

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
VALUES = ROOT / "firmware" / "sketches" / "values" / "values.ino"
FAILING = """
    def test_that_fails(blinks):
        blinks.place('''
            A
              B
        ''')
        blinks.click("B")
        blinks.wait_until(lambda: blinks.color("A") == "BLUE", timeout_s=0.5)
"""
BROKEN = "void setup() {}\nvoid loop() { setColour(RED); }\n"
FAULTY = 'void setup() {}\nvoid loop() { if (buttonPressed()) { asm volatile(".word 0xffff"); } }\n'


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Give a project with the bundled sketch "values" in its top folder."""
    shutil.copy(VALUES, pytester.path)
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess("--strict-markers", *options, plugins=[blinks_sim.testing])


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_documented_example_passes(pytester: pytest.Pytester):
    """Sketch and tests of the documentation work as they stand."""
    (sketch,) = blocks("testing.md", "cpp")
    (pytester.path / "Team.ino").write_text(sketch, encoding="utf-8")
    pytester.makepyfile(test_Team="\n".join(blocks("testing.md", "python")))
    run(pytester, "-W", "error").assert_outcomes(passed=5)


def test_the_documented_report_is_the_real_one(pytester: pytest.Pytester):
    """The failing test of the documentation is told of as is written there, but for the times."""
    (sketch,), (test,) = blocks("testing.md", "cpp"), blocks("testing.md", "py")
    (pytester.path / "Team.ino").write_text(sketch, encoding="utf-8")
    pytester.makepyfile(test_Team=test)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    _, report = blocks("testing.md", "text")
    told = re.search(r"^after .*?(?=^picture: )", result.stdout.str(), re.DOTALL | re.MULTILINE)
    assert told is not None
    assert without_times(told[0]) == without_times(report.partition("picture: ")[0])


def without_times(report: str) -> list[str]:
    return [re.sub(r"\b\d+\.\d+ s|\d{4}$", "TIME", line) for line in report.splitlines()]


def test_a_failure_tells_of_the_table(project: pytest.Pytester):
    """The report shows the table as text, its last packets and the picture's path."""
    project.makepyfile(FAILING)
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "> *blinks.wait_until(lambda: *",
            "E *AssertionError: the condition did not come to hold within 0.5 s of the table's time",
            "*table of Blinks*",
            "after 1.9 s, seed 1:",
            "A",
            "  B",
            "tile  faces 0-5 * sends 0-5    hears 0-5    touches 0-5  millis",
            "A     OFF OFF ORANGE OFF OFF OFF  0 0 0 0 0 0  . . 1 . . .  . . B . . .  1???",
            "B     OFF OFF OFF OFF OFF RED     1 1 1 1 1 1  . . . . . 0  . . . . . A  1???",
            "last packets:",
            "  1.* s  B5 > A2  value * value 1",
            "picture: *test_that_fails0/table.png",
        ]
    )
    assert " > -" not in result.stdout.str()
    (path,) = re.findall("picture: (.*)", result.stdout.str())
    assert Path(path).read_bytes().startswith(b"\x89PNG")
    (path,) = re.findall("session: (.*)", result.stdout.str())
    assert Replay(Session.load(path)).verify() is None


def test_artifacts_go_where_they_are_asked_for(project: pytest.Pytester):
    """A folder a test, named after it, and none for tests that pass."""
    project.makepyfile(FAILING + "\n    def test_that_passes(blinks):\n        blinks.place('A')\n")
    run(project, "--blinks-artifacts=kept").assert_outcomes(failed=1, passed=1)
    kept = [path.relative_to(project.path) for path in project.path.glob("kept/*/*")]
    file = f"{project.path.name.rstrip('0')}.py"
    assert Path("kept", f"{file}-test_that_fails", "table.png") in kept
    assert not [path for path in kept if "test_that_passes" in str(path)]


def test_a_picture_that_cannot_be_saved_hides_no_failure(project: pytest.Pytester):
    """The report says why there is no picture, and the rest is there."""
    project.makepyfile(FAILING)
    (project.path / "kept").write_text("a file")
    result = run(project, "--blinks-artifacts=kept")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["last packets:", "picture and session: not saved (*"])


def test_it_works_on_several_processes(project: pytest.Pytester):
    """Under pytest-xdist the same tests pass, and a failure is told alike."""
    project.makepyfile(FAILING + "\n    def test_that_passes(blinks):\n        blinks.place('A')\n")
    result = project.runpytest_subprocess("-p", "blinks_sim.testing", "-n", "2", "--blinks-artifacts=kept")
    result.assert_outcomes(failed=1, passed=1)
    assert sorted(path.name for path in project.path.glob("kept/*/*")) == ["table.blinks", "table.png"]
    result.stdout.fnmatch_lines(["after 1.9 s, seed 1:", "  1.* s  B5 > A2  value * value 1", "picture: *"])


def test_a_fixture_that_fails_tells_of_the_table(project: pytest.Pytester):
    """A table is told of whenever its test fails, and the traceback ends in the user's own lines."""
    project.makepyfile(
        """
        import pytest
        @pytest.fixture
        def two(blinks):
            blinks.place("A")
            blinks.click("B")
        def test_it(two): pass
        """
    )
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "blinks = <Blinks: tiles A after 1 s>",
            '> *blinks.click("B")',
            "E *UsageError: there is no tile 'B' on the table; it has A",
            "after 1 s, seed 1:",
        ]
    )
    assert "tables.py" not in result.stdout.str()


def test_a_failure_without_tiles_is_left_alone(project: pytest.Pytester):
    """There is nothing to tell of an empty table."""
    project.makepyfile("def test_it(blinks):\n    assert blinks.names == ('A',)\n")
    result = run(project)
    result.assert_outcomes(failed=1)
    assert "table of Blinks" not in result.stdout.str()


def test_a_sketch_is_built_once(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """However many tests ask for it, it is built for the first only."""
    built = []
    real = blinks_sim.sketch.build
    monkeypatch.setattr(blinks_sim.sketch, "build", lambda path: built.append(path) or real(path))
    project.makepyfile(
        "def test_a(sketch): pass\ndef test_b(sketch): pass\ndef test_c(blinks): blinks.place('A')"
    )
    run(project).assert_outcomes(passed=3)
    assert [path.name for path in built] == [project.path.name]


def test_the_sketch_is_the_nearest_one(project: pytest.Pytester):
    """It lies in the test's folder or above; a marker or a setting names another."""
    deep = project.mkdir("tests")
    other = project.mkdir("Other")
    (other / "Other.ino").write_text("void setup() {}\nvoid loop() { setColor(BLUE); }\n")
    (deep / "test_it.py").write_text(
        "import pytest\n"
        "def test_above(sketch): assert sketch.name == 'values'\n"
        "@pytest.mark.sketch('../Other')\n"
        "def test_marked(sketch, blinks):\n"
        "    assert sketch.name == 'Other'\n"
        "    blinks.place('A')\n"
        "    assert blinks.color('A') == 'BLUE'\n"
    )
    run(project).assert_outcomes(passed=2)
    project.makeini("[pytest]\nblinks_sketch = Other/Other.ino\n")
    run(project, "-k", "marked").assert_outcomes(passed=1)
    (result := run(project, "-k", "above")).assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *'Other' == 'values'*"])


def test_a_sketch_that_does_not_build_says_where(pytester: pytest.Pytester):
    """The compiler's message stands in the report, and no traceback of ours."""
    (pytester.path / "Broken.ino").write_text(BROKEN)
    pytester.makepyfile("def test_it(sketch): pass")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*Broken.ino:2:15: error: 'setColour' was not declared in this scope*"])
    assert "blinks_sim/" not in result.stdout.str()


def test_no_sketch_is_said(pytester: pytest.Pytester):
    """Where there is none, the error says what a sketch is."""
    pytester.makepyfile("def test_it(sketch): pass")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no .ino file in this folder; a sketch is a folder with one*"])


def test_a_fault_fails_the_test(pytester: pytest.Pytester):
    """A tile that stands still fails its test where it happens, unless the test expects that."""
    (pytester.path / "Faulty.ino").write_text(FAULTY)
    pytester.makepyfile(
        """
        def test_fault(blinks):
            blinks.place("A")
            blinks.click("A")
            raise NotImplementedError
        def test_expected(blinks):
            blinks.place("A")
            blinks.faults_expected = True
            blinks.click("A")
            assert "illegal opcode" in blinks.faults()["A"]
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            '> *blinks.click("A")',
            "E *tile A stands still: illegal opcode: word 0xffff at 0x* (set faults_expected if *)",
        ]
    )


def test_loading_the_plugin_is_cheap():
    """As pytest loads it everywhere, neither core nor numpy nor pygame come with it."""
    code = "import sys, blinks_sim.testing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {name for name in loaded if name.startswith("blinks_sim.")} == {
        "blinks_sim.errors",
        "blinks_sim.testing",
    }
    assert not {"numpy", "pygame", "cffi"}.intersection(loaded)
