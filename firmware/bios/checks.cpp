// The numbers of layout.h against the structs they describe.

#include "bios.h"

using namespace bios;

static_assert(PIXELS == PIXELS_AT && TIME == TIME_AT && BUTTON == BUTTON_AT && INFRARED == INFRARED_AT, "blocks");
static_assert(PIXEL_BLANKING == offsetof(Pixels, vertical_blanking) && PIXEL_RAW == offsetof(Pixels, raw), "pixels");
static_assert(PIXEL_CURRENT == offsetof(Pixels, current) && PIXEL_PHASE == offsetof(Pixels, phase), "pixels");
static_assert(PIXEL_ENTROPY == offsetof(Pixels, entropy), "pixels");
static_assert(TIME_STEP == offsetof(Time, step_8us) && TIME_SLEEP == offsetof(Time, sleep_time), "time");
static_assert(BUTTON_DOWN == offsetof(Button, down) && BUTTON_EVENTS == offsetof(Button, events), "button");
static_assert(BUTTON_COUNT == offsetof(Button, click_count), "button");
static_assert(BUTTON_DEBOUNCE == offsetof(Button, debounce), "button");
static_assert(BUTTON_WINDOW == offsetof(Button, click_window) && BUTTON_CLICKS == offsetof(Button, clicks), "button");
static_assert(BUTTON_LONG == offsetof(Button, long_seen) && BUTTON_HOLD == offsetof(Button, hold_ms), "button");
static_assert(FACE_STRIDE == sizeof(Face) && FACE_READY == offsetof(Face, ready), "face");
static_assert(FACE_SENDING == offsetof(Face, sending) && FACE_LENGTH == offsetof(Face, length), "face");
static_assert(FACE_PACKET == offsetof(Face, packet) && FACE_IDLE == offsetof(Face, idle_samples), "face");
static_assert(FACE_INCOMING == offsetof(Face, incoming), "face");
static_assert(DOWNLOADING == INFRARED_AT + offsetof(Infrared, downloading), "infrared");
static_assert(SHARED_BYTES == SHARED_END - PIXELS_AT, "shared block");
static_assert(TX == PIXELS_AT + offsetof(Pixels, spare) && sizeof(Transmitter) <= sizeof(Pixels::spare), "transmitter");
static_assert(TX_PHASE == offsetof(Transmitter, phase) && TX_SHIFT == offsetof(Transmitter, shift), "transmitter");
static_assert(TX_LEFT == offsetof(Transmitter, left) && TX_DATA == offsetof(Transmitter, data), "transmitter");
static_assert(TX_HEADER == offsetof(Transmitter, header), "transmitter");
