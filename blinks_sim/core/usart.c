/* USART0 (datasheet: USART0, asynchronous mode): transmitter with buffer and shift register, receiver with a FIFO of two bytes behind
 * its shift register. The line to the outside is the service port.
 * Not modelled: synchronous and SPI modes, parity checking, multi-processor mode, nine-bit data (the ninth bit is dropped).
 */
#include <stdlib.h>
#include <string.h>

#include "tile.h"

enum { RXC = 0x80, TXC = 0x40, UDRE = 0x20, FE = 0x10, DOR = 0x08, U2X = 0x02 };
enum { RXCIE = 0x80, TXCIE = 0x40, UDRIE = 0x20, RXEN = 0x10, TXEN = 0x08 };

static uint64_t bit_cycles(const bc_tile *t)
{
    uint32_t ubrr = (uint32_t)(t->mem[UBRR0L] | (t->mem[UBRR0H] & 15) << 8);
    return (t->mem[UCSR0A] & U2X ? 8u : 16u) * (uint64_t)(ubrr + 1);
}

static uint64_t frame_bits(const bc_tile *t)
{
    uint8_t format = t->mem[UCSR0C];
    uint64_t data = 5u + (format >> 1 & 3) + (t->mem[UCSR0B] & 4 ? 1 : 0);
    return 1 + data + (format & 0x20 ? 1 : 0) + (format & 8 ? 2 : 1);
}

static void irqs(bc_tile *t)
{
    uint8_t a = t->mem[UCSR0A], b = t->mem[UCSR0B];
    avr_irq(t, V_USART_RX, (a & RXC) && (b & RXCIE));
    avr_irq(t, V_USART_UDRE, (a & UDRE) && (b & UDRIE));
    avr_irq(t, V_USART_TX, (a & TXC) && (b & TXCIE));
}

static void show_received(bc_tile *t)
{
    uint8_t a = t->mem[UCSR0A] & (uint8_t)~(RXC | FE | DOR);
    if (t->rx_count)
        a |= RXC | t->rx_error[0];
    if (t->rx_overrun)
        a |= DOR;
    t->mem[UCSR0A] = a;
}

static void send_out(bc_tile *t, uint8_t byte)
{
    Bytes *out = &t->serial_out;
    if (out->length == out->room) {
        size_t room = out->room ? 2 * out->room : 256;
        uint8_t *data = realloc(out->data, room);
        if (!data)
            return;
        out->data = data;
        out->room = room;
    }
    out->data[out->length++] = byte;
}

void usart_cycle_event(bc_tile *t)
{
    while (t->tx_busy && t->tx_done <= t->cycle) {
        send_out(t, t->tx_shift);
        t->tx_busy = t->tx_waiting;
        if (t->tx_waiting) {
            t->tx_shift = t->tx_buffer;
            t->tx_waiting = 0;
            t->tx_done += frame_bits(t) * bit_cycles(t);
            t->mem[UCSR0A] |= UDRE;
        } else {
            t->tx_done = NEVER;
            t->mem[UCSR0A] |= TXC;
        }
        irqs(t);
    }
}

static void receive(bc_tile *t, uint8_t data, uint8_t error)
{
    if (!(t->mem[UCSR0B] & RXEN))
        return;
    if (t->rx_count < 2) {
        t->rx_fifo[t->rx_count] = data;
        t->rx_error[t->rx_count++] = error;
    } else if (!t->rx_shift_full) {
        t->rx_shift = data;
        t->rx_shift_error = error;
        t->rx_shift_full = 1;
    } else {
        t->rx_overrun = 1;
    }
    show_received(t);
    irqs(t);
}

void usart_osc_event(bc_tile *t)
{
    uint64_t now = osc_now(t);
    while (t->serial_in_count && t->serial_in[t->serial_in_first].at <= now) {
        const SerialByte *byte = &t->serial_in[t->serial_in_first];
        uint64_t theirs = byte->bit_osc, ours = bit_cycles(t) << t->clock_shift;
        bool mangled = ours * 100 < theirs * 96 || ours * 100 > theirs * 104;
        uint8_t data = byte->data;
        t->serial_in_first = (uint16_t)((t->serial_in_first + 1) % SERIAL_IN);
        t->serial_in_count--;
        receive(t, mangled ? 0 : data, mangled ? FE : 0);
    }
}

size_t bc_tile_serial_give(bc_tile *t, const uint8_t *in, size_t length, uint32_t baud)
{
    uint64_t bit = 8000000u / (baud ? baud : 1), at = osc_now(t);
    size_t done = 0;
    if (bit == 0)
        bit = 1;
    if (t->serial_in_free_osc > at)
        at = t->serial_in_free_osc;
    for (; done < length && t->serial_in_count < SERIAL_IN; done++) {
        at += 10 * bit;
        SerialByte *slot = &t->serial_in[(t->serial_in_first + t->serial_in_count++) % SERIAL_IN];
        slot->at = at;
        slot->bit_osc = (uint32_t)bit;
        slot->data = in[done];
    }
    t->serial_in_free_osc = at;
    chip_plan(t);
    return done;
}

size_t bc_tile_serial_take(bc_tile *t, uint8_t *out, size_t room)
{
    Bytes *sent = &t->serial_out;
    size_t n = sent->length < room ? sent->length : room;
    if (n) {
        memcpy(out, sent->data, n);
        memmove(sent->data, sent->data + n, sent->length - n);
        sent->length -= n;
    }
    return n;
}

void usart_write(bc_tile *t, uint16_t address, uint8_t value)
{
    uint8_t a = t->mem[UCSR0A];
    switch (address) {
    case UCSR0A:
        t->mem[UCSR0A] = (uint8_t)((a & ~(U2X | 1)) | (value & (U2X | 1)));
        if (value & TXC)
            t->mem[UCSR0A] &= (uint8_t)~TXC;
        break;
    case UCSR0B:
        t->mem[UCSR0B] = value;
        if (!(value & RXEN)) {
            t->rx_count = t->rx_shift_full = t->rx_overrun = 0;
            show_received(t);
        }
        break;
    case UDR0:
        if (!(t->mem[UCSR0B] & TXEN) || !(a & UDRE))
            return;
        if (t->tx_busy) {
            t->tx_buffer = value;
            t->tx_waiting = 1;
            t->mem[UCSR0A] &= (uint8_t)~UDRE;
        } else {
            t->tx_shift = value;
            t->tx_busy = 1;
            t->tx_done = t->cycle + frame_bits(t) * bit_cycles(t);
        }
        break;
    default:
        t->mem[address] = value;
    }
    irqs(t);
    chip_plan(t);
}

/* UDR0: takes the oldest byte; the one that waited in the shift register moves up. */
uint8_t usart_read(bc_tile *t, uint16_t address)
{
    uint8_t data = t->rx_fifo[0];
    (void)address;
    t->volatile_reads++;
    if (!t->rx_count)
        return 0;
    t->rx_overrun = 0;
    t->rx_fifo[0] = t->rx_fifo[1];
    t->rx_error[0] = t->rx_error[1];
    t->rx_count--;
    if (t->rx_shift_full) {
        t->rx_fifo[t->rx_count] = t->rx_shift;
        t->rx_error[t->rx_count++] = t->rx_shift_error;
        t->rx_shift_full = 0;
    }
    show_received(t);
    irqs(t);
    return data;
}

void usart_reset(bc_tile *t)
{
    t->mem[UCSR0A] = UDRE;
    t->mem[UCSR0C] = 6;
    t->tx_busy = t->tx_waiting = 0;
    t->tx_done = NEVER;
    t->rx_count = t->rx_shift_full = t->rx_overrun = 0;
}
