// The transmitter's interrupt: one pulse of light on the sending faces, and the gap after the next pulse.
//
// Timer1 counts cycles up to OCR1A, which is double buffered: what is written while a pulse is being sent is the
// gap that begins with the *next* pulse. All ways through this handler keep the light on for 161 cycles (20.1 us);
// the gap is worked out meanwhile.

#include <avr/io.h>
#include "layout.h"

#define LO8(r) _SFR_IO_ADDR(r)

        .section .boot, "ax", @progbits

        .global transmit_pulse
transmit_pulse:
        push    r24
        in      r24, LO8(SENDING_FACES)
        out     LO8(DDRC), r24          // cathode low,
        out     LO8(PINB), r24          // anode high: light
        in      r24, LO8(SREG)
        push    r24
        push    r25
        push    r30
        push    r31
        ldi     r30, lo8(TX)
        ldi     r31, hi8(TX)
        ldd     r24, Z+TX_SHIFT
        lsr     r24
        breq    byte_done
        ldi     r25, 44                 // turns of three cycles in the delay below, for this way
send_bit:                               // C is the bit, r24 what is left to shift, r25 the delay
        sts     TX + TX_SHIFT, r24
        brcs    1f
        ldi     r30, lo8(GAP_ZERO)
        ldi     r31, hi8(GAP_ZERO)
        rjmp    set_gap
1:      ldi     r30, lo8(GAP_ONE)
        ldi     r31, hi8(GAP_ONE)
        nop
set_gap:
        sts     OCR1AH, r31
        sts     OCR1AL, r30
        in      r24, LO8(SENDING_FACES)
end_of_light:                           // r24: what SENDING_FACES becomes
        dec     r25
        brne    end_of_light
        in      r30, LO8(SENDING_FACES)
        out     LO8(PINB), r30          // anode low: dark
        out     LO8(PINC), r30          // cathode high: charge
        out     LO8(SENDING_FACES), r24
        ldi     r24, 5
1:      dec     r24
        brne    1b
        out     LO8(DDRC), r24          // after 2 us let it float
        out     LO8(PINC), r30
        pop     r31
        pop     r30
        pop     r25
        pop     r24
        out     LO8(SREG), r24
        pop     r24
        reti

byte_done:
        ldd     r24, Z+TX_PHASE
        cpi     r24, TX_IN_HEADER
        brlo    next_data
        breq    header
        ldi     r25, TX_LAST
        cpi     r24, TX_TAIL
        breq    tail
        brlo    start
        // the last pulse: stop
        ldi     r25, 0x18
        sts     TCCR1B, r25
        ldi     r24, 0
        std     Z+TX_PHASE, r24
        sts     INFRARED + 0 * FACE_STRIDE + FACE_SENDING, r24
        sts     INFRARED + 1 * FACE_STRIDE + FACE_SENDING, r24
        sts     INFRARED + 2 * FACE_STRIDE + FACE_SENDING, r24
        sts     INFRARED + 3 * FACE_STRIDE + FACE_SENDING, r24
        sts     INFRARED + 4 * FACE_STRIDE + FACE_SENDING, r24
        sts     INFRARED + 5 * FACE_STRIDE + FACE_SENDING, r24
        ldi     r25, 38
        rjmp    end_of_light

tail:   // the pulse after this one is the last: its gap does not matter
        std     Z+TX_PHASE, r25
        ldi     r25, 43
        in      r24, LO8(SENDING_FACES)
        rjmp    end_of_light

start:  ldi     r25, TX_IN_HEADER
        std     Z+TX_PHASE, r25
        nop
        nop
        ldi     r25, 39
        rjmp    sync

header: ldi     r25, TX_IN_DATA
        std     Z+TX_PHASE, r25
        ldd     r24, Z+TX_HEADER
        ldi     r25, 38
        rjmp    load

next_data:
        ldd     r24, Z+TX_LEFT
        subi    r24, 1
        brcs    no_more
        std     Z+TX_LEFT, r24
        ldd     r24, Z+TX_DATA
        ldd     r31, Z+TX_DATA+1
        mov     r30, r24
        ld      r24, Z+
        sts     TX + TX_DATA, r30
        sts     TX + TX_DATA + 1, r31
        ldi     r25, 35
load:   sec
        ror     r24
        rjmp    send_bit

no_more:
        ldi     r25, TX_TAIL
        std     Z+TX_PHASE, r25
        nop
        ldi     r25, 40
sync:   ldi     r30, lo8(GAP_SYNC)
        ldi     r31, hi8(GAP_SYNC)
        rjmp    set_gap
