// Shows: values between neighbors. A click raises the value this tile sends on all faces, 0 to 5 and round again;
// a face shows the value its neighbor sends as a color, and stays dark while it has no neighbor.

static const Color COLORS[] = {RED, ORANGE, YELLOW, GREEN, BLUE, MAGENTA};

static byte sent = 0;

void setup() {}

void loop() {
    if (buttonSingleClicked()) {
        sent = (sent + 1) % COUNT_OF(COLORS);
    }
    setValueSentOnAllFaces(sent);

    FOREACH_FACE(f) {
        byte value = getLastValueReceivedOnFace(f);
        bool known = !isValueReceivedOnFaceExpired(f) && value < COUNT_OF(COLORS);
        setColorOnFace(known ? COLORS[value] : OFF, f);
    }
}
