// What a sketch and the BIOS agree on: fixed addresses of the shared RAM, entry points, wire constants.
//
// The layout is frozen: images built years apart, by different people, meet in it. The asserts below fail the
// build when a field moves. The entry points and the place of a sketch's own data are symbols of ../sketch.ld.

#ifndef BIOS_ABI_H
#define BIOS_ABI_H

#include <stddef.h>
#include <stdint.h>

namespace bios {

constexpr uint8_t FACES = 6;

// ---- Flash map, in bytes ----

constexpr uint16_t FLASH_PAGE = 128;
constexpr uint16_t IMAGE_BYTES = 0x1700;     // size of a sketch image
constexpr uint16_t ACTIVE_BASE = 0x0000;     // where a sketch runs
constexpr uint16_t BUILTIN_BASE = 0x1700;    // where a flasher puts it; copied to the active area on every reset
constexpr uint16_t BIOS_BASE = 0x2E00;       // BIOS code that never runs while flash is written
constexpr uint16_t BOOT_BASE = 0x3800;       // vectors, and code that may run while flash is written

// ---- Pixels ----

struct RawPixel {
    uint8_t red;      // compare values of the PWM timers: 255 is off, 1 the brightest level
    uint8_t green;
    uint8_t blue;
    uint8_t pad;
};

struct Pixels {
    uint16_t color[FACES];      // bit 0 reserved, bits 1-5 red, 6-10 green, 11-15 blue
    uint8_t vertical_blanking;  // set by the display interrupt at the end of a frame
    RawPixel raw[FACES];        // what the display interrupt shows
    uint8_t current;            // pixel being shown
    uint8_t phase;              // 0-4 within the pixel; 5 or more freezes the display
    uint8_t entropy;            // TCNT0 at the last watchdog interrupt
    uint8_t start_state;        // a StartState
    uint8_t spare[8];
};

enum StartState : uint8_t { START_POWER_UP = 0, START_ROOT = 1, START_DOWNLOADED = 2 };

// ---- Time ----

struct Time {
    uint32_t millis;
    uint8_t step_8us;      // 8-us steps beyond `millis`
    uint32_t sleep_time;   // the tile sleeps when `millis` passes it
    uint8_t spare[4];
};

constexpr uint32_t SLEEP_TIMEOUT_MS = 660000;   // set ahead by postpone_sleep

// ---- Button ----

struct Button {
    uint8_t down;          // debounced
    uint8_t events;        // BUTTON_ bits; the reader clears them
    uint8_t click_count;   // of the last multi click (3 or more)
    uint8_t woke;          // 0: has woken from power-down since the reader last set it
    uint8_t debounce;      // milliseconds to go
    uint16_t click_window; // milliseconds to go
    uint8_t clicks;        // pending
    uint8_t long_seen;
    uint16_t hold_ms;
    uint8_t spare[4];
};

enum ButtonEvent : uint8_t {
    BUTTON_PRESSED = 1,
    BUTTON_LONG_PRESSED = 2,
    BUTTON_RELEASED = 4,
    BUTTON_SINGLE_CLICKED = 8,
    BUTTON_DOUBLE_CLICKED = 16,
    BUTTON_MULTI_CLICKED = 32,
    BUTTON_HELD_3S = 64,
    BUTTON_HELD_6S = 128,
};

// ---- Infrared ----

constexpr uint8_t PACKET_MAX = 40;

struct Face {
    uint8_t ready;                    // a packet of 1-40 bytes is in `packet`; deaf until the reader clears it
    uint8_t sending;
    uint8_t length;                   // of everything received, header and checksum included
    uint8_t packet[PACKET_MAX + 1];   // header first; the last byte is never part of a packet
    uint8_t idle_samples;             // samples without light since the last trigger
    uint8_t incoming;                 // bits of the byte being received; 0: no reception in progress
    uint8_t spare[4];
};

struct Infrared {
    Face face[FACES];
    uint8_t downloading;
    uint8_t spare[4];
};

enum Header : uint8_t {
    HEADER_USER = 0x37,   // put before the payload by send_packet; no checksum
    HEADER_SEED = 0x0B,   // sum of the active image, low and high byte, checksum
    HEADER_PULL = 0x5D,   // piece, checksum
    HEADER_PUSH = 0xDB,   // 32 bytes, piece, checksum
    HEADER_GO = 0xE8,     // checksum
};

constexpr uint8_t CHECKSUM_TOTAL = 0xD2;   // all bytes of a BIOS packet add up to this, modulo 256
constexpr uint8_t PIECE_BYTES = 32;
constexpr uint8_t PIECES = IMAGE_BYTES / PIECE_BYTES;
constexpr uint8_t PIECE_WAITING = PIECES;      // PULL: complete, own neighbors pending
constexpr uint8_t PIECE_FINISHED = PIECES + 1; // PULL: complete, nothing left to do

// ---- Where the blocks lie ----

constexpr uint16_t PIXELS_AT = 0x0100;
constexpr uint16_t TIME_AT = 0x0131;
constexpr uint16_t BUTTON_AT = 0x013E;
constexpr uint16_t INFRARED_AT = 0x014D;
constexpr uint16_t SHARED_END = 0x027E;   // a sketch's own data starts here

static_assert(sizeof(Pixels) == 49 && PIXELS_AT + sizeof(Pixels) == TIME_AT, "pixel block");
static_assert(offsetof(Pixels, vertical_blanking) == 12 && offsetof(Pixels, raw) == 13, "pixel block");
static_assert(offsetof(Pixels, current) == 37 && offsetof(Pixels, phase) == 38, "pixel block");
static_assert(offsetof(Pixels, entropy) == 39 && offsetof(Pixels, start_state) == 40, "pixel block");
static_assert(sizeof(Time) == 13 && TIME_AT + sizeof(Time) == BUTTON_AT, "time block");
static_assert(offsetof(Time, step_8us) == 4 && offsetof(Time, sleep_time) == 5, "time block");
static_assert(sizeof(Button) == 15 && BUTTON_AT + sizeof(Button) == INFRARED_AT, "button block");
static_assert(offsetof(Button, woke) == 3 && offsetof(Button, debounce) == 4, "button block");
static_assert(offsetof(Button, click_window) == 5 && offsetof(Button, clicks) == 7, "button block");
static_assert(offsetof(Button, long_seen) == 8 && offsetof(Button, hold_ms) == 9, "button block");
static_assert(sizeof(Face) == 50 && offsetof(Face, packet) == 3, "infrared block");
static_assert(offsetof(Face, idle_samples) == 44 && offsetof(Face, incoming) == 45, "infrared block");
static_assert(sizeof(Infrared) == 305 && offsetof(Infrared, downloading) == 300, "infrared block");
static_assert(INFRARED_AT + sizeof(Infrared) == SHARED_END, "infrared block");
static_assert(PIECES == 184, "pieces of an image");

#define BIOS_INLINE static inline __attribute__((always_inline))
BIOS_INLINE volatile Pixels &pixels() { return *reinterpret_cast<volatile Pixels *>(PIXELS_AT); }
BIOS_INLINE volatile Time &time() { return *reinterpret_cast<volatile Time *>(TIME_AT); }
BIOS_INLINE volatile Button &button() { return *reinterpret_cast<volatile Button *>(BUTTON_AT); }
BIOS_INLINE volatile Infrared &infrared() { return *reinterpret_cast<volatile Infrared *>(INFRARED_AT); }
BIOS_INLINE volatile Face &face(uint8_t f) { return infrared().face[f]; }
#undef BIOS_INLINE

}  // namespace bios

// ---- Entry points (addresses in ../sketch.ld). All but `version` and `postpone_sleep` need interrupts on. ----

extern "C" {

// Send header 37 and `length` bytes on a face. Return 1, about 1 ms before the last pulse; or 0, nothing sent,
// while a packet is being received on that face.
uint8_t bios_send_packet(uint8_t face, const uint8_t *data, uint8_t length);   // 0x3810

// Wait for vertical blanking, then show the colors of the pixel block.
void bios_display_pixel_buffer(void);                                          // 0x3820

// Offer the built-in game to the neighbors.
void bios_bootloader_seed(void) __attribute__((noreturn));                     // 0x3824

// Restart the inactivity time. Callable with interrupts off; returns with them on.
void bios_postpone_sleep(void);                                                // 0x3828

// Power down until the button moves.
void bios_sleep_now(void);                                                     // 0x3830

// Erase a page, write the filled page buffer to it, re-enable the read-while-write section.
void bios_write_flash_page(uint8_t page);                                      // 0x3834

uint8_t bios_version(void);                                                    // 0x3838

// Blink n times red, for ever.
void bios_abend(uint8_t n) __attribute__((noreturn));                          // 0x383C
}

#endif
