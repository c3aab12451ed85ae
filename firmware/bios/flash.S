// Writing program memory. Everything here lies in the boot section: the rest of the flash cannot be read while a
// page is erased or written.

#include <avr/io.h>
#include "layout.h"

#define LO8(r) _SFR_IO_ADDR(r)
#define PAGE_BYTES 128
#define IMAGE_PAGES 46

        .section .boot, "ax", @progbits

// Do one operation: r20 to SPMCSR, then SPM within four cycles. Z: byte address, r1:r0: word to fill. Waits for
// the flash before and leaves r1 = 0. Interrupts are held off for the pair of instructions only.
operate:
1:      in      r21, LO8(SPMCSR)
        sbrc    r21, SPMEN
        rjmp    1b
        in      r21, LO8(SREG)
        cli
        out     LO8(SPMCSR), r20
        spm
        out     LO8(SREG), r21
        clr     r1
        ret

// void write_flash_page(uint8_t page)
        .global write_flash_page
write_flash_page:
        ldi     r25, PAGE_BYTES
        mul     r24, r25
        movw    r30, r0
        ldi     r20, (1 << PGERS) | (1 << SPMEN)
        rcall   operate
        ldi     r20, (1 << PGWRT) | (1 << SPMEN)
        rcall   operate

// Wait until the flash is idle and make all of it readable. Called with any page address in Z.
        .global finish_flash
finish_flash:
        ldi     r20, (1 << RWWSRE) | (1 << SPMEN)
        rjmp    operate

// void fill_flash_word(uint16_t address, uint16_t word)
        .global fill_flash_word
fill_flash_word:
        movw    r30, r24
        movw    r0, r22
        ldi     r20, 1 << SPMEN
        rjmp    operate

// void copy_builtin(): copy the built-in image to the active area, page by page.
        .global copy_builtin
copy_builtin:
        push    r16
        push    r17
        ldi     r16, 0                  // page
1:      ldi     r17, PAGE_BYTES / 2
        ldi     r25, PAGE_BYTES
        mul     r16, r25
        movw    r26, r0                 // X: address in the active area
2:      movw    r30, r26
        subi    r31, hi8(-0x1700)       // the same place in the built-in image
        lpm     r0, Z+
        lpm     r1, Z+
        subi    r31, hi8(0x1700)
        sbiw    r30, 2
        ldi     r20, 1 << SPMEN
        rcall   operate
        adiw    r26, 2
        dec     r17
        brne    2b
        mov     r24, r16
        rcall   write_flash_page
        inc     r16
        cpi     r16, IMAGE_PAGES
        brne    1b
        pop     r17
        pop     r16
        ret
