/* Making, inspecting, saving, restoring and hashing a tile. */
#include <stdlib.h>
#include <string.h>

#include "tile.h"

#define PERIOD_FS 125000000     /* of the nominal 8 MHz oscillator */
#define STATE_AT offsetof(bc_tile, mem)
#define STATE_BYTES (offsetof(bc_tile, own_code) - STATE_AT)

_Static_assert(STATE_BYTES % 8 == 0, "the digest takes the state in words of eight bytes");

/* Make anew what is not part of the state. */
static void derive(bc_tile *t)
{
    t->period_fs = (uint64_t)((int64_t)PERIOD_FS * 1000000 / (1000000 + t->config.skew_ppm));
    t->exec_left = t->park_period = 0;
    t->in_count = 0;
    t->edge_osc = NEVER;
    avr_forget_code(t, false, t->rww_busy);
}

bc_tile *bc_tile_new(const bc_config *config)
{
    bc_tile *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->config.seed = config->seed;
    t->config.skew_ppm = config->skew_ppm;
    t->config.battery_mv = config->battery_mv;
    memcpy(t->config.serial, config->serial, sizeof t->config.serial);
    t->config.fuse_low = config->fuse_low;
    t->config.fuse_high = config->fuse_high;
    t->config.fuse_extended = config->fuse_extended;
    t->random = config->seed * 2 + 1;   /* never zero */
    for (int i = 0; i < 8; i++)
        chip_random(t);
    memset(t->flash, 0xFF, sizeof t->flash);
    memset(t->eeprom, 0xFF, sizeof t->eeprom);
    for (int face = 0; face < BC_FACES; face++)
        t->discharge_osc[face] = NEVER;
    t->frame_osc = BC_FRAME_OSC;
    t->skip = t->standalone = 1;
    derive(t);
    avr_reset(t, BC_RESET_POWER_ON);
    return t;
}

void bc_tile_free(bc_tile *t)
{
    if (!t)
        return;
    free(t->serial_out.data);
    free(t->pulse_osc);
    free(t->pulse_mask);
    free(t->events);
    free(t->profile);
    free(t);
}

size_t bc_tile_bytes(void) { return sizeof(bc_tile); }
void bc_tile_reset(bc_tile *t, int cause) { avr_reset(t, cause); }
void bc_tile_run(bc_tile *t, uint64_t until_osc) { avr_run(t, until_osc); }
void bc_tile_step(bc_tile *t) { avr_step(t); }
void bc_tile_set_skip(bc_tile *t, int on) { t->skip = on != 0; }
void bc_tile_set_pc(bc_tile *t, uint32_t byte_address) { t->pc = byte_address / 2; }

void bc_tile_status(const bc_tile *t, bc_status *out)
{
    memset(out, 0, sizeof *out);
    out->cycles = t->cycle;
    out->osc = osc_now(t);
    out->pc = 2 * t->pc;
    out->sp = (uint16_t)(t->mem[SPL] | t->mem[SPH] << 8);
    out->sreg = t->mem[SREG];
    out->sleep = (uint8_t)avr_sleep_mode(t);
    out->fault = t->fault;
    out->ir_emitting = t->ir_emitting;
    out->ir_charged = t->ir_charged;
    out->ir_lit = t->ir_lit;
    out->fault_word = t->fault_word;
    out->fault_pc = t->fault_pc;
    out->resets = t->resets;
}

/* Registers as they would read, asked of a copy, for reading may change them. */
static bool peek_registers(const bc_tile *t, uint32_t address, uint8_t *out, size_t length)
{
    bc_tile *copy = malloc(sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, t, sizeof *copy);
    for (size_t i = 0; i < length && address + i < RAM_START; i++)
        out[i] = io_read(copy, (uint16_t)(address + i));
    free(copy);
    return true;
}

static uint8_t *space_of(bc_tile *t, int space, size_t *bytes)
{
    switch (space) {
    case BC_SPACE_DATA: *bytes = sizeof t->mem; return t->mem;
    case BC_SPACE_FLASH: *bytes = sizeof t->flash; return t->flash;
    case BC_SPACE_EEPROM: *bytes = sizeof t->eeprom; return t->eeprom;
    default: *bytes = 0; return NULL;
    }
}

size_t bc_tile_read(bc_tile *t, int space, uint32_t address, uint8_t *out, size_t length)
{
    size_t bytes;
    const uint8_t *from = space_of(t, space, &bytes);
    if (!from || address >= bytes)
        return 0;
    if (length > bytes - address)
        length = bytes - address;
    memcpy(out, from + address, length);
    if (space == BC_SPACE_DATA && address < RAM_START && address + length > 0x20 && !peek_registers(t, address, out, length))
        return 0;
    return length;
}

size_t bc_tile_write(bc_tile *t, int space, uint32_t address, const uint8_t *in, size_t length)
{
    size_t bytes;
    uint8_t *to = space_of(t, space, &bytes);
    if (!to || address >= bytes)
        return 0;
    if (length > bytes - address)
        length = bytes - address;
    for (size_t i = 0; i < length; i++)
        if (space == BC_SPACE_DATA && address + i >= 0x20 && address + i < RAM_START && address + i != SREG)
            io_write(t, (uint16_t)(address + i), in[i]);
        else
            to[address + i] = in[i];
    t->i_flag = t->mem[SREG] >> 7;
    t->t_flag = t->mem[SREG] >> 6 & 1;
    if (space == BC_SPACE_FLASH)
        avr_forget_code(t, false, t->rww_busy);
    return length;
}

size_t bc_tile_state_bytes(void) { return STATE_BYTES; }
void bc_tile_save(const bc_tile *t, uint8_t *out) { memcpy(out, (const uint8_t *)t + STATE_AT, STATE_BYTES); }

void bc_tile_restore(bc_tile *t, const uint8_t *in)
{
    memcpy((uint8_t *)t + STATE_AT, in, STATE_BYTES);
    derive(t);
}

uint64_t bc_tile_digest(const bc_tile *t)
{
    uint64_t hash = 0x9E3779B97F4A7C15u, word;
    for (size_t i = 0; i < STATE_BYTES; i += 8) {
        memcpy(&word, (const uint8_t *)t + STATE_AT + i, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}
