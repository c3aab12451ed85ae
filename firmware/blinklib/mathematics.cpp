#include "internal.h"

word map(word x, word in_min, word in_max, word out_min, word out_max) {
    if (x < in_min) {
        return out_min;
    }
    if (x > in_max) {
        return out_max;
    }
    uint32_t in_span = (word)(in_max - in_min);
    uint32_t out_span = (word)(out_max - out_min);
    if (in_span > out_span) {   // many to one: every output gets its share of inputs
        ++in_span;
        ++out_span;
    }
    return (word)(x - in_min) * out_span / in_span + out_min;
}

byte sin8_C(byte theta) {
    static const byte BASE[] PROGMEM = {0, 49, 90, 117};
    static const byte SLOPE[] PROGMEM = {49, 41, 27, 10};
    const bool mirrored = theta & 0x40;
    byte offset = theta & 0x3F;
    if (mirrored) {
        offset = 0x3F - offset;
    }
    const byte section = offset >> 4;
    const byte n = (offset & 0x0F) + (mirrored ? 1 : 0);
    const byte y = pgm_read_byte(&BASE[section]) + (pgm_read_byte(&SLOPE[section]) * n >> 4);
    return 128 + (theta & 0x80 ? -y : y);
}
