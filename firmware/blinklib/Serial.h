// The service port of a tile as a serial line: 1,000,000 baud, 8 data bits, no parity, 1 stop bit.

#ifndef SERIAL_H
#define SERIAL_H

#include "Print.h"

class ServicePortSerial : public Print {
public:
    void begin();
    int available();   // 1 when a byte waits, else 0
    int read();        // -1 when none waits
    size_t write(uint8_t value) override;
    void flush() override;   // returns when the last byte has left
    using Print::write;

private:
    bool written = false;
};

#endif
