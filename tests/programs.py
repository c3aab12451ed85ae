"""Small programs for tests of tiles and tables: whole images that start at once, without a BIOS."""

from __future__ import annotations

from blinks_sim.image import FLASH_BYTES, Image

from .core.assembler import assemble

RESET = 0x3800  # where the shipped fuses start


def image(program: str, name: str = "program") -> Image:
    """Return an image that holds nothing but a program, at the reset vector."""
    code = assemble(program, RESET)
    flash = bytearray(b"\xff" * FLASH_BYTES)
    flash[RESET : RESET + len(code)] = code
    return Image(bytes(flash), name)


IDLE = image("here: rjmp here", "idle")

FAULTY = image("nop\n.word 0xffff", "faulty")

# Lights the red LED of face 0 without a pause: its anode is PB6, the cathode of all red LEDs PD6.
LAMP = image("sbi DDRB, 6\nsbi PORTB, 6\nsbi DDRD, 6\nhere: rjmp here", "lamp")

# Lights the infrared LEDs of all faces without a pause.
GLOW = image("ldi r16, 0x3f\nout DDRB, r16\nout DDRC, r16\nout PORTB, r16\nhere: rjmp here", "glow")

# Charges the infrared LEDs of all faces, lets them float for 7 us, adds up what is left, over and over.
SAMPLER = image(
    """
        ldi r16, 0x80
        sts CLKPR, r16
        ldi r16, 0
        sts CLKPR, r16
        ldi r16, 0x3f
        ldi r17, 0
        out DDRB, r16
    again:
        out PORTC, r16
        out DDRC, r16
        out DDRC, r17
        out PORTC, r17
        ldi r18, 18
    wait:
        dec r18
        brne wait
        in r22, PINC
        add r20, r22
        sts 0x0200, r20
        rjmp again
    """,
    "sampler",
)

# Sends "hi" on the service port over and over: 1 Mbaud at 8 MHz.
TALKER = image(
    """
        ldi r16, 0x80
        sts CLKPR, r16
        ldi r16, 0
        sts CLKPR, r16
        ldi r16, 1<<U2X0
        sts UCSR0A, r16
        ldi r16, 1<<TXEN0
        sts UCSR0B, r16
    again:
        ldi r17, 104
        rcall put
        ldi r17, 105
        rcall put
        rjmp again
    put:
        lds r16, UCSR0A
        sbrs r16, UDRE0
        rjmp put
        sts UDR0, r17
        ret
    """,
    "talker",
)

# Sends back what it receives on the service port.
ECHO = image(
    """
        ldi r16, 0x80
        sts CLKPR, r16
        ldi r16, 0
        sts CLKPR, r16
        ldi r16, 1<<U2X0
        sts UCSR0A, r16
        ldi r16, 1<<TXEN0 | 1<<RXEN0
        sts UCSR0B, r16
    again:
        lds r16, UCSR0A
        sbrs r16, RXC0
        rjmp again
        lds r17, UDR0
    full:
        lds r16, UCSR0A
        sbrs r16, UDRE0
        rjmp full
        sts UDR0, r17
        rjmp again
    """,
    "echo",
)

# Flashes light on all faces and samples what falls on them, over and over. The waits between follow from all
# that was seen so far, the button included, so the least difference in delivered light soon shows everywhere.
CHATTER = image(
    """
        ldi r16, 0x80
        sts CLKPR, r16
        ldi r16, 0
        sts CLKPR, r16
        lds r20, 0xF0
    again:
        ldi r16, 0x3f
        ldi r17, 0
        out DDRB, r16
        out DDRC, r16
        out PORTC, r17
        out PORTB, r16
        ldi r18, 53
    shine:
        dec r18
        brne shine
        out PORTB, r17
        out PORTC, r16
        ldi r18, 6
    charge:
        dec r18
        brne charge
        out DDRC, r17
        out PORTC, r17
        mov r18, r20
        andi r18, 0x1f
        inc r18
    wait:
        ldi r19, 50
    turn:
        dec r19
        brne turn
        dec r18
        brne wait
        in r22, PINC
        andi r22, 0x3f
        in r23, PIND
        andi r23, 0x80
        or r22, r23
        eor r20, r22
        ldi r23, 77
        mul r20, r23
        mov r20, r0
        add r20, r1
        inc r20
        lds r24, 0x0200
        eor r24, r22
        sts 0x0200, r24
        lds r24, 0x0201
        inc r24
        sts 0x0201, r24
        rjmp again
    """,
    "chatter",
)
