#include "internal.h"

#include <util/atomic.h>

namespace blinklib {

static constexpr uint32_t NEVER = 0xFFFFFFFF;

uint32_t now;

void snapshot_time() {
    ATOMIC_BLOCK(ATOMIC_FORCEON) { now = bios::time().millis; }
}

}  // namespace blinklib

using blinklib::NEVER;
using blinklib::now;

unsigned long millis() { return now; }

void Timer::set(uint32_t duration_ms) { target_ms = now + duration_ms; }

void Timer::add(uint16_t duration_ms) {
    target_ms = target_ms > NEVER - duration_ms ? NEVER : target_ms + duration_ms;
}

void Timer::never() { target_ms = NEVER; }

bool Timer::isExpired() { return now > target_ms; }

uint32_t Timer::getRemaining() { return now >= target_ms ? 0 : target_ms - now; }
