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
static void announce(uint8_t message, Color color, uint8_t brightness, int8_t step) {
    const uint8_t packet[2] = {message, message};
    for (uint8_t round = 0; round < ROUNDS; ++round) {
        FOREACH_FACE(f) {
            setColor(dim(color, brightness));
            bios_display_pixel_buffer();
            bios_send_packet(f, packet, sizeof packet);
            brightness += step;
        }
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
    volatile bios::Pixels &pixels = bios::pixels();
    Color saved[FACE_COUNT];

    bios_postpone_sleep();
    FOREACH_FACE(f) { saved[f].as_uint16 = pixels.color[f]; }
    announce(SLEEP_BYTE, BLUE, FALL_FROM, -STEP);
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
    announce(NO_OP_BYTE, WHITE, RISE_FROM, STEP);
    FOREACH_FACE(f) { setColorOnFace(saved[f], f); }
    bios_display_pixel_buffer();
    woke_from_warm_sleep = true;
}

}  // namespace blinklib
