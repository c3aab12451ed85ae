"""Prototypes: which functions of a sketch get one, how it reads, and where it goes."""

from __future__ import annotations

import pytest

from blinks_sim.sketch.lines import Preprocessed
from blinks_sim.sketch.prototypes import prototypes


def placed(text: str) -> dict[str, int]:
    """Return the prototypes of a tab's text, blanks squeezed out, with the line each goes before."""
    source = Preprocessed(f'# 1 "tab.ino"\n{text}', {"tab.ino": text.split("\n")}, "tab.ino")
    return {
        squeeze(prototype): insertion.at.line
        for insertion in prototypes(source, {"tab.ino"})
        for _, prototype in insertion.prototypes
    }


def squeeze(text: str) -> str:
    return "".join(text.split())


CALLER = "void first() {}\n"


@pytest.mark.parametrize(
    ("definition", "prototype"),
    [
        ("int f(int a, byte b) { return a; }", "int f(int a, byte b);"),
        ("void\nf(\n  int a\n)\n{\n}", "void f(int a);"),
        ("static inline bool f() { return 1; }", "static inline bool f();"),
        ("const char *f(const char *s) { return s; }", "const char *f(const char *s);"),
        ("Color &f(Color (&all)[6]) { return all[0]; }", "Color &f(Color (&all)[6]);"),
        ("void f(void (*run)(byte), byte x) { run(x); }", "void f(void (*run)(byte), byte x);"),
        ("void (*f(int a))(byte) { return 0; }", "void (*f(int a))(byte);"),
        ("auto f(int a) -> int { return a; }", "auto f(int a) -> int;"),
        ("unsigned long long f(...) { return 0; }", "unsigned long long f(...);"),
        ("void __attribute__((noinline)) f() {}", "void __attribute__((noinline)) f();"),
        (
            '__attribute__((noinline, section("x"))) int f() {}',
            '__attribute__((noinline, section("x"))) int f();',
        ),
        (
            "template <typename T, int N = 3> T f(T (&x)[N]) {}",
            "template <typename T, int N> T f(T (&x)[N]);",
        ),
        (
            'void f(int a = 3, const char *s = "a,b)", int c = g(1, 2)) {}',
            "void f(int a, const char *s, int c);",
        ),
        ("void f(int a /* = { */, // }\n int b) {}", "void f(int a, int b);"),
        ('extern "C" void f(int a) {}', 'extern "C" void f(int a);'),
        ('extern "C" {\nvoid f(int a) {}\n}', 'extern "C" void f(int a);'),
        ("void f(struct Known *k) {}", "void f(struct Known *k);"),
        ("f() { return 1; }", "f();"),
        ("constexpr int f(int a) noexcept { return a; }", "constexpr int f(int a) noexcept;"),
    ],
)
def test_a_function_is_declared_as_it_is_defined(definition: str, prototype: str):
    """A prototype repeats all of a function's header but its defaults, before the first function."""
    found = placed(CALLER + definition)
    assert found == {squeeze(prototype): 1}


@pytest.mark.parametrize(
    "text",
    [
        "struct A { void f() { g(); } int g() const { return 1; } };",
        "struct A { A(); ~A(); int x; int y; };\nA::A() : x{1}, y(2) {}\nA::~A() {}",
        "struct A { int x; };\nbool operator<(const A &a, const A &b) { return a.x < b.x; }",
        "namespace n { void f() {} namespace m { void g() {} } }",
        "namespace { void f() {} }",
        "void f(int a, byte);\nint before;\nvoid f(int b, byte c) {}",
        'extern "C" void __vector_13(void) __attribute__((signal, used)); void __vector_13(void) {}',
        "auto f = [](int a) { return a; };",
        "void (*table[2])() {first, first};\nTimer one(3); Timer two{4}; byte list[2] {1, 2};",
        "int list[] = {1, 2}; struct { int a; } one = {3}; enum E : byte { X, Y };",
        "template <typename T> T f(T t) ;\ntemplate <typename T> T f(T t) { return t; }\n"
        "template <> int f<int>(int t) { return t; }",
        "int main() { return 0; }",
        "",
    ],
)
def test_what_is_no_function_to_declare(text: str):
    """Members, operators, interrupts, what a namespace holds or the sketch declares get no prototype."""
    assert placed(CALLER + text) == {}


def test_braces_in_strings_and_comments_do_not_count():
    """Brackets in strings, characters, raw strings and comments open and close nothing."""
    text = (
        "const char *a = \"}{)(\", *b = R\"x(}\" )x\"; // {{{\n/* ( */ char c = '{', d = '\\'';\n"
        'void f() { char q = \'}\'; /* } */ const char *s = "}\\"}"; }\nvoid g() {}'
    )
    assert placed(text) == {"voidg();": 3}


@pytest.mark.parametrize(
    "strange",
    [
        "void strange(int a %% b) {}",
        "__extension__ __strange (int) strange2 @ 12;",
        "struct Odd { int a : ; } odd;",
        "void body() { if @ ([ $$ ` ] asm) goto foo; }",
        "int odd[] = { [0 ... 3] = 1, $ };",
    ],
)
def test_what_no_parser_understands_hides_nothing(strange: str):
    """An item that the parser cannot read leaves the prototypes of all functions around it."""
    found = placed(f"void one() {{}}\n{strange}\nvoid two(int a = 3) {{}}\nvoid three() {{}}")
    assert {"voidtwo(inta);", "voidthree();"} <= found.keys()


def test_an_unreadable_header_is_declared_from_its_words():
    """A header that the parser cannot read still gives a prototype, without its defaults."""
    found = placed("void one() {}\nint odd(int a = f(1, 2), byte @ b = 3) { return a; }")
    assert "intodd(inta,byte@b);" in found


def test_a_prototype_follows_the_types_it_names():
    """A prototype goes behind late structs, enums, unions, typedefs, aliases and sizes that it needs."""
    text = "\n".join(
        [
            "void first() {}",
            "enum Late : byte { LATE };",
            "struct Pair { Late a, b; };",
            "typedef struct { int a; } Old;",
            "using New = Old;",
            "const int SIZE = 3;",
            "void loop() {}",
            "void f(Late l) {}",
            "Pair g(const Pair &p) { return p; }",
            "void h(Old *o, New n) {}",
            "void i(int (&x)[SIZE]) {}",
            "void j(enum Late l, int Pair) {}",
            "class Last {};",
            "void k(Last l) {}",
            "void l(int SIZE) {}",
        ]
    )
    found = placed(text)
    assert found["voidf(Latel);"] == 3
    assert found["Pairg(constPair&p);"] == 4
    assert found["voidh(Old*o,Newn);"] == 6
    assert found["voidi(int(&x)[SIZE]);"] == 7
    assert found["voidj(enumLatel,intPair);"] == 3
    assert found["voidl(intSIZE);"] == 1
    assert not any("voidk" in prototype for prototype in found), "nothing lies between it and its type"


def test_a_forward_declaration_is_enough():
    """A type counts as known from its first declaration on."""
    assert placed("struct A;\nvoid f() {}\nstruct A { int x; };\nvoid g(A *a) {}")["voidg(A*a);"] == 2


def test_types_of_a_namespace_count_from_its_using_directive():
    """What a namespace declares is known without qualification once it is in use."""
    text = "void f() {}\nnamespace n { struct T {}; }\nint a;\nusing namespace n;\nint b;\nvoid g(T t) {}"
    assert placed(text)["voidg(Tt);"] == 5


def test_prototypes_stay_out_of_blocks_with_linkage():
    """Where the first function lies in `extern "C" {}`, the prototypes go before the block."""
    text = 'int a;\nextern "C" {\nvoid f() {}\nvoid g() {}\n}\nvoid h(int b) {}'
    assert placed(text) == {"voidh(intb);": 2, 'extern"C"voidf();': 2, 'extern"C"voidg();': 2}


def test_types_of_a_nameless_namespace_count_at_once():
    """What a namespace without a name holds is known behind it."""
    text = "void f() {}\nnamespace { struct T {}; }\nint a;\nusing namespace n;\nint b;\nvoid g(T t) {}"
    assert placed(text)["voidg(Tt);"] == 3


def test_prototypes_go_before_the_first_mention():
    """A table of functions, or a class that calls one, is behind the prototypes."""
    text = "int a;\nvoid (*table[])() = {go, stop};\nvoid setup() {}\nvoid go() {}\nvoid stop() {}"
    assert placed(text)["voidgo();"] == 2


def test_only_tabs_are_declared_and_inserted_into():
    """Functions in headers get no prototype; their types count for where others go."""
    text = "\n".join(
        [
            '# 1 "tab.ino"',
            "void first() {}",
            '# 1 "late.h" 1',
            "struct Late { int a; };",
            "inline void ofHeader() {}",
            '# 3 "tab.ino" 2',
            "int between;",
            "void f(Late l) {}",
        ]
    )
    source = Preprocessed(
        text, {"tab.ino": ["void first() {}", '#include "late.h"', "int between;"]}, "tab.ino"
    )
    found = [
        (each.at.file, each.at.line, squeeze(text))
        for each in prototypes(source, {"tab.ino"})
        for _, text in each.prototypes
    ]
    assert found == [("tab.ino", 3, "voidf(Latel);")]


def test_a_place_in_mid_line_is_found_in_the_users_own_line():
    """Blanks that the preprocessor squeezes do not move a place."""
    raw = "struct A {   int x; };   /* } */    void f() {}"
    squeezed = "struct A { int x; }; /* } */ void f() {}"
    source = Preprocessed(f'# 1 "tab.ino"\n{squeezed}', {"tab.ino": [raw]}, "tab.ino")
    place = source.place_of(squeezed.index("void"))
    assert (place.line, place.column) == (1, raw.index("void"))
