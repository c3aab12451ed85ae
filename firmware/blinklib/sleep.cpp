// Warm sleep: dark, but listening. A cluster falls asleep and wakes together.

#include "internal.h"

#include <util/atomic.h>

namespace blinklib {

static constexpr uint32_t INACTIVITY_MS = 600000;
static constexpr uint8_t ROUNDS = 5;
static constexpr uint8_t STEP = 6;
static constexpr uint8_t FALL_FROM = 200;
static constexpr uint8_t RISE_FROM = STEP;

bool woke_from_warm_sleep;

static Timer inactivity;

void restart_inactivity() { inactivity.set(INACTIVITY_MS); }

void check_inactivity() {
    if (inactivity.isExpired()) {
        warm_sleep();
    }
}

// Tell all neighbors, several times, as some may be sending just then; the light shows it happening.
// `color` is the color's darkest level: a word with the lowest bit of its channels set.
static void announce(uint8_t message, uint16_t color, uint8_t brightness, int8_t step) {
    const uint8_t packet[2] = {message, message};
    uint8_t f = 0;
    for (uint8_t left = ROUNDS * FACE_COUNT; left; --left) {
        setColor(color * GET_5BIT_B(dim(BLUE, brightness)));
        bios_display_pixel_buffer();
        bios_send_packet(f, packet, sizeof packet);
        brightness += step;
        f = f == FACE_COUNT - 1 ? 0 : f + 1;
    }
}

static bool is_called() {
    bool called = bios::button().events & bios::BUTTON_PRESSED || bios::button().woke == 0;
    FOREACH_FACE(f) {
        volatile bios::Face &face = bios::face(f);
        if (face.ready) {
            called |= face.packet[1] != SLEEP_BYTE;
            face.ready = 0;   // a neighbor still falling asleep
        }
    }
    return called;
}

void warm_sleep() {
    bios_postpone_sleep();
    const SavedColors colors;
    announce(SLEEP_BYTE, Color(0, 0, 1).as_uint16 & ~1, FALL_FROM, -STEP);
    setColor(OFF);
    bios_display_pixel_buffer();

    snapshot_time();
    bios::button().events = 0;
    drop_packets();
    bios::button().woke = 1;
    while (!is_called()) {
        bios_display_pixel_buffer();   // nothing changes; it waits for the end of a frame
    }

    // For the sketch the time asleep has not been.
    ATOMIC_BLOCK(ATOMIC_FORCEON) { bios::time().millis = now; }
    bios_postpone_sleep();
    restart_inactivity();
    drop_packets();
    announce(NO_OP_BYTE, Color(1, 1, 1).as_uint16 & ~1, RISE_FROM, STEP);
    colors.restore();
    bios_display_pixel_buffer();
    woke_from_warm_sleep = true;
}

}  // namespace blinklib
