// Shows: chance. Ten words that are the same on every tile, then, after randomize(), ten that are not.

#include "Serial.h"

static ServicePortSerial port;

static void printWords();

void setup() {
    port.begin();
    printWords();
    randomize();
    printWords();
}

void loop() {}

static void printWords() {
    for (byte i = 0; i < 10; ++i) {
        port.println(randomWord());
    }
}
