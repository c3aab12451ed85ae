// Shows: every event of the button, as a line on the service port.

#include "Serial.h"

static ServicePortSerial port;

void setup() { port.begin(); }

void loop() {
    if (buttonPressed()) {
        port.println("pressed");
    }
    if (buttonReleased()) {
        port.println("released");
    }
    if (buttonSingleClicked()) {
        port.println("single");
    }
    if (buttonDoubleClicked()) {
        port.println("double");
    }
    if (buttonMultiClicked()) {
        port.print("multi ");
        port.println(buttonClickCount());
    }
    if (buttonLongPressed()) {
        port.println("long");
    }
    if (buttonLongLongPressed()) {
        port.println("long long");
    }
}
