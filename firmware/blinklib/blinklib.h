// What a sketch may call. A sketch defines setup() and loop(); the library calls setup() once, then loop() for ever.
//
// Time, button and received values stand still inside one loop(); colors and sent values take effect after it.

#ifndef BLINKLIB_H
#define BLINKLIB_H

#include "Arduino.h"

void setup();
void loop();

#define FACE_COUNT 6
#define FOREACH_FACE(f) for (byte f = 0; f < FACE_COUNT; ++f)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// ---- Display ----

#define BRIGHTNESS_LEVELS_5BIT 32
#define MAX_BRIGHTNESS_5BIT (BRIGHTNESS_LEVELS_5BIT - 1)
#define MAX_BRIGHTNESS 255

union Color {
    struct {
        uint16_t reserved : 1;
        uint16_t r : 5;
        uint16_t g : 5;
        uint16_t b : 5;
    };
    uint16_t as_uint16;

    Color() = default;
    constexpr Color(uint16_t bits) : as_uint16(bits) {}
    constexpr Color(byte red, byte green, byte blue)
        : as_uint16(uint16_t(1u | (red & 31u) << 1 | (green & 31u) << 6 | (blue & 31u) << 11)) {}
};
static_assert(sizeof(Color) == 2, "a color is a word");

#define MAKECOLOR_5BIT_RGB(r, g, b) (Color((byte)(r), (byte)(g), (byte)(b)))
#define GET_5BIT_R(color) ((byte)((color).as_uint16 >> 1 & 31))
#define GET_5BIT_G(color) ((byte)((color).as_uint16 >> 6 & 31))
#define GET_5BIT_B(color) ((byte)((color).as_uint16 >> 11))

#define RED MAKECOLOR_5BIT_RGB(31, 0, 0)
#define ORANGE MAKECOLOR_5BIT_RGB(31, 15, 0)
#define YELLOW MAKECOLOR_5BIT_RGB(31, 31, 0)
#define GREEN MAKECOLOR_5BIT_RGB(0, 31, 0)
#define CYAN MAKECOLOR_5BIT_RGB(0, 31, 31)
#define BLUE MAKECOLOR_5BIT_RGB(0, 0, 31)
#define MAGENTA MAKECOLOR_5BIT_RGB(31, 0, 31)
#define WHITE MAKECOLOR_5BIT_RGB(31, 31, 31)
#define OFF MAKECOLOR_5BIT_RGB(0, 0, 0)

void setColor(Color color);
void setColorOnFace(Color color, byte face);
void setFaceColor(byte face, Color color);   // the older order

Color makeColorRGB(byte red, byte green, byte blue);               // 0-255 each
Color makeColorHSB(byte hue, byte saturation, byte brightness);
Color dim(Color color, byte brightness);                           // 255: unchanged
Color lighten(Color color, byte amount);                           // 255: white

// ---- Values between neighbors ----

#define IR_DATA_VALUE_MAX 63
#define IR_DATAGRAM_LEN 16

void setValueSentOnAllFaces(byte value);
void setValueSentOnFace(byte value, byte face);
byte getLastValueReceivedOnFace(byte face);
bool didValueOnFaceChange(byte face);            // since it was asked last
bool isValueReceivedOnFaceExpired(byte face);    // nothing heard for 200 ms
bool isAlone();

void sendDatagramOnFace(const void *data, byte length, byte face);
bool isDatagramReadyOnFace(byte face);
byte getDatagramLengthOnFace(byte face);
const byte *getDatagramOnFace(byte face);
void markDatagramReadOnFace(byte face);

// ---- Button: all but buttonDown and buttonClickCount are cleared by asking ----

bool buttonDown();
bool buttonPressed();
bool buttonReleased();
bool buttonSingleClicked();
bool buttonDoubleClicked();
bool buttonMultiClicked();
byte buttonClickCount();
bool buttonLongPressed();
bool buttonLongLongPressed();

// ---- Time ----

unsigned long millis();

class Timer {
public:
    void set(uint32_t duration_ms);
    void add(uint16_t duration_ms);
    void never();
    bool isExpired();
    uint32_t getRemaining();

private:
    uint32_t target_ms;
};

// ---- Chance ----

void randomize();
word randomWord();
word random(word limit);   // 0 to limit, both included

// ---- Identity and state ----

#define SERIAL_NUMBER_LEN 9
#define START_STATE_POWER_UP 0
#define START_STATE_WE_ARE_ROOT 1
#define START_STATE_DOWNLOAD_SUCCESS 2

byte getSerialNumberByte(byte n);
byte getBlinkbiosVersion();
bool isMAXblink();
bool isNFCblink();
byte startState();
bool hasWoken();

// Tiles with NFC keep a record of a game; on others, the only ones known here, it answers "not NFC".
inline byte saveGameStat(...) { return 2; }

// ---- Mathematics ----

word map(word x, word in_min, word in_max, word out_min, word out_max);
byte sin8_C(byte theta);

template <typename A, typename B> struct SameColorType;
template <> struct SameColorType<Color, Color> { typedef bool type; };
template <typename A, typename B> constexpr typename SameColorType<A, B>::type operator==(A a, B b) {
    return (a.as_uint16 ^ b.as_uint16) < 2;   // bit 0 means nothing
}
template <typename A, typename B> constexpr typename SameColorType<A, B>::type operator!=(A a, B b) {
    return !(a == b);
}

#endif
