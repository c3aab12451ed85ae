#include "Serial.h"

#include <avr/io.h>

void ServicePortSerial::begin() {
    UBRR0 = 0;   // with U2X0: F_CPU / 8
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

int ServicePortSerial::available() { return UCSR0A & _BV(RXC0) ? 1 : 0; }

int ServicePortSerial::read() { return available() ? UDR0 : -1; }

size_t ServicePortSerial::write(uint8_t value) {
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UCSR0A = _BV(U2X0) | _BV(TXC0);   // writing 1 clears the flag of the previous byte
    UDR0 = value;
    written = true;
    return 1;
}

void ServicePortSerial::flush() {
    if (!written) {
        return;   // the flag has never been raised
    }
    while (!(UCSR0A & _BV(TXC0))) {
    }
}
