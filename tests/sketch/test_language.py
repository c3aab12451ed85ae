"""Sketches with what C++ and Arduino offer: built by Arduino's rules, they do on a tile what they should."""

from __future__ import annotations

from pathlib import Path

from .making import PORT, made, printed


def test_functions_may_be_called_before_they_are_defined(tmp_path: Path):
    """Prototypes of every kind compile and call the right functions, whatever stands around them."""
    main = """/* a comment
   ends here */ byte counter;   // tail {
struct Early { int a; };
#define WIDTH 3
typedef void (*Handler)(byte);
Handler handlers[] = {onOne, onTwo};
const char *braces = "}{)(";
void setup() {
    port.begin();
    port.println(helper(1));
    port.println(tmpl(3));
    port.println(withDefault(2, 3, braces));
    port.println(cfun());
    port.println(byRef(Early{3}));
    handlers[1](4);
    rest();
}
enum Late : byte { LATE_A, LATE_B };
struct LateS { Late l; Late get() { return l; } };
void rest() {
    LateS s; s.l = LATE_B;
    port.println(takes(s)); port.println(useLate(LATE_A)); port.println(split(3)); port.println(macroed(4));
    port.println("end");
}
void loop() {}
int helper(int a) { char c = '}'; /* { */ return c == '}' ? a + counter : 0; }
int useLate(Late l) { return 50 + l; }
template <typename T> T tmpl(T t) { return t * 2; }
int withDefault(int a, int b = 4, const char *s = "a,b)") { return a + b + s[0]; }
namespace ns { int inner() { return 7; } }
extern "C" { int cfun() { return ns::inner(); } }
int byRef(const Early &e) { return 20 + e.a; }
int takes(struct LateS &s) { return 30 + s.get(); }
#ifdef NOPE
int split(long a) {
#else
int split(int a) {
#endif
    return 40 + a;
}
#define DECL(n) int n(int x)
DECL(macroed) { return 60 + x; }
ISR(TIMER1_OVF_vect) { counter++; }
void onOne(byte b) { port.println(b); }
void onTwo(byte b) { port.println(2 * b); }
"""
    wanted = ["1", "6", "130", "7", "23", "8", "31", "50", "43", "64"]
    assert printed(made(tmp_path, main_ino=PORT + main)) == wanted


def test_files_as_other_systems_save_them(tmp_path: Path):
    """A mark of byte order, CR LF, a missing last newline and Latin-1 comments do no harm."""
    folder = tmp_path / "windows"
    folder.mkdir()
    main = (
        PORT
        + "// caf\xe9 {\nvoid setup() { port.begin(); port.println(help(4));\n"
        + 'port.println("end"); }\nvoid loop() {}'
    )
    (folder / "windows.ino").write_bytes(main.replace("\n", "\r\n").encode("latin-1"))
    (folder / "tab.ino").write_bytes(b"\xef\xbb\xbfint help(int a) {\r\n  return a + 1;\r\n}")
    assert printed(made(folder)) == ["5"]


def test_eight_tabs_are_joined_in_order(tmp_path: Path):
    """The tab named like the folder comes first, then the others by name; later ones see earlier ones."""
    folder = tmp_path / "zebra"
    tabs = {
        f"tab{n}_ino": f"int value{n} = value{n - 1} + 1;\nint get{n}() {{ return value{n}; }}\n"
        for n in range(1, 8)
    }
    main = """int value0 = 10;
    void setup() { port.begin(); port.println(get7()); port.println("end"); }
    void loop() {}
    """
    assert printed(made(folder, zebra_ino=PORT + main, **tabs)) == ["17"]


def test_other_sources_are_compiled_too(tmp_path: Path):
    """C++, C and assembly files beside the tabs and under src/ are part of a sketch, headers are found."""
    assert printed(
        made(
            tmp_path / "mixed",
            mixed_ino=PORT + '#include "config.h"\n#include "src/deep/below.h"\n'
            "void setup() { port.begin(); port.println(plus(WANTED)); port.println(cTimes(3));\n"
            'port.println(below()); port.println(swapped(0x1234), HEX); port.println("end"); }\n'
            "void loop() {}\n",
            config_h='#pragma once\n#define WANTED 41\nint plus(int a);\nextern "C" int cTimes(int a);\n'
            'extern "C" unsigned swapped(unsigned a);\n',
            plus_cpp='#include <Arduino.h>\n#include "config.h"\nint plus(int a) { return a + 1; }\n',
            times_c="int cTimes(int a) { int each[] = {[1] = 7}; return a * each[1]; }\n",
            swap_S=".global swapped\nswapped:\n  mov r0, r24\n  mov r24, r25\n  mov r25, r0\n  ret\n",
            src__deep__below_h="int below();\n",
            src__deep__below_cpp='#include "below.h"\n#include "../../config.h"\n'
            "int below() { return WANTED * 2; }\n",
        )
    ) == ["42", "21", "82", "3412"]


def test_numbers_are_as_wide_as_on_a_tile(tmp_path: Path):
    """An int has 16 bits and wraps, division truncates, a byte wraps at 256, floating point has 32 bits."""
    main = """
    volatile int big = 32767; volatile unsigned full = 65535; volatile byte small = 250;
    volatile float angle = 1;
    void setup() {
        port.begin();
        port.println((int)(big + 1)); port.println((unsigned)(full + 2)); small += 10; port.println(small);
        port.println(7 / 2); port.println(-7 % 3); port.println(big * 2L); port.println(sizeof(double));
        port.println(sin(angle), 4); port.println(sqrt(2 * angle), 4); port.println(pow(2, 10 * angle));
        port.println("end");
    }
    void loop() {}"""
    wanted = ["-32768", "1", "4", "3", "-1", "65534", "4", "0.8415", "1.4142", "1024.00"]
    assert printed(made(tmp_path, main_ino=PORT + main)) == wanted


def test_flash_holds_tables_and_texts(tmp_path: Path):
    """PROGMEM tables, structs and texts, F() and inline assembly work."""
    main = """
    struct Step { byte a; word b; };
    const byte table[] PROGMEM = {3, 1, 4};
    const Step steps[2] PROGMEM = {{1, 1000}, {2, 2000}};
    const char one[] PROGMEM = "one";
    const char *const texts[] PROGMEM = {one};
    void setup() {
        port.begin();
        port.println(pgm_read_byte(&table[2])); port.println(pgm_read_word(&steps[1].b));
        Step step; memcpy_P(&step, &steps[0], sizeof step); port.println(step.b);
        char text[4]; strcpy_P(text, (const char *)pgm_read_word(&texts[0])); port.println(text);
        port.println(F("in flash"));
        byte swapped = 0x12; asm volatile("swap %0" : "+r"(swapped)); port.println(swapped, HEX);
        port.println("end");
    }
    void loop() {}"""
    assert printed(made(tmp_path, main_ino=PORT + main)) == ["4", "2000", "1000", "one", "in flash", "21"]


def test_classes_unions_and_bit_fields(tmp_path: Path):
    """Virtual functions, templates, unions, bit-fields, nested namespaces, lambdas and static locals work."""
    main = """
    class Shape { public: virtual int area() const = 0; virtual ~Shape() {}
        int twice() const { return 2 * area(); } };
    class Square : public Shape { int side; public: Square(int s) : side(s) {}
        int area() const override { return side * side; } };
    class Strip : public Shape { public: int area() const override { return 5; } };
    template <typename T, byte N> class Stack {
        T held[N]; byte used = 0;
    public:
        void push(T t) { held[used++] = t; }
        T pop() { return held[--used]; }
    };
    union Word { word whole; struct { byte low, high; } half; struct { byte a : 3, b : 5; } bits; };
    namespace outer { namespace inner { enum class Mode : byte { IDLE = 4, BUSY }; static int calls; } }
    Square block(4); Strip strip; const Shape *shapes[] = {&block, &strip};
    static int count() { static int calls; return ++calls; }
    int setups = 5;
    void setup() {
        using namespace outer::inner;
        port.begin();
        for (const Shape *shape : shapes) { port.println(shape->twice()); }
        Stack<int, 4> stack; stack.push(7); stack.push(8); port.println(stack.pop() * 10 + stack.pop());
        Word w; w.whole = 0x12FA; port.println(w.half.high); port.println(w.bits.a + 100 * w.bits.b);
        port.println((byte)Mode::BUSY); count(); count(); port.println(count());
        auto add = [](int a) { return a + setups; }; port.println(add(1)); calls += 3; port.println(calls);
        port.println("end");
    }
    void loop() {}"""
    wanted = ["32", "10", "87", "18", "3102", "5", "3", "6", "3"]
    assert printed(made(tmp_path, main_ino=PORT + main)) == wanted


def test_chance_in_a_global_initializer(tmp_path: Path):
    """random() may be called before setup(): it begins with the same seed on every tile."""
    main = (
        "byte first = random(5);\nword next = randomWord();\nvoid setup() { port.begin();\n"
        'port.println(first); port.println(next); port.println("end"); }\nvoid loop() {}\n'
    )
    state, drawn = 2463534242, []
    while len(drawn) < 2:
        for shift in (13, -17, 5):
            state ^= (state << shift if shift > 0 else state >> -shift) & 0xFFFFFFFF
        low = state & 0xFFFF
        if drawn:
            drawn.append(low)
        elif low // (65535 // 6) <= 5:
            drawn.append(low // (65535 // 6))
    assert printed(made(tmp_path, main_ino=PORT + main)) == [str(number) for number in drawn]


def test_a_sketch_may_bring_its_own_copy_of_library_functions(tmp_path: Path):
    """A function that the library has too is taken from the sketch."""
    main = (
        PORT
        + 'void setup() { port.begin(); port.println(sin8_C(0)); port.println("end"); }\nvoid loop() {}\n'
    )
    own = (
        "#include <Arduino.h>\nbyte sin8_C(byte) { return 99; }\n"
        "word map(word, word, word, word, word) { return 1; }\n"
    )
    assert printed(made(tmp_path, main_ino=main, own_cpp=own)) == ["99"]
