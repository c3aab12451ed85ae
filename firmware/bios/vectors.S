// The vector table, which doubles as the jump table of the BIOS's entry points (interrupts of the part that the
// BIOS never enables). Four bytes each, from 0x3800 on.

        .section .vectors, "ax", @progbits
        .global vectors
vectors:
        jmp     boot                    // 0x3800 reset
        jmp     boot                    // 0x3804
        jmp     boot                    // 0x3808
        jmp     boot                    // 0x380C
        jmp     send_packet             // 0x3810
        jmp     wake                    // 0x3814 PCINT2
        jmp     capture_entropy         // 0x3818 WDT
        jmp     sample_half             // 0x381C TIMER2_COMPA
        jmp     display_pixel_buffer    // 0x3820
        jmp     bootloader_seed         // 0x3824
        jmp     postpone_sleep          // 0x3828
        jmp     transmit_pulse          // 0x382C TIMER1_COMPA
        jmp     sleep_now               // 0x3830
        jmp     write_flash_page        // 0x3834
        jmp     version                 // 0x3838
        jmp     abend                   // 0x383C
        jmp     sample_whole            // 0x3840 TIMER0_OVF
        .rept   9                       // 0x3844-0x3864: nothing enables these
        jmp     boot
        .endr
