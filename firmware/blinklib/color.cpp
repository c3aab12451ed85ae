#include "internal.h"

void setColorOnFace(Color color, byte face) { bios::pixels().color[face] = color.as_uint16; }

void setFaceColor(byte face, Color color) { setColorOnFace(color, face); }

void setColor(Color color) {
    FOREACH_FACE(f) { setColorOnFace(color, f); }
}

Color makeColorRGB(byte red, byte green, byte blue) {
    return MAKECOLOR_5BIT_RGB(red >> 3, green >> 3, blue >> 3);
}

Color makeColorHSB(byte hue, byte saturation, byte brightness) {
    if (saturation == 0) {
        return makeColorRGB(brightness, brightness, brightness);
    }
    const word scaled = hue * 6u;
    const byte sector = scaled >> 8;
    const byte x = scaled;
    const byte v = brightness;
    const byte p = v * (255u - saturation) >> 8;
    const byte q = v * (255u - (saturation * (word)x >> 8)) >> 8;
    const byte t = v * (255u - (saturation * (255u - x) >> 8)) >> 8;
    switch (sector) {
    case 0: return makeColorRGB(v, t, p);
    case 1: return makeColorRGB(q, v, p);
    case 2: return makeColorRGB(p, v, t);
    case 3: return makeColorRGB(p, q, v);
    case 4: return makeColorRGB(t, p, v);
    default: return makeColorRGB(v, p, q);
    }
}

// channel * by / 255 for the 32 levels of a channel, without a division.
static byte scale(byte channel, byte by) {
    const word product = channel * (word)by;
    return (product + 1 + (product >> 8)) >> 8;
}

Color dim(Color color, byte brightness) {
    return MAKECOLOR_5BIT_RGB(scale(GET_5BIT_R(color), brightness), scale(GET_5BIT_G(color), brightness),
                              scale(GET_5BIT_B(color), brightness));
}

static byte raise(byte channel, byte by) { return channel + scale(MAX_BRIGHTNESS_5BIT - channel, by); }

Color lighten(Color color, byte amount) {
    return MAKECOLOR_5BIT_RGB(raise(GET_5BIT_R(color), amount), raise(GET_5BIT_G(color), amount),
                              raise(GET_5BIT_B(color), amount));
}
