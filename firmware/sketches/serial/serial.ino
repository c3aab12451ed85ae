// Shows: printing on the service port, and echoing what comes in (1,000,000 baud).

#include "Serial.h"

static ServicePortSerial port;

void setup() {
    port.begin();
    port.println("Hello, table");
    port.println(F("from flash"));
    port.println(255, HEX);
    port.println(-1);
    port.println(-1, BIN);
    port.println(3.14159);
    port.println((byte)'A');
    port.println('A');
}

void loop() {
    while (port.available()) {
        port.write(port.read());
    }
}
