/* The busy program on libsimavr's atmega168p, timed inside: nothing but its own run loop between two looks at the clock. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

static void quiet(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr, (void)level, (void)format, (void)arguments;
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + now.tv_nsec / 1e9;
}

/* Runs a program from reset until it sleeps with interrupts off. Gives its whole data space (0x500 bytes) and its cycles;
 * returns the CPU time it took, or a negative number where it did not come to that end. */
double busy(const uint8_t *program, uint32_t length, uint8_t *data, uint64_t *cycles)
{
    avr_global_logger_set(quiet);
    avr_t *avr = avr_make_mcu_by_name("atmega168p");
    if (!avr)
        return -1;
    avr_init(avr);
    avr->frequency = 8000000;
    memset(avr->flash, 0xFF, avr->flashend + 1);
    memcpy(avr->flash, program, length);
    avr->codeend = avr->flashend;

    double start = cpu_s();
    while (avr->state != cpu_Done && avr->state != cpu_Crashed)
        avr_run(avr);
    double took = cpu_s() - start;

    memcpy(data, avr->data, 0x500);
    data[R_SREG] = 0;
    for (int bit = 0; bit < 8; bit++)
        data[R_SREG] |= (uint8_t)(avr->sreg[bit] << bit);
    *cycles = avr->cycle;
    if (avr->state == cpu_Crashed)
        took = -1;
    avr_terminate(avr);
    free(avr);
    return took;
}
