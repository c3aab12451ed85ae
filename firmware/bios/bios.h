// The parts of the BIOS to each other.

#ifndef BIOS_H
#define BIOS_H

#include "bios_abi.h"
#include "layout.h"

constexpr uint8_t BIOS_VERSION = 2;
constexpr uint16_t STACK_TOP = 0x04FF;

// Code that needs not lie in the boot section, but for which there is room.
#define IN_BOOT __attribute__((section(".boot")))

struct Transmitter {
    uint8_t phase;         // a TX_ constant
    uint8_t shift;
    uint8_t left;
    const uint8_t *data;
    uint8_t header;
};

static inline __attribute__((always_inline)) volatile Transmitter &transmitter() {
    return *reinterpret_cast<volatile Transmitter *>(TX);
}

extern "C" {

// Assembly, in the boot section.
void write_flash_page(uint8_t page);
void fill_flash_word(uint16_t address, uint16_t word);   // into the page buffer; addresses in bytes
void copy_builtin();
void postpone_sleep();

// Entry points.
uint8_t send_packet(uint8_t face, const uint8_t *data, uint8_t length);
void display_pixel_buffer();
void bootloader_seed() __attribute__((noreturn));
void sleep_now();
uint8_t version();
void abend(uint8_t n) __attribute__((noreturn));

// Jumped to by assembly.
void boot() __attribute__((noreturn));
void download(const bios::Face *source) __attribute__((noreturn));
}

enum class Clock : uint8_t { MHZ_8 = 0, MHZ_4 = 1 };   // values of CLKPR

void set_clock(Clock clock);
void timers_on();
void timers_off();
void delay_200ms();          // at 4 MHz
void check_battery();
void start_sketch(uint8_t start_state) __attribute__((noreturn));

uint8_t send(uint8_t face, uint8_t header, const uint8_t *data, uint8_t length);
void wait_for_transmitter();
void stop_transmitter();     // in the middle of a packet, if need be

void convert_pixels();       // colors of the pixel block to compare values, at once

#endif
