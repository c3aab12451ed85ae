// The handler that runs every 128 us, alternately from TIMER0_OVF (sample_whole: also the display and the time) and
// TIMER2_COMPA (sample_half: also, once a millisecond, the button).
//
// It reads the infrared cathodes first, so that they are sampled at steady times, then lets interrupts in: the
// transmitter's edges must not wait. It never nests in itself: its longest way takes less than 128 us.

#include <avr/io.h>
#include "layout.h"

#define LO8(r) _SFR_IO_ADDR(r)

// Charge well after the pulse seen may have ended (20.1 us wide, seen at its sixth microsecond at the earliest).
#define RECHARGE_DELAY 14       // turns of three cycles, on top of about 120 for one face with light

        .section .boot, "ax", @progbits

        .macro  begin
        push    r24
        in      r24, LO8(PINC)
        push    r25
        in      r25, LO8(SREG)
        sei
        push    r25
        in      r25, LO8(SENDING_FACES)
        or      r24, r25                // a sending face hears nothing
        com     r24
        andi    r24, 0x3F               // r24: faces that saw light
        in      r25, LO8(LIVE_FACES)
        or      r25, r24
        breq    1f
        rcall   receive
1:
        .endm

        .macro  end
        pop     r25
        out     LO8(SREG), r25
        pop     r25
        pop     r24
        reti
        .endm

        .global sample_half
sample_half:
        begin
        in      r24, LO8(MS_PENDING)
        sbrc    r24, 0
        rcall   each_millisecond
        end

        .global sample_whole
sample_whole:
        begin
        push    r30
        push    r31
        rcall   display
        ldi     r30, lo8(TIME)
        ldi     r31, hi8(TIME)
        ldd     r24, Z+TIME_STEP
        subi    r24, -32                // 256 us
        cpi     r24, 125
        brlo    1f
        subi    r24, 125
        ldi     r25, 1
        out     LO8(MS_PENDING), r25
2:      ld      r25, Z                  // millis + 1, byte by byte while they wrap
        inc     r25
        st      Z+, r25
        brne    1f
        cpi     r30, lo8(TIME + 4)
        brne    2b
1:      sts     TIME + TIME_STEP, r24
        pop     r31
        pop     r30
        end

// Advance the display by one of the five periods of a pixel: pump (for blue), rest, blue, red, green. What is
// written to a compare register acts from the next period on. Z, r24, r25 are free.
display:
        ldi     r30, lo8(PIXELS)
        ldi     r31, hi8(PIXELS)
        ldd     r24, Z+PIXEL_PHASE
        cpi     r24, 5
        brsh    frozen
        mov     r25, r24
        inc     r25
        cpi     r25, 5
        brne    1f
        ldi     r25, 0
1:      std     Z+PIXEL_PHASE, r25
        ldd     r25, Z+PIXEL_CURRENT
        lsl     r25
        lsl     r25
        add     r30, r25                // Z + PIXEL_RAW: this pixel's compare values (no carry: PIXELS is page-aligned)
        ldi     r25, 255
        cpi     r24, 2
        brlo    before_blue
        breq    show_blue
        cpi     r24, 3
        breq    show_red
        // green is on
        out     LO8(OCR0B), r25
        lds     r25, PIXELS + PIXEL_CURRENT
        inc     r25
        cpi     r25, 6
        brne    2f
        ldi     r25, 1
        sts     PIXELS + PIXEL_BLANKING, r25
        ldi     r25, 0
2:      sts     PIXELS + PIXEL_CURRENT, r25
frozen: ret

before_blue:
        tst     r24
        brne    rest
        cbi     LO8(PORTB), 6
        cbi     LO8(PORTE), 0
        cbi     LO8(PORTB), 7
        cbi     LO8(PORTE), 1
        cbi     LO8(PORTD), 4
        cbi     LO8(PORTD), 2
        ldd     r24, Z+PIXEL_RAW+2
        cpi     r24, 255
        breq    3f
        sbi     LO8(DDRD), 3            // OC2B, high: charge the pump
        sbi     LO8(DDRE), 3
3:      ret

rest:   cbi     LO8(DDRE), 3
        ldd     r24, Z+PIXEL_RAW+2
        sts     OCR2B, r24
        lds     r24, PIXELS + PIXEL_CURRENT
        cpi     r24, 0
        brne    4f
        sbi     LO8(PORTB), 6
4:      cpi     r24, 1
        brne    4f
        sbi     LO8(PORTE), 0
4:      cpi     r24, 2
        brne    4f
        sbi     LO8(PORTB), 7
4:      cpi     r24, 3
        brne    4f
        sbi     LO8(PORTE), 1
4:      cpi     r24, 4
        brne    4f
        sbi     LO8(PORTD), 4
4:      cpi     r24, 5
        brne    4f
        sbi     LO8(PORTD), 2
4:      ret

show_blue:
        sts     OCR2B, r25
        ldd     r24, Z+PIXEL_RAW+0
        out     LO8(OCR0A), r24
        ret

show_red:
        cbi     LO8(DDRD), 3
        out     LO8(OCR0A), r25
        ldd     r24, Z+PIXEL_RAW+1
        out     LO8(OCR0B), r24
        ret

// Take one sample of all faces. r24: faces that saw light, r25: those and the live ones.
receive:
        push    r21
        push    r22
        push    r23
        push    r26
        push    r27
        push    r30
        push    r31
        push    r24
        ldi     r30, lo8(INFRARED)
        ldi     r31, hi8(INFRARED)
        ldi     r22, 0
        ldi     r23, 0x20               // collects the live faces; the 1 falls out after six turns

each_face:
        lsr     r25
        brcs    busy_face
        lsr     r24                     // a silent face; leaves C clear, for no light here
next_face:                              // C: the face is live
        ror     r23
        brcc    1f
        rjmp    all_faces
1:      adiw    r30, FACE_STRIDE
        rjmp    each_face

busy_face:
        lsr     r24
        brcs    light
        ldd     r21, Z+FACE_IDLE
        inc     r21
        std     Z+FACE_IDLE, r21
        cpi     r21, 9
        brlo    next_face               // C set
        std     Z+FACE_INCOMING, r22    // C clear
        rjmp    next_face

light:  ldd     r21, Z+FACE_IDLE
        std     Z+FACE_IDLE, r22
        cpi     r21, 2
        brlo    got_bit                 // C is the bit
        cpi     r21, 4
        brlo    got_zero
        cpi     r21, 7
        brlo    got_sync
give_up:
        std     Z+FACE_INCOMING, r22
live_face:
        sec
        rjmp    next_face

got_zero:
        clc
got_bit:
        ldd     r21, Z+FACE_INCOMING
        inc     r21                     // inc and dec leave C alone
        dec     r21
        breq    live_face
        ror     r21
        std     Z+FACE_INCOMING, r21
        brcc    live_face
        ldd     r26, Z+FACE_LENGTH      // a whole byte
        cpi     r26, 40
        brsh    give_up
        inc     r26
        std     Z+FACE_LENGTH, r26
        ldi     r27, 0
        add     r26, r30
        adc     r27, r31
        adiw    r26, FACE_PACKET - 1
        st      X, r21
expect_byte:
        ldi     r21, 0x80
        std     Z+FACE_INCOMING, r21
        rjmp    live_face

got_sync:
        ldd     r21, Z+FACE_INCOMING
        cpi     r21, 0x80
        brne    start_packet
        ldd     r21, Z+FACE_LENGTH
        tst     r21
        breq    start_packet
        std     Z+FACE_INCOMING, r22
        ldi     r26, 1
        std     Z+FACE_READY, r26
        cpi     r21, 4
        breq    maybe_seed
        rjmp    live_face

start_packet:
        std     Z+FACE_INCOMING, r22
        ldd     r21, Z+FACE_READY
        ldd     r26, Z+FACE_SENDING
        or      r21, r26
        brne    live_face
        std     Z+FACE_LENGTH, r22
        rjmp    expect_byte

maybe_seed:
        ldd     r21, Z+FACE_PACKET
        cpi     r21, 0x0B
        brne    no_seed
        ldd     r26, Z+FACE_PACKET+1
        add     r21, r26
        ldd     r26, Z+FACE_PACKET+2
        add     r21, r26
        ldd     r26, Z+FACE_PACKET+3
        add     r21, r26
        cpi     r21, 0xD2
        brne    no_seed
        lds     r21, DOWNLOADING
        tst     r21
        brne    no_seed
        // Somebody offers a game: the sketch ends here. The flash may be busy if the sketch was writing to it.
        ldi     r21, 1
        sts     DOWNLOADING, r21
        clr     r1
        movw    r24, r30
        rcall   finish_flash
        jmp     download
no_seed:
        rjmp    live_face

all_faces:
        lsr     r23
        lsr     r23
        out     LO8(LIVE_FACES), r23
        pop     r24
        tst     r24
        breq    no_light
        ldi     r21, RECHARGE_DELAY
1:      dec     r21
        brne    1b
        mov     r22, r24
        com     r22
        cli                             // the transmitter drives these ports as well
        out     LO8(PINC), r24          // high,
        in      r21, LO8(DDRC)
        or      r21, r24
        out     LO8(DDRC), r21          // driven
        ldi     r23, 5
2:      dec     r23
        brne    2b
        and     r21, r22
        out     LO8(DDRC), r21          // for 2 us,
        out     LO8(PINC), r24          // floating
        sei
no_light:
        pop     r31
        pop     r30
        pop     r27
        pop     r26
        pop     r23
        pop     r22
        pop     r21
        ret

        .global capture_entropy
capture_entropy:
        push    r24
        in      r24, LO8(TCNT0)
        sts     PIXELS + PIXEL_ENTROPY, r24
        pop     r24
        reti

        .global wake
wake:   reti
