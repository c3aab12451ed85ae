/* Flash self-programming (datasheet: Boot Loader Support) and EEPROM (datasheet: EEPROM Data Memory).
 * Flash operations take SPM_OSC, as the feasibility study assumed; EEPROM times are the datasheet's.
 * Not modelled: lock bits forbidding SPM or LPM; wear; an operation cut short by a reset leaves its result whole.
 */
#include <string.h>

#include "ops.h"
#include "tile.h"

#define SPM_OSC 32800u              /* 4.1 ms [M] */
#define EEPROM_WRITE_OSC 27200u     /* 3.4 ms erase and write */
#define EEPROM_HALF_OSC 14400u      /* 1.8 ms erase only or write only */

enum { SPMIE = 0x80, RWWSB = 0x40, SIGRD = 0x20, RWWSRE = 0x10, BLBSET = 0x08, PGWRT = 0x04, PGERS = 0x02, SPMEN = 0x01 };
enum { EERIE = 0x08, EEMPE = 0x04, EEPE = 0x02, EERE = 0x01 };

void avr_forget_code(bc_tile *t, bool rww_only, bool blocked)
{
    if (!rww_only || t->code != t->own_code)
        memset(t->own_code, OP_UNDECODED, sizeof t->own_code);
    memset(t->own_code, blocked ? OP_BLOCKED : OP_UNDECODED, RWW_WORDS * sizeof t->own_code[0]);
    t->code = t->own_code;
    t->code_age = 0;
    avr_end_slice(t);
}

static void irqs(bc_tile *t)
{
    avr_irq(t, V_SPM_READY, (t->mem[SPMCSR] & (SPMIE | SPMEN)) == SPMIE);
    avr_irq(t, V_EE_READY, (t->mem[EECR] & (EERIE | EEPE)) == EERIE);
}

/* The operation chosen in SPMCSR is forgotten when its window closes unused. */
static void close_window(bc_tile *t)
{
    if (t->spm_operation && t->spm_done_osc == NEVER && t->cycle > t->spmen_until) {
        t->spm_operation = 0;
        t->mem[SPMCSR] &= SPMIE | RWWSB;
        irqs(t);
    }
}

static void program_page(bc_tile *t, uint16_t z, bool erase)
{
    uint8_t *page = t->flash + (z & (BC_FLASH_BYTES - PAGE_BYTES));
    bool rww = (z & (BC_FLASH_BYTES - 1)) < 2 * RWW_WORDS;
    for (unsigned i = 0; i < PAGE_BYTES; i++)
        page[i] = erase ? 0xFF : page[i] & t->page_buffer[i];
    if (!erase)
        memset(t->page_buffer, 0xFF, PAGE_BYTES);
    t->spm_done_osc = osc_now(t) + SPM_OSC;
    if (rww) {
        t->rww_busy = 1;
        t->mem[SPMCSR] |= RWWSB;
        avr_forget_code(t, true, true);
    } else {
        t->cpu_halted_osc = t->spm_done_osc;
        avr_forget_code(t, false, t->rww_busy);
    }
    chip_plan(t);
}

void nvm_spm(bc_tile *t)
{
    uint16_t z = (uint16_t)(t->mem[30] | t->mem[31] << 8);
    close_window(t);
    if (!t->spm_operation || t->spm_done_osc != NEVER || t->pc < chip_boot_start(t))
        return;
    switch (t->spm_operation) {
    case SPMEN:
        t->page_buffer[z & (PAGE_BYTES - 2)] = t->mem[0];
        t->page_buffer[(z & (PAGE_BYTES - 2)) + 1] = t->mem[1];
        break;
    case SPMEN | PGERS: program_page(t, z, true); return;
    case SPMEN | PGWRT: program_page(t, z, false); return;
    case SPMEN | RWWSRE:
        t->rww_busy = 0;
        t->mem[SPMCSR] &= (uint8_t)~RWWSB;
        memset(t->page_buffer, 0xFF, PAGE_BYTES);
        avr_forget_code(t, true, false);
        break;
    default: break;
    }
    t->spm_operation = 0;
    t->mem[SPMCSR] &= SPMIE | RWWSB;
    irqs(t);
}

uint8_t nvm_lpm(bc_tile *t, uint16_t z)
{
    static const uint8_t signature[3] = {0x1E, 0x94, 0x15};
    uint8_t operation;
    close_window(t);
    operation = t->spm_done_osc == NEVER ? t->spm_operation : 0;
    if (operation == (SPMEN | BLBSET) || operation == (SPMEN | SIGRD)) {
        t->spm_operation = 0;
        t->mem[SPMCSR] &= SPMIE | RWWSB;
        if (operation & SIGRD)
            return z & 1 ? t->mem[OSCCAL] : (z >> 1 & 3) < 3 ? signature[z >> 1 & 3] : 0xFF;
        return (const uint8_t[]){t->config.fuse_low, 0xFF, t->config.fuse_extended, t->config.fuse_high}[z & 3];
    }
    z &= BC_FLASH_BYTES - 1;
    return t->rww_busy && z < 2 * RWW_WORDS ? 0xFF : t->flash[z];
}

static void write_spmcsr(bc_tile *t, uint8_t value)
{
    close_window(t);
    if (t->spm_done_osc != NEVER) {
        t->mem[SPMCSR] = (uint8_t)((t->mem[SPMCSR] & ~SPMIE) | (value & SPMIE));
        return;
    }
    t->mem[SPMCSR] = (uint8_t)((value & ~RWWSB) | (t->mem[SPMCSR] & RWWSB));
    t->spm_operation = value & SPMEN ? value & 0x3F : 0;
    t->spmen_until = t->cycle + 3;     /* SPM or LPM begins within four cycles, counted from this write's end */
}

static void write_eecr(bc_tile *t, uint8_t value)
{
    uint8_t busy = t->mem[EECR] & EEPE, mode = busy ? t->mem[EECR] & 0x30 : value & 0x30;
    uint16_t address = (uint16_t)((t->mem[EEARL] | t->mem[EEARH] << 8) & (BC_EEPROM_BYTES - 1));
    bool armed = t->eempe_until && t->cycle <= t->eempe_until;
    t->mem[EECR] = (uint8_t)(mode | (value & EERIE) | busy);
    if ((value & EEPE) && armed && !busy && mode != 0x30) {
        uint8_t *cell = &t->eeprom[address];
        *cell = mode == 0x00 ? t->mem[EEDR] : mode == 0x10 ? 0xFF : *cell & t->mem[EEDR];
        t->mem[EECR] |= EEPE;
        t->eempe_until = 0;
        t->eeprom_done_osc = osc_now(t) + (mode ? EEPROM_HALF_OSC : EEPROM_WRITE_OSC);
        t->exec_left -= 2;
        chip_plan(t);
    } else if (value & EEMPE) {
        t->eempe_until = t->cycle + 4;
    }
    if ((value & EERE) && !busy && !(t->mem[EECR] & EEPE)) {
        t->mem[EEDR] = t->eeprom[address];
        t->exec_left -= 4;
    }
}

void nvm_write(bc_tile *t, uint16_t address, uint8_t value)
{
    if (address == SPMCSR)
        write_spmcsr(t, value);
    else
        write_eecr(t, value);
    irqs(t);
}

/* SPMCSR and EECR hold bits that close by themselves four cycles after they were set. */
uint8_t nvm_read(bc_tile *t, uint16_t address)
{
    if (address == SPMCSR) {
        if (t->spm_operation && t->spm_done_osc == NEVER)
            t->volatile_reads++;
        close_window(t);
        return t->mem[SPMCSR];
    }
    if (t->eempe_until && t->cycle <= t->eempe_until) {
        t->volatile_reads++;
        return t->mem[EECR] | EEMPE;
    }
    return t->mem[EECR];
}

void nvm_osc_event(bc_tile *t)
{
    uint64_t now = osc_now(t);
    if (t->spm_done_osc <= now) {
        t->spm_done_osc = NEVER;
        t->spm_operation = 0;
        t->mem[SPMCSR] &= SPMIE | RWWSB;
    }
    if (t->eeprom_done_osc <= now) {
        t->eeprom_done_osc = NEVER;
        t->mem[EECR] &= (uint8_t)~EEPE;
    }
    irqs(t);
}

void nvm_reset(bc_tile *t)
{
    t->spm_done_osc = t->eeprom_done_osc = NEVER;
    t->spm_operation = t->rww_busy = 0;
    t->spmen_until = t->eempe_until = 0;
    t->cpu_halted_osc = 0;
    memset(t->page_buffer, 0xFF, PAGE_BYTES);
    avr_forget_code(t, false, false);
}
