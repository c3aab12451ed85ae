#include "internal.h"

#include <avr/wdt.h>
#include <util/atomic.h>

namespace blinklib {

static uint32_t state = 2463534242;

static void set_watchdog(uint8_t mode) {
    ATOMIC_BLOCK(ATOMIC_FORCEON) {
        wdt_reset();
        WDTCSR = _BV(WDCE) | _BV(WDE);   // opens the four cycles in which the mode may change
        WDTCSR = mode;
    }
}

// The watchdog has its own oscillator. The BIOS keeps what the display timer counted at its last interrupt; 0 and 1
// stand for "none yet".
static uint8_t entropy_bit() {
    volatile uint8_t &entropy = bios::pixels().entropy;
    entropy = 0;
    while (entropy <= 1) {
    }
    return entropy & 1;
}

}  // namespace blinklib

void randomize() {
    blinklib::set_watchdog(_BV(WDIE));   // an interrupt every 16 ms
    for (uint8_t i = 0; i < 32; ++i) {
        blinklib::state = blinklib::state << 1 | blinklib::entropy_bit();
    }
    blinklib::set_watchdog(0);
}

word randomWord() {
    uint32_t x = blinklib::state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    blinklib::state = x;
    return x;
}

word random(word limit) {
    const word share = 65535u / (limit + 1u);
    word draw;
    do {
        draw = randomWord() / share;
    } while (draw > limit);
    return draw;
}
