// Shows: datagrams. Every click sends one on all faces, of 0, 1, 16 and 17 bytes in turn; only the middle two
// lengths arrive. What arrives is printed on the service port as face, length and the bytes.

#include "Serial.h"

static const byte LENGTHS[] = {0, 1, 16, 17};

static ServicePortSerial port;
static byte message[17];
static byte next = 0;

void setup() {
    port.begin();
    for (byte i = 0; i < COUNT_OF(message); ++i) {
        message[i] = 100 + i;
    }
}

void loop() {
    if (buttonSingleClicked()) {
        FOREACH_FACE(f) { sendDatagramOnFace(message, LENGTHS[next], f); }
        next = (next + 1) % COUNT_OF(LENGTHS);
    }
    FOREACH_FACE(f) {
        if (isDatagramReadyOnFace(f)) {
            port.print(f);
            port.print(' ');
            port.print(getDatagramLengthOnFace(f));
            for (byte i = 0; i < getDatagramLengthOnFace(f); ++i) {
                port.print(' ');
                port.print(getDatagramOnFace(f)[i]);
            }
            port.println();
            markDatagramReadOnFace(f);
        }
    }
}
