// B0 to B11111111: binary constants of one to eight digits, leading zeros included.

#ifndef BINARY_H
#define BINARY_H

#define BINARY_1(name, value) name = value,
#define BINARY_2(name, value) BINARY_1(name, value) BINARY_1(name##0, (value)*2) BINARY_1(name##1, (value)*2 + 1)
#define BINARY_3(name, value) BINARY_1(name, value) BINARY_2(name##0, (value)*2) BINARY_2(name##1, (value)*2 + 1)
#define BINARY_4(name, value) BINARY_1(name, value) BINARY_3(name##0, (value)*2) BINARY_3(name##1, (value)*2 + 1)
#define BINARY_5(name, value) BINARY_1(name, value) BINARY_4(name##0, (value)*2) BINARY_4(name##1, (value)*2 + 1)
#define BINARY_6(name, value) BINARY_1(name, value) BINARY_5(name##0, (value)*2) BINARY_5(name##1, (value)*2 + 1)
#define BINARY_7(name, value) BINARY_1(name, value) BINARY_6(name##0, (value)*2) BINARY_6(name##1, (value)*2 + 1)
#define BINARY_8(name, value) BINARY_1(name, value) BINARY_7(name##0, (value)*2) BINARY_7(name##1, (value)*2 + 1)

enum { BINARY_8(B0, 0) BINARY_8(B1, 1) };

#undef BINARY_1
#undef BINARY_2
#undef BINARY_3
#undef BINARY_4
#undef BINARY_5
#undef BINARY_6
#undef BINARY_7
#undef BINARY_8

#endif
