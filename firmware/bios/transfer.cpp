// The viral transfer of a game: as root (the tile that offers its game first) and as downloader, which at the same
// time relays what it has got to its other neighbors.
//
// The sketch is gone by then, so its RAM holds our state.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

#include "bios.h"

using namespace bios;

static constexpr uint8_t NO_FACE = 6;
static constexpr uint8_t TRIES = 3;
static constexpr uint8_t ANSWER_MS = 50;          // for a neighbor that has never pulled
static constexpr uint8_t PULL_MS = 120;           // for one that has
static constexpr uint16_t OFFER_MS = 10000;       // the root looks for neighbors at least this long
static constexpr uint8_t GO_ROUNDS = 3;

static constexpr uint16_t green(uint8_t level) { return level << 6; }
static constexpr uint16_t blue(uint8_t level) { return level << 11; }

static uint8_t source;        // face the game comes from; NO_FACE: we are the root
static uint8_t wanted;        // next piece to come
static uint16_t game_sum;     // of the whole image
static uint8_t open_faces;    // bit n: face n may still want the game
static uint8_t pulled_faces;  // bit n: face n has pulled before
static uint8_t offered;       // the face offered to at present
static uint8_t tries;
static uint16_t waiting_since;
static uint8_t wait_ms;
static uint16_t started_ms;
static uint8_t packet[PIECE_BYTES + 2];   // to send, without its header

static uint16_t now() {
    cli();
    const uint16_t ms = time().millis;
    sei();
    return ms;
}

static uint8_t bit(uint8_t f) { return 1 << f; }

static void show(uint8_t f, uint16_t color) {
    pixels().color[f] = color;
    convert_pixels();
}

// Send a BIOS packet: header, `length` bytes of `packet`, checksum.
static void send_checked(uint8_t f, uint8_t header, uint8_t length) {
    uint8_t check = CHECKSUM_TOTAL - header;
    for (uint8_t i = 0; i < length; i++) check -= packet[i];
    packet[length] = check;
    send(f, header, packet, length + 1);
}

// Return whether a valid BIOS packet of that kind and length lies ready on a face.
static bool received(uint8_t f, uint8_t header, uint8_t length) {
    const Face &in = const_cast<const Face &>(face(f));
    if (in.packet[0] != header || in.length != length) return false;
    uint8_t sum = 0;
    for (uint8_t i = 0; i < length; i++) sum += in.packet[i];
    return sum == CHECKSUM_TOTAL;
}

static uint16_t active_sum() {
    uint16_t sum = 0;
    for (uint16_t at = 0; at < IMAGE_BYTES; at++) sum += pgm_read_byte(at);
    return sum;
}

static void finish() __attribute__((noreturn));
static void finish() {
    if (source != NO_FACE && (wanted < PIECES || active_sum() != game_sum)) abend(3);
    for (uint8_t round = GO_ROUNDS; round; round--) {
        for (uint8_t f = 0; f < FACES; f++) send_checked(f, HEADER_GO, 0);
    }
    wait_for_transmitter();
    start_sketch(source == NO_FACE ? START_ROOT : START_DOWNLOADED);
}

// ---- Downloading: answer every packet on the source face with a PULL ----

static void keep_piece(const Face &in) {
    const uint8_t *data = &in.packet[1];
    const uint16_t at = wanted * PIECE_BYTES;
    for (uint8_t i = 0; i < PIECE_BYTES; i += 2) {
        fill_flash_word(at + i, data[i] | data[i + 1] << 8);
    }
    show(source, blue(4 * (wanted & 7)));
    wanted++;
    if (!(wanted & 3)) write_flash_page((wanted >> 2) - 1);
}

static void answer_source() {
    volatile Face &in = face(source);
    if (!in.ready) return;
    if (wanted < PIECES && received(source, HEADER_PUSH, PIECE_BYTES + 3) && in.packet[PIECE_BYTES + 1] == wanted) {
        keep_piece(const_cast<const Face &>(in));
        if (wanted == PIECES) show(source, green(15));
    }
    const bool go = received(source, HEADER_GO, 2);
    in.ready = 0;
    packet[0] = wanted < PIECES ? wanted : open_faces ? PIECE_WAITING : PIECE_FINISHED;
    send_checked(source, HEADER_PULL, 1);
    if (go) finish();
}

// ---- Offering the game, one face at a time ----

static void wait(uint8_t ms) {
    waiting_since = now();
    wait_ms = ms;
}

static void next_face() {
    if (!open_faces) return;
    do {
        if (++offered >= FACES) offered = 0;
    } while (!(open_faces & bit(offered)));
    tries = TRIES;
    wait_ms = 0;
}

static void push(uint8_t piece) {
    for (uint8_t i = 0; i < PIECE_BYTES; i++) packet[i] = pgm_read_byte(piece * PIECE_BYTES + i);
    packet[PIECE_BYTES] = piece;
    show(offered, blue(4 * (piece & 7)));
    send_checked(offered, HEADER_PUSH, PIECE_BYTES + 1);
    tries = TRIES;
    wait(PULL_MS);
}

// Return how many pieces the flash holds: pages are written whole.
static uint8_t pieces_held() { return wanted & ~3; }

static void offer() {
    volatile Face &in = face(offered);
    if (in.ready) {
        if (received(offered, HEADER_PULL, 3)) {
            const uint8_t piece = in.packet[1];
            pulled_faces |= bit(offered);
            if (piece < PIECES) {
                if (piece >= pieces_held()) return;   // stays pending until that piece has come
                in.ready = 0;
                push(piece);
                return;
            }
            show(offered, green(piece == PIECE_FINISHED ? 31 : 15));
            if (piece == PIECE_FINISHED) open_faces &= ~bit(offered);
            in.ready = 0;
            next_face();
            return;
        }
        in.ready = 0;
    }
    if (static_cast<uint16_t>(now() - waiting_since) < wait_ms) return;
    if (!tries) {
        if (source != NO_FACE || static_cast<uint16_t>(now() - started_ms) >= OFFER_MS) open_faces &= ~bit(offered);
        next_face();
        return;
    }
    tries--;
    packet[0] = game_sum;
    packet[1] = game_sum >> 8;
    show(offered, blue(31));
    send_checked(offered, HEADER_SEED, 2);
    wait(pulled_faces & bit(offered) ? PULL_MS : ANSWER_MS);
}

static void transfer() __attribute__((noreturn));
static void transfer() {
    started_ms = now();
    pulled_faces = 0;
    next_face();
    for (;;) {
        if (source != NO_FACE) answer_source();
        if (open_faces) {
            offer();
        } else if (source == NO_FACE) {
            finish();
        }
        if (button().events & BUTTON_PRESSED) finish();
    }
}

static void begin() {
    button().events = 0;
    for (uint8_t f = 0; f < FACES; f++) show(f, 0);
    postpone_sleep();
}

extern "C" __attribute__((used)) void bootloader_seed() {
    SP = STACK_TOP;
    wait_for_transmitter();
    infrared().downloading = 1;
    begin();
    copy_builtin();
    game_sum = active_sum();
    source = NO_FACE;
    offered = FACES - 1;
    wanted = PIECES;
    open_faces = 0x3F;
    transfer();
}

// A SEED came in while nothing was being downloaded: called inside the 128-us handler, which is left for good.
extern "C" __attribute__((used)) void download(const Face *in) {
    cli();
    SP = STACK_TOP;
    stop_transmitter();
    source = (reinterpret_cast<uint16_t>(in) - INFRARED_AT) / sizeof(Face);
    begin();
    game_sum = in->packet[1] | in->packet[2] << 8;
    offered = source;
    wanted = 0;
    open_faces = 0x3F & ~bit(source);
    transfer();
}
