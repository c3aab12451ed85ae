// Once a millisecond: the button's state machine, and the inactivity time.

#include <avr/io.h>
#include "layout.h"

#define LO8(r) _SFR_IO_ADDR(r)

#define DEBOUNCE_MS 20
#define WINDOW_MS 330
#define LONG_MS 1200
#define HELD_3S_MS 3000
#define HELD_6S_MS 6000

#define PRESSED 1
#define LONG_PRESSED 2
#define RELEASED 4
#define SINGLE_CLICKED 8
#define HELD_3S 64
#define HELD_6S 128

        .section .boot, "ax", @progbits

// Called from the 128-us handler: r24, r25 and SREG are free.
        .global each_millisecond
each_millisecond:
        push    r26
        push    r27
        push    r30
        push    r31
        ldi     r26, 0
        out     LO8(MS_PENDING), r26
        ldi     r30, lo8(BUTTON)
        ldi     r31, hi8(BUTTON)
        ldd     r27, Z+BUTTON_EVENTS

        ldi     r24, 0                  // r24: the pin, 1 when pressed
        sbis    LO8(PIND), 7
        ldi     r24, 1
        ldd     r25, Z+BUTTON_DOWN
        ldd     r26, Z+BUTTON_DEBOUNCE
        cpse    r24, r25
        rjmp    differs
        tst     r26
        breq    settled
        dec     r26
        std     Z+BUTTON_DEBOUNCE, r26
        rjmp    settled
differs:
        ldi     r25, DEBOUNCE_MS
        std     Z+BUTTON_DEBOUNCE, r25
        tst     r26
        brne    settled
        std     Z+BUTTON_DOWN, r24
        rcall   postpone_sleep
        sbrs    r24, 0
        rjmp    released
        ori     r27, PRESSED
        ldi     r25, 0
        std     Z+BUTTON_HOLD, r25
        std     Z+BUTTON_HOLD+1, r25
        std     Z+BUTTON_LONG, r25
        ldd     r25, Z+BUTTON_CLICKS
        inc     r25
        std     Z+BUTTON_CLICKS, r25
        ldi     r24, lo8(WINDOW_MS + 1) // counted down from this very millisecond on
        ldi     r25, hi8(WINDOW_MS + 1)
        std     Z+BUTTON_WINDOW, r24
        std     Z+BUTTON_WINDOW+1, r25
        rjmp    settled
released:
        ori     r27, RELEASED

settled:
        ldd     r24, Z+BUTTON_WINDOW
        ldd     r25, Z+BUTTON_WINDOW+1
        sbiw    r24, 1
        brcs    window_done             // was 0: no window open
        std     Z+BUTTON_WINDOW, r24
        std     Z+BUTTON_WINDOW+1, r25
        brne    window_done
        ldd     r25, Z+BUTTON_CLICKS
        std     Z+BUTTON_CLICKS, r24    // r24 is 0
        ldd     r26, Z+BUTTON_DOWN
        tst     r26
        brne    window_done
        ldi     r24, SINGLE_CLICKED
        cpi     r25, 2
        brlo    clicked
        lsl     r24                     // double
        cpi     r25, 3
        brlo    clicked
        lsl     r24                     // multi
        std     Z+BUTTON_COUNT, r25
clicked:
        or      r27, r24
window_done:

        ldd     r24, Z+BUTTON_DOWN
        tst     r24
        breq    hold_done
        ldd     r24, Z+BUTTON_HOLD
        ldd     r25, Z+BUTTON_HOLD+1
        adiw    r24, 1
        cpi     r24, lo8(HELD_6S_MS + 1)
        ldi     r26, hi8(HELD_6S_MS + 1)
        cpc     r25, r26
        brlo    below_6s
        ori     r27, HELD_6S
        ldi     r24, 0
        ldi     r25, 0
        rjmp    store_hold
below_6s:
        cpi     r24, lo8(HELD_3S_MS + 1)
        ldi     r26, hi8(HELD_3S_MS + 1)
        cpc     r25, r26
        brlo    below_3s
        ori     r27, HELD_3S
below_3s:
        cpi     r24, lo8(LONG_MS + 1)
        ldi     r26, hi8(LONG_MS + 1)
        cpc     r25, r26
        brlo    store_hold
        ldd     r26, Z+BUTTON_LONG
        tst     r26
        brne    store_hold
        ldi     r26, 1
        std     Z+BUTTON_LONG, r26
        ori     r27, LONG_PRESSED
store_hold:
        std     Z+BUTTON_HOLD, r24
        std     Z+BUTTON_HOLD+1, r25
hold_done:
        std     Z+BUTTON_EVENTS, r27

        // millis > sleep_time?
        ldi     r30, lo8(TIME)
        ldi     r31, hi8(TIME)
        ldd     r24, Z+TIME_SLEEP
        ld      r25, Z
        cp      r24, r25
        ldd     r24, Z+TIME_SLEEP+1
        ldd     r25, Z+1
        cpc     r24, r25
        ldd     r24, Z+TIME_SLEEP+2
        ldd     r25, Z+2
        cpc     r24, r25
        ldd     r24, Z+TIME_SLEEP+3
        ldd     r25, Z+3
        cpc     r24, r25
        pop     r31
        pop     r30
        pop     r27
        pop     r26
        brcc    1f
        jmp     sleep_in_handler
1:      ret

// Set the time of sleep 11 minutes ahead. Changes no register, which the handler above relies on; sets I.
        .global postpone_sleep
postpone_sleep:
        push    r24
        push    r30
        push    r31
        ldi     r30, lo8(TIME)
        ldi     r31, hi8(TIME)
        cli
        ld      r24, Z
        subi    r24, lo8(-660000)
        std     Z+TIME_SLEEP, r24
        ldd     r24, Z+1
        sbci    r24, hi8(-660000)
        std     Z+TIME_SLEEP+1, r24
        ldd     r24, Z+2
        sbci    r24, hlo8(-660000)
        std     Z+TIME_SLEEP+2, r24
        ldd     r24, Z+3
        sbci    r24, hhi8(-660000)
        std     Z+TIME_SLEEP+3, r24
        pop     r31
        pop     r30
        pop     r24
        sei
        ret
