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

// Not inlined: each is called from several places, and 32-bit arithmetic is long.
#define SHARED_CODE __attribute__((noinline))

SHARED_CODE void Timer::set(uint32_t duration_ms) { target_ms = now + duration_ms; }

void Timer::add(uint16_t duration_ms) {
    target_ms = target_ms > NEVER - duration_ms ? NEVER : target_ms + duration_ms;
}

void Timer::never() { target_ms = NEVER; }

SHARED_CODE bool Timer::isExpired() { return now > target_ms; }

uint32_t Timer::getRemaining() { return now >= target_ms ? 0 : target_ms - now; }
