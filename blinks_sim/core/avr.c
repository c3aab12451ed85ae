/* The CPU around the interpreter: interrupts, sleep, reset, faults, and the one loop that moves a tile's time on. */
#include <stdlib.h>
#include <string.h>

#include "tile.h"

#define WAKE_CYCLES 6u          /* from power-down, internal RC oscillator */
#define LONGEST_SLICE (1u << 24)

enum { SE = 1 };

void avr_end_slice(bc_tile *t)
{
    t->exec_end -= (uint64_t)(int64_t)t->exec_left;
    t->exec_left = 0;
}

void avr_fault(bc_tile *t, int kind, uint32_t pc, uint16_t word)
{
    t->fault = (uint8_t)kind;
    t->fault_pc = 2 * pc;
    t->fault_word = word;
}

void avr_reset(bc_tile *t, int cause)
{
    board_light_sync(t);
    if (cause == BC_RESET_POWER_ON)     /* registers and SRAM come up with whatever they like */
        for (unsigned i = 0; i <= RAM_END; i++)
            if (i < 0x20 || i >= RAM_START)
                t->mem[i] = (uint8_t)(chip_random(t) >> 32);
    t->mem[MCUSR] = (uint8_t)(cause == BC_RESET_POWER_ON ? cause : t->mem[MCUSR] | cause);
    chip_reset(t);
    t->mem[SREG] = t->i_flag = t->t_flag = 0;
    t->pc = t->config.fuse_extended & 1 ? 0 : chip_boot_start(t);
    t->sleeping = t->fault = 0;
    t->irq_delay_at = NEVER;
    t->resets++;
    board_reset(t);
    chip_plan(t);
    avr_end_slice(t);
}

int avr_sleep_mode(const bc_tile *t)
{
    if (!t->sleeping)
        return BC_AWAKE;
    switch (t->mem[SMCR] >> 1 & 7) {
    case 0: return BC_IDLE;
    case 1: return BC_ADC_QUIET;
    default: return BC_POWER_DOWN;
    }
}

/* Enter the interrupt of highest priority (lowest number). */
static void take_interrupt(bc_tile *t)
{
    int vector = 0;
    uint16_t sp = (uint16_t)(t->mem[SPL] | t->mem[SPH] << 8);
    while (!(t->irq_pending >> vector & 1))
        vector++;
    if (sp < RAM_START + 1 || sp > RAM_END) {
        avr_fault(t, BC_FAULT_STACK, t->pc, sp);
        return;
    }
    if (t->sleeping)
        t->cycle += 4 + (avr_sleep_mode(t) == BC_POWER_DOWN ? WAKE_CYCLES : 0);
    t->sleeping = 0;
    t->mem[sp] = (uint8_t)t->pc;
    t->mem[sp - 1] = (uint8_t)(t->pc >> 8);
    sp = (uint16_t)(sp - 2);
    t->mem[SPL] = (uint8_t)sp;
    t->mem[SPH] = (uint8_t)(sp >> 8);
    t->i_flag = 0;
    t->mem[SREG] &= 0x7F;
    t->pc = (t->mem[MCUCR] & 2 ? chip_boot_start(t) : 0) + 2u * (uint32_t)vector;
    chip_accept_irq(t, vector);
    t->cycle += 4;
}

/* Let time pass without instructions, to the next event or the goal: with the I/O clock running (idle, CPU halted) or standing (power-down). */
static void wait(bc_tile *t, uint64_t until_osc, bool clock_runs)
{
    uint64_t osc = until_osc < t->next_osc_event ? until_osc : t->next_osc_event;
    if (clock_runs) {
        uint64_t cycle = cycle_at(t, osc);
        t->cycle = cycle < t->next_cycle_event ? cycle : t->next_cycle_event;
    } else if (osc > osc_now(t)) {
        t->clock_osc = osc;
        t->clock_cycle = t->cycle;
    }
}

/* One turn: due events, then an interrupt, a wait, or a slice of at most `budget` cycles. */
static void turn(bc_tile *t, uint64_t until_osc, uint32_t budget)
{
    uint64_t limit, cycles;
    if (t->next_cycle_event <= t->cycle)
        chip_cycle_events(t);
    if (t->next_osc_event <= osc_now(t))
        chip_osc_events(t);
    if (t->fault) {
        wait(t, until_osc, false);
        return;
    }
    if (osc_now(t) < t->cpu_halted_osc) {
        wait(t, until_osc < t->cpu_halted_osc ? until_osc : t->cpu_halted_osc, true);
        return;
    }
    if (t->irq_pending && t->i_flag) {
        if (t->cycle != t->irq_delay_at && t->cycle >= t->ivce_until) {
            take_interrupt(t);
            return;
        }
        budget = 1;
    }
    if (t->sleeping) {
        wait(t, until_osc, avr_sleep_mode(t) == BC_IDLE);
        return;
    }
    limit = cycle_at(t, until_osc < t->next_osc_event ? until_osc : t->next_osc_event);
    if (t->next_cycle_event < limit)
        limit = t->next_cycle_event;
    cycles = limit > t->cycle ? limit - t->cycle : 1;
    t->park_ok = t->may_park && !t->profile && budget == LONGEST_SLICE && until_osc <= t->next_osc_event && cycle_at(t, until_osc) == limit;
    cycles = cycles < budget ? cycles : budget;
    if (t->profile)
        avr_exec_profiled(t, (int32_t)cycles);
    else
        avr_exec(t, (int32_t)cycles);
}

/* Something is due, or the goal must be reached to the cycle: make the turns of the poll that fit, so that the last is run for real. Returns whether
 * the tile may stand on instead. */
static bool stays_parked(bc_tile *t, uint64_t until_osc)
{
    uint64_t limit = cycle_at(t, until_osc < t->next_osc_event ? until_osc : t->next_osc_event);
    if (t->next_cycle_event < limit)
        limit = t->next_cycle_event;
    if (t->may_park && limit == cycle_at(t, until_osc))
        return true;
    if (limit > t->cycle)
        t->cycle += (limit - t->cycle - 1) / (uint64_t)t->park_period * (uint64_t)t->park_period;
    t->park_period = 0;
    return false;
}

void avr_run(bc_tile *t, uint64_t until_osc)
{
    while (osc_now(t) < until_osc) {
        if (t->park_period && stays_parked(t, until_osc))
            return;
        turn(t, until_osc, LONGEST_SLICE);
        if (t->park_period)
            return;
    }
}

void avr_step(bc_tile *t)
{
    uint64_t cycle = t->cycle, osc = osc_now(t);
    do
        turn(t, t->next_osc_event, 1);
    while (t->cycle == cycle && osc_now(t) == osc);
}
