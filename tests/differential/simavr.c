/* A thin door to libsimavr's atmega168p, for lock-step comparison and for the benchmark. Built when it is needed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_io.h>
#include <simavr/sim_irq.h>

typedef struct {
    uint8_t registers[32];
    uint8_t sreg;
    uint16_t sp;
    uint32_t pc;        /* byte address */
    uint64_t cycle;
} state;

static void quiet(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr, (void)level, (void)format, (void)arguments;
}

avr_t *simavr_new(void)
{
    avr_global_logger_set(quiet);
    avr_t *avr = avr_make_mcu_by_name("atmega168p");
    if (!avr)
        return NULL;
    avr_init(avr);
    avr->frequency = 8000000;
    memset(avr->flash, 0xFF, avr->flashend + 1);
    uint32_t flags = 0;     /* do not echo what the program prints */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    return avr;
}

void simavr_free(avr_t *avr)
{
    avr_terminate(avr);
    free(avr);
}

void simavr_flash(avr_t *avr, uint32_t at, const uint8_t *bytes, uint32_t length)
{
    memcpy(avr->flash + at, bytes, length);
    avr->codeend = avr->flashend;
}

void simavr_get(avr_t *avr, state *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->registers, avr->data, 32);
    for (int bit = 0; bit < 8; bit++)
        out->sreg |= (uint8_t)(avr->sreg[bit] << bit);
    out->sp = (uint16_t)(avr->data[R_SPL] | avr->data[R_SPH] << 8);
    out->pc = avr->pc;
    out->cycle = avr->cycle;
}

void simavr_set(avr_t *avr, const state *in)
{
    memcpy(avr->data, in->registers, 32);
    for (int bit = 0; bit < 8; bit++)
        avr->sreg[bit] = in->sreg >> bit & 1;
    avr->data[R_SPL] = (uint8_t)in->sp;
    avr->data[R_SPH] = (uint8_t)(in->sp >> 8);
    avr->pc = in->pc;
}

void simavr_read(avr_t *avr, uint16_t at, uint8_t *out, uint16_t length)
{
    memcpy(out, avr->data + at, length);
}

void simavr_write(avr_t *avr, uint16_t at, const uint8_t *in, uint16_t length)
{
    memcpy(avr->data + at, in, length);
}

void simavr_step(avr_t *avr)
{
    avr_run(avr);
}

/* Runs to the first instruction boundary at or after a cycle. */
void simavr_run(avr_t *avr, uint64_t until)
{
    while (avr->cycle < until && avr->state != cpu_Done && avr->state != cpu_Crashed)
        avr_run(avr);
}

/* What the program sends through USART0. */
typedef struct {
    uint32_t count;
    uint8_t bytes[4096];
} output;

static void sent(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    output *out = parameter;
    (void)irq;
    if (out->count < sizeof out->bytes)
        out->bytes[out->count++] = (uint8_t)value;
}

void simavr_listen(avr_t *avr, output *out)
{
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), sent, out);
}
