// The end: n red blinks, for ever.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "bios.h"

using namespace bios;

static constexpr uint8_t BLINK_FRAMES = 24;    // 184 ms
static constexpr uint8_t PAUSE_FRAMES = 240;   // 1.84 s

// Show one color on all faces. Packets are thrown away, so that a SEED can always be heard.
static void show(uint16_t color, uint8_t frames) {
    for (uint8_t f = 0; f < FACES; f++) pixels().color[f] = color;
    for (; frames; frames--) {
        display_pixel_buffer();
        for (uint8_t f = 0; f < FACES; f++) face(f).ready = 0;
        if (button().events & BUTTON_PRESSED) {
            wdt_enable(WDTO_15MS);
            for (;;) {
            }
        }
    }
}

extern "C" __attribute__((used)) void abend(uint8_t n) {
    cli();
    SP = STACK_TOP;
    set_clock(Clock::MHZ_8);
    stop_transmitter();
    pixels().phase = 0;
    button().events = 0;
    infrared().downloading = 0;
    timers_on();
    postpone_sleep();   // interrupts are on from here
    for (;;) {
        for (uint8_t blink = n; blink; blink--) {
            show(31 << 1, BLINK_FRAMES);
            show(0, BLINK_FRAMES);
        }
        show(0, PAUSE_FRAMES);
    }
}
