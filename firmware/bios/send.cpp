// Sending packets.

#include <avr/interrupt.h>
#include <avr/io.h>

#include "bios.h"

using namespace bios;

void wait_for_transmitter() {
    while (transmitter().phase != TX_IDLE) {
    }
}

IN_BOOT void stop_transmitter() {
    TCCR1B = 0;
    SENDING_FACES = 0;
    transmitter().phase = TX_IDLE;
    for (uint8_t f = 0; f < FACES; f++) face(f).sending = 0;
}

IN_BOOT uint8_t send(uint8_t f, uint8_t header, const uint8_t *data, uint8_t length) {
    wait_for_transmitter();
    volatile Face &out = face(f);
    cli();
    // Sketches of two neighbors that begin together hear nothing of each other, and would do so again and again
    // where their clocks are alike: for them a reception is in progress from its first pulse on. BIOS packets are
    // answers.
    if (out.incoming || (header == HEADER_USER && LIVE_FACES & 1 << f)) {
        sei();
        return 0;
    }
    out.sending = 1;
    SENDING_FACES = 1 << f;
    volatile Transmitter &tx = transmitter();
    tx.phase = TX_START;
    tx.shift = 0;
    tx.header = header;
    tx.data = data;
    tx.left = length;

    // Modes without double buffering first: the first pulse comes within microseconds, and the gap after it is
    // already waiting.
    TCCR1B = 0;
    TCCR1A = 0;
    OCR1A = 40;
    TCCR1A = _BV(WGM11) | _BV(WGM10);
    TCCR1B = _BV(WGM13) | _BV(WGM12);
    OCR1A = GAP_ONE;
    TCNT1 = 1;
    TIFR1 = _BV(OCF1A);
    TIMSK1 = _BV(OCIE1A);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS10);
    sei();
    // Until the data has been taken; a time-out sleep stops the transmitter.
    while (static_cast<uint8_t>(tx.phase - 1) < TX_TAIL - 1) {
    }
    return 1;
}

extern "C" __attribute__((used)) uint8_t send_packet(uint8_t f, const uint8_t *data, uint8_t length) {
    return send(f, HEADER_USER, data, length);
}
