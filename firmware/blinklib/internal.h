// What the parts of the library know of each other; sketches do not see it.

#ifndef BLINKLIB_INTERNAL_H
#define BLINKLIB_INTERNAL_H

#include "bios_abi.h"
#include "blinklib.h"

namespace blinklib {

constexpr uint8_t SLEEP_BYTE = 0x15;   // twice: "go to sleep"
constexpr uint8_t NO_OP_BYTE = 0x33;   // twice: nothing, but it wakes; its parity is bad

extern uint32_t now;   // the time of this loop()
void snapshot_time();

// The pixels as the sketch has set them, kept while the library shows something of its own.
class SavedColors {
public:
    SavedColors() { memcpy(colors, shared(), sizeof colors); }
    void restore() const { memcpy(shared(), colors, sizeof colors); }

private:
    static void *shared() { return const_cast<uint16_t *>(bios::pixels().color); }   // no interrupt uses them
    uint16_t colors[FACE_COUNT];
};

void snapshot_button();

void receive();
void send();
void drop_packets();
void carry_stay_awake();          // on every face, with its next value
extern bool stay_awake_received;

void restart_inactivity();        // the 10 minutes until warm sleep
void check_inactivity();
void warm_sleep();
extern bool woke_from_warm_sleep;

}  // namespace blinklib

#endif
