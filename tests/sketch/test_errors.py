"""What a user hears of a sketch that does not build, or builds with a warning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blinks_sim.sketch import Message, SketchError, build, find_sketches

from .making import errors, made

MAIN = "void setup() {}\nvoid loop() {}\n"


def test_an_unknown_name(tmp_path: Path):
    """An unknown name is shown where it stands, with the one that was meant."""
    assert errors(tmp_path, main_ino="void setup() {}\nvoid loop() {\n  setColour(RED);\n}\n") == [
        "main.ino:3:3: error: 'setColour' was not declared in this scope; did you mean 'setColor'?"
    ]


def test_the_error_is_one_line_and_counts_the_others(tmp_path: Path):
    """The error itself is the first message with the number of the others."""
    write = "void setup() { a = 1; }\nvoid loop() { b = 2; c = 3; }\n"
    errors(tmp_path, main_ino=write)
    with pytest.raises(SketchError, match=r"main\.ino:1:16: error: 'a' was not .* \(and 2 more errors\)$"):
        build(tmp_path)


def test_a_missing_brace(tmp_path: Path):
    """A missing brace is an error in the user's own lines."""
    found = errors(
        tmp_path, main_ino="void setup() {\n  if (isAlone()) {\n}\nvoid loop() {}\nvoid more() {}\n"
    )
    assert "main.ino:4:13: error: a function-definition is not allowed here before '{' token" in found
    assert all(re.match(r"main\.ino:[1-6]:", line) for line in found)


def test_an_error_in_a_second_tab(tmp_path: Path):
    """Lines of a second tab count from its own first line, prototypes or not."""
    second = "int x;\nint helper(int a) {\n  return a +;\n}\n"
    assert errors(tmp_path, main_ino=MAIN, second_ino=second) == [
        "second.ino:3:13: error: expected primary-expression before ';' token"
    ]


def test_an_error_in_a_header(tmp_path: Path):
    """An error in a header names the header."""
    assert errors(tmp_path, main_ino='#include "config.h"\n' + MAIN, config_h="int a;\nbyte b = ;\n") == [
        "config.h:2:10: error: expected primary-expression before ';' token"
    ]


def test_an_error_in_another_source(tmp_path: Path):
    """An error in a .cpp file beside the tabs names that file, after those of the tabs."""
    assert errors(tmp_path, main_ino="int a = z;\n" + MAIN, other_cpp="int f() { return y; }\n") == [
        "main.ino:1:9: error: 'z' was not declared in this scope",
        "other.cpp:1:18: error: 'y' was not declared in this scope",
    ]


def test_a_missing_header(tmp_path: Path):
    """A header that is not there is an error at its #include."""
    assert errors(tmp_path, main_ino='\n#include "nothing.h"\n' + MAIN) == [
        "main.ino:2:10: error: nothing.h: No such file or directory"
    ]


def test_an_error_in_a_header_of_a_function_is_said_once(tmp_path: Path):
    """The prototype of a function with an unknown type does not repeat its error."""
    found = errors(tmp_path, main_ino=MAIN + "  void f(Colour c, int d) {}\n")
    assert found == [
        "main.ino:3:10: error: variable or field 'f' declared void",
        "main.ino:3:10: error: 'Colour' was not declared in this scope; did you mean 'Color'?",
        "main.ino:3:20: error: expected primary-expression before 'int'",
    ]


def test_only_a_warning(tmp_path: Path):
    """A sketch with a warning builds and brings the warning along, from the cache as well."""
    main = "void setup() {\n  int unused;\n}\nvoid loop() {}\n"
    warning = Message(
        str(tmp_path / "main.ino"), 2, 7, "warning", "unused variable 'unused' [-Wunused-variable]"
    )
    for _ in range(2):
        built = made(tmp_path, main_ino=main)
        assert built.messages == (warning,)
    assert warning.source_line == "  int unused;"
    assert str(warning) == f"{tmp_path}/main.ino:2:7: warning: unused variable 'unused' [-Wunused-variable]"


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ("void setup() {}\n", "main.ino:1: error: the sketch has no loop(); add 'void loop() {}'"),
        ("void loop() {}\n", "main.ino:1: error: the sketch has no setup(); add 'void setup() {}'"),
        (
            "int gone(int);\nvoid setup() { gone(1); }\nvoid loop() {}\n",
            "main.ino:1:5: error: 'gone(int)' is used but defined nowhere",
        ),
    ],
)
def test_what_the_linker_misses(tmp_path: Path, main: str, message: str):
    """A function that is nowhere is named at its first mention."""
    assert errors(tmp_path, main_ino=main) == [message]


def test_defined_twice(tmp_path: Path):
    """A function in two files of a sketch is an error that names it."""
    other = "int twice() { return 1; }\n"
    assert errors(tmp_path, main_ino=other + MAIN, other_cpp=other) == [
        "main.ino:1:5: error: 'twice()' is defined more than once"
    ]


def test_a_path_with_blanks_accents_and_quotes(tmp_path: Path):
    """Folders and files may be named as people like."""
    folder = tmp_path / "Jeu d'été “1” $x #2"
    folder.mkdir()
    tab = folder / "Jeu d'été “1” $x #2.ino"
    tab.write_text(
        '#include "détail.h"\nvoid setup() {}\nvoid loop() { setColor(FARBE); }\n', encoding="utf-8"
    )
    (folder / "détail.h").write_text("#define FARBE RED // é\n", encoding="utf-8")
    assert build(folder).name == "Jeu d'été “1” $x #2"
    tab.write_text('#include "détail.h"\nvoid setup() { /* é */ x; }\nvoid loop() {}\n', encoding="utf-8")
    with pytest.raises(SketchError) as caught:
        build(tab)
    (message,) = [m for m in caught.value.messages if m.severity == "error"]
    assert (message.file, message.line) == (str(tab), 2)
    assert message.source_line == "void setup() { /* é */ x; }"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("folder", "{0}: no .ino file in this folder; a sketch is a folder with one, named alike"),
        ("nothing", "{0}: no such file or folder; name an .ino file or a folder with one"),
        ("notes.txt", "{0}: not a sketch; name an .ino file or a folder with one"),
    ],
)
def test_no_sketch(tmp_path: Path, name: str, text: str):
    """What is no sketch is refused with what would be one."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "readme.md").write_text("no sketch")
    (tmp_path / "notes.txt").write_text("no sketch")
    with pytest.raises(SketchError) as caught:
        find_sketches(tmp_path / name)
    assert str(caught.value) == text.format(tmp_path / name)
