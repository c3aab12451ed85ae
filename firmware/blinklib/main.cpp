// The loop around a sketch's loop().

#include "internal.h"

namespace blinklib {

static constexpr uint16_t GUARD = 0xBABE;
static constexpr uint8_t ABEND_STACK = 4;
static constexpr uint16_t STAY_AWAKE_LOCKOUT_MS = 2000;

// Behind all data: a stack that grows into the data meets it first.
static volatile uint16_t guard __attribute__((section(".noinit")));

static Timer stay_awake_lockout;

// A tile held for 3 s on its own offers its game once it is let go; held on to 6 s it sleeps instead.
static void offer_game() {
    const SavedColors colors;
    uint8_t face = 0;
    while (!(bios::button().events & bios::BUTTON_HELD_6S)) {
        setColor(OFF);
        if (!bios::button().down) {
            bios_display_pixel_buffer();
            bios_bootloader_seed();
        }
        setColorOnFace(BLUE, face);
        bios_display_pixel_buffer();
        face = face == FACE_COUNT - 1 ? 0 : face + 1;
    }
    colors.restore();
}

// A press anywhere keeps the whole cluster awake. The lockout ends the echo.
static void spread_activity() {
    const bool active = stay_awake_received || bios::button().events & bios::BUTTON_PRESSED;
    stay_awake_received = false;
    if (active && stay_awake_lockout.isExpired()) {
        stay_awake_lockout.set(STAY_AWAKE_LOCKOUT_MS);
        carry_stay_awake();
        restart_inactivity();
    }
}

static void turn() {
    if (guard != GUARD) {
        bios_abend(ABEND_STACK);
    }
    if (bios::button().events & bios::BUTTON_HELD_3S && isAlone()) {
        offer_game();
    }
    if (bios::button().events & bios::BUTTON_HELD_6S) {
        warm_sleep();
    }
    snapshot_time();
    spread_activity();
    snapshot_button();
    receive();
    loop();
    bios_display_pixel_buffer();
    send();
    check_inactivity();
}

}  // namespace blinklib

// Startup code runs into it: clearing .bss, copying .data and constructors lie in the sections before.
int main() __attribute__((OS_main, used, section(".init9")));

int main() {
    bios::button().woke = 1;
    blinklib::snapshot_time();
    blinklib::restart_inactivity();
    blinklib::guard = blinklib::GUARD;
    setup();
    for (;;) {
        blinklib::turn();
    }
}
