// Who this tile is, and how its game came to run.

#include "internal.h"

byte getSerialNumberByte(byte n) {
    static constexpr uint16_t SERIAL_NUMBER_AT = 0xF0;
    return n < SERIAL_NUMBER_LEN ? *reinterpret_cast<volatile uint8_t *>(SERIAL_NUMBER_AT + n) : 0;
}

byte getBlinkbiosVersion() { return bios_version() & 3; }

bool isMAXblink() { return bios_version() & 4; }

bool isNFCblink() { return bios_version() & 8; }

byte startState() { return bios::pixels().start_state; }

bool hasWoken() {
    const bool woken = blinklib::woke_from_warm_sleep || bios::button().woke == 0;
    blinklib::woke_from_warm_sleep = false;
    bios::button().woke = 1;
    return woken;
}
