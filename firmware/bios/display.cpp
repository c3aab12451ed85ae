// Colors to compare values.

#include <avr/pgmspace.h>

#include "bios.h"

using namespace bios;

// Compare value of each of the 32 levels, alike for the three colors: 255 is off.
static const uint8_t LEVELS[32] PROGMEM = {255, 254, 253, 251, 250, 248, 245, 242, 238, 234, 230,
                                           224, 218, 211, 204, 195, 186, 176, 165, 153, 140, 126,
                                           111, 95,  78,  59,  40,  19,  13,  9,   3,   1};

void convert_pixels() {
    uint8_t *raw = reinterpret_cast<uint8_t *>(PIXELS_AT + offsetof(Pixels, raw));
    const uint16_t *color = reinterpret_cast<const uint16_t *>(PIXELS_AT);
    for (uint8_t f = FACES; f; f--) {
        uint16_t rest = *color++;
        for (uint8_t channel = 3; channel; channel--) {
            *raw++ = pgm_read_byte(&LEVELS[(rest >> 1) & 31]);
            rest >>= 5;
        }
        raw++;
    }
}

extern "C" __attribute__((used)) void display_pixel_buffer() {
    // A frozen display has no blanking to wait for.
    if (pixels().phase < 5) {
        pixels().vertical_blanking = 0;
        while (!pixels().vertical_blanking) {
        }
    }
    convert_pixels();
}
