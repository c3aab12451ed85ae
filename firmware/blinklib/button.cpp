#include "internal.h"

#include <util/atomic.h>

namespace blinklib {

static uint8_t down;
static uint8_t events;
static uint8_t click_count;

void snapshot_button() {
    volatile bios::Button &button = bios::button();
    ATOMIC_BLOCK(ATOMIC_FORCEON) {
        down = button.down;
        click_count = button.click_count;
        events |= button.events;
        button.events = 0;
    }
}

static bool take(uint8_t event) {
    const bool happened = events & event;
    events &= ~event;
    return happened;
}

}  // namespace blinklib

using blinklib::take;

bool buttonDown() { return blinklib::down; }
bool buttonPressed() { return take(bios::BUTTON_PRESSED); }
bool buttonReleased() { return take(bios::BUTTON_RELEASED); }
bool buttonSingleClicked() { return take(bios::BUTTON_SINGLE_CLICKED); }
bool buttonDoubleClicked() { return take(bios::BUTTON_DOUBLE_CLICKED); }
bool buttonMultiClicked() { return take(bios::BUTTON_MULTI_CLICKED); }
bool buttonLongPressed() { return take(bios::BUTTON_LONG_PRESSED); }
bool buttonLongLongPressed() { return take(bios::BUTTON_HELD_3S); }
byte buttonClickCount() { return blinklib::click_count; }
