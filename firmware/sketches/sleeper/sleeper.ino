// Shows: warm sleep. Held for six seconds a cluster darkens together; a press wakes it, and its tiles turn from blue
// to the color they last had, then, having woken, to green.

void setup() { setColor(BLUE); }

void loop() {
    if (hasWoken()) {
        setColor(GREEN);
    }
}
