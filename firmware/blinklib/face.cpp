// Values and datagrams: what goes out on each face, what came in.

#include "internal.h"

namespace blinklib {

static constexpr uint16_t EXPIRY_MS = 200;
static constexpr uint8_t SEND_PAUSE_MS = 150;   // + the face's number, so that the faces drift apart
static constexpr uint8_t DATAGRAM_VALUE = 0x2A;
static constexpr uint8_t VALUE_BITS = 0x3F;
static constexpr uint8_t STAY_AWAKE_BIT = 0x40;
static constexpr uint8_t PARITY_BIT = 0x80;

struct FaceState {
    Timer expiry;
    uint32_t send_ms;
    uint8_t received;
    uint8_t compared;   // the value received when a change was asked for last
    uint8_t sent;
    bool stay_awake;
    uint8_t in_length;   // of an unread datagram; 0: none
    uint8_t out_length;  // of a datagram to be sent; 0: none
    uint8_t in[IR_DATAGRAM_LEN];
    uint8_t out[IR_DATAGRAM_LEN];
};

static FaceState faces[FACE_COUNT];

bool stay_awake_received;

static bool is_odd(uint8_t value) { return __builtin_parity(value); }

static uint8_t with_parity(uint8_t value) { return is_odd(value) ? value : value | PARITY_BIT; }

void drop_packets() {
    FOREACH_FACE(f) { bios::face(f).ready = 0; }
}

void carry_stay_awake() {
    FOREACH_FACE(f) { faces[f].stay_awake = true; }
}

static uint8_t inverted_sum(const uint8_t *data, uint8_t length) {
    uint8_t sum = 0;
    while (length--) {
        sum += *data++;
    }
    return ~sum;
}

// `length` counts what follows the value's byte: payload and checksum.
static void receive_datagram(FaceState &face, const uint8_t *data, uint8_t length) {
    const uint8_t payload = length - 1;
    if (face.in_length || payload > IR_DATAGRAM_LEN || data[payload] != inverted_sum(data, payload)) {
        return;
    }
    memcpy(face.in, data, payload);
    face.in_length = payload;
}

static void receive_packet(FaceState &face, const uint8_t *packet, uint8_t length) {
    const uint8_t first = packet[1];
    if (length < 2 || packet[0] != bios::HEADER_USER || !is_odd(first)) {
        return;
    }
    face.send_ms = 0;   // the neighbor has just fallen silent: the best moment to answer
    if (length == 3 && first == SLEEP_BYTE && packet[2] == SLEEP_BYTE) {
        warm_sleep();
        return;
    }
    if (first & STAY_AWAKE_BIT) {
        bios_postpone_sleep();
        stay_awake_received = true;
    }
    if (length == 2) {
        face.received = first & VALUE_BITS;
    } else if ((first & VALUE_BITS) == DATAGRAM_VALUE) {
        receive_datagram(face, packet + 2, length - 2);
    }
}

void receive() {
    FOREACH_FACE(f) {
        volatile bios::Face &in = bios::face(f);
        if (!in.ready) {
            continue;
        }
        faces[f].expiry.set(EXPIRY_MS);
        // The BIOS leaves the packet alone until `ready` is cleared.
        receive_packet(faces[f], const_cast<const uint8_t *>(in.packet), in.length);
        in.ready = 0;
    }
}

static bool send_datagram(uint8_t f, FaceState &face) {
    uint8_t packet[IR_DATAGRAM_LEN + 2];
    packet[0] = with_parity(DATAGRAM_VALUE);
    memcpy(packet + 1, face.out, face.out_length);
    packet[face.out_length + 1] = inverted_sum(face.out, face.out_length);
    if (!bios_send_packet(f, packet, face.out_length + 2)) {
        return false;
    }
    face.out_length = 0;
    return true;
}

static bool send_value(uint8_t f, FaceState &face) {
    const uint8_t packet = with_parity(face.stay_awake ? face.sent | STAY_AWAKE_BIT : face.sent);
    face.stay_awake = false;
    return bios_send_packet(f, &packet, 1);
}

void send() {
    FOREACH_FACE(f) {
        FaceState &face = faces[f];
        if (face.send_ms <= now && (face.out_length ? send_datagram(f, face) : send_value(f, face))) {
            face.send_ms = now + SEND_PAUSE_MS + f;
        }
    }
}

}  // namespace blinklib

using blinklib::faces;

void setValueSentOnFace(byte value, byte face) {
    faces[face].sent = value > IR_DATA_VALUE_MAX ? IR_DATA_VALUE_MAX : value;
}

void setValueSentOnAllFaces(byte value) {
    FOREACH_FACE(f) { setValueSentOnFace(value, f); }
}

byte getLastValueReceivedOnFace(byte face) { return faces[face].received; }

bool didValueOnFaceChange(byte face) {
    const bool changed = faces[face].compared != faces[face].received;
    faces[face].compared = faces[face].received;
    return changed;
}

bool isValueReceivedOnFaceExpired(byte face) { return faces[face].expiry.isExpired(); }

bool isAlone() {
    FOREACH_FACE(f) {
        if (!isValueReceivedOnFaceExpired(f)) {
            return false;
        }
    }
    return true;
}

void sendDatagramOnFace(const void *data, byte length, byte face) {
    if (length > IR_DATAGRAM_LEN) {
        return;
    }
    memcpy(faces[face].out, data, length);
    faces[face].out_length = length;
}

bool isDatagramReadyOnFace(byte face) { return faces[face].in_length != 0; }

byte getDatagramLengthOnFace(byte face) { return faces[face].in_length; }

const byte *getDatagramOnFace(byte face) { return faces[face].in; }

void markDatagramReadOnFace(byte face) { faces[face].in_length = 0; }
