// Shows: colors by face. Face 0 is red, then clockwise orange, yellow, green, blue, magenta.

static const Color COLORS[FACE_COUNT] = {RED, ORANGE, YELLOW, GREEN, BLUE, MAGENTA};

void setup() {
    FOREACH_FACE(f) { setColorOnFace(COLORS[f], f); }
}

void loop() {}
