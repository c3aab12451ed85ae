/* The whole public face of the core, in plain C declarations: the Python door reads this very file (lines that start with '#' left out).
 *
 * A tile is one ATmega168PB with its board. A table runs many tiles side by side and carries light between them.
 * Times inside a tile count its own 8 MHz oscillator ("osc"), whatever CLKPR divides it to; "cycles" are CPU cycles.
 * Times on the table count quanta of BC_QUANTUM_PS picoseconds. Nothing here reads a clock or an unseeded random number.
 */
#ifndef BLINKS_API_H
#define BLINKS_API_H
#include <stddef.h>
#include <stdint.h>
#define BC_FACES 6
#define BC_FLASH_BYTES 16384
#define BC_EEPROM_BYTES 512
#define BC_QUANTUM_PS 100000000
#define BC_FRAME_OSC 61440

typedef struct bc_tile bc_tile;
typedef struct bc_table bc_table;

typedef struct {
    uint64_t seed;          /* all chance of this tile: watchdog jitter, imperfections of its faces */
    int32_t skew_ppm;       /* how much faster than 8 MHz its oscillator runs, in millionths, -200000..200000 */
    uint16_t battery_mv;
    uint8_t serial[9];      /* data addresses 0xF0-0xF8 */
    uint8_t fuse_low, fuse_high, fuse_extended;
} bc_config;

enum { BC_FAULT_NONE, BC_FAULT_OPCODE, BC_FAULT_PC, BC_FAULT_STACK, BC_FAULT_RWW };
enum { BC_RESET_POWER_ON = 1, BC_RESET_EXTERNAL = 2, BC_RESET_WATCHDOG = 8 };   /* bits as in MCUSR */
enum { BC_SPACE_DATA, BC_SPACE_FLASH, BC_SPACE_EEPROM };
enum { BC_AWAKE, BC_IDLE, BC_ADC_QUIET, BC_POWER_DOWN };
enum { BC_WATCH_LIGHT = 1, BC_WATCH_PORTS = 2, BC_WATCH_CODE = 4 };

typedef struct {
    uint64_t cycles;        /* CPU cycles run since power-on (idle sleep counts, power-down does not) */
    uint64_t osc;           /* oscillator cycles since power-on */
    uint32_t pc;            /* byte address of the next instruction */
    uint16_t sp;
    uint8_t sreg;
    uint8_t sleep;          /* BC_AWAKE... */
    uint8_t fault;          /* BC_FAULT_...; a faulted tile stands still until reset */
    uint8_t ir_emitting;    /* bit f: the IR LED of face f is lit by this tile */
    uint8_t ir_charged;     /* bit f: the cathode of face f still holds its charge */
    uint8_t ir_lit;         /* bit f: light falls on face f */
    uint16_t fault_word;    /* opcode found, or the address the stack pointer held */
    uint32_t fault_pc;      /* byte address */
    uint32_t resets;        /* resets since the tile was made, power-on included */
} bc_status;

/* Something that was watched: BC_WATCH_LIGHT: value = mask of the tile's faces whose IR LED is lit from now on; BC_WATCH_PORTS: where = data
 * address of the PORTx or DDRx written, value = its new content; BC_WATCH_CODE: the instruction at the mark is about to run. */
typedef struct {
    uint64_t ps;            /* on the table's time (alone: the tile's own, as if its clock were exact) */
    uint8_t kind, where, value;
} bc_event;

/* One tile ------------------------------------------------------------------------------------------------------- */
bc_tile *bc_tile_new(const bc_config *config);      /* NULL: out of memory; flash all 0xFF; already reset (power on) */
void bc_tile_free(bc_tile *tile);
size_t bc_tile_bytes(void);                          /* memory one tile takes */
void bc_tile_reset(bc_tile *tile, int cause);
void bc_tile_run(bc_tile *tile, uint64_t until_osc); /* alone, without a table: to the first instruction boundary at or after it */
void bc_tile_step(bc_tile *tile);                    /* one instruction, one interrupt entry, or asleep: to the next event */
void bc_tile_set_skip(bc_tile *tile, int on);        /* skip spin loops (default on); results are the same bits either way */
void bc_tile_status(const bc_tile *tile, bc_status *out);
void bc_tile_set_pc(bc_tile *tile, uint32_t byte_address);
/* Copies bytes; data-space reads below 0x100 see registers without the side effects of reading them. Returns bytes done. */
size_t bc_tile_read(bc_tile *tile, int space, uint32_t address, uint8_t *out, size_t length);
size_t bc_tile_write(bc_tile *tile, int space, uint32_t address, const uint8_t *in, size_t length);
void bc_tile_button(bc_tile *tile, int down);
void bc_tile_set_battery(bc_tile *tile, uint16_t millivolts);
void bc_tile_light_in(bc_tile *tile, int face, int on);  /* alone: shine on a face by hand */
void bc_tile_light(const bc_tile *tile, float out[18]);  /* [face][r g b], linear, 1.0 = full level, last complete frame */
size_t bc_tile_serial_take(bc_tile *tile, uint8_t *out, size_t room);        /* bytes the tile sent, oldest first; removes them */
size_t bc_tile_serial_give(bc_tile *tile, const uint8_t *in, size_t length, uint32_t baud); /* queue bytes for RXD; returns accepted */
size_t bc_tile_pulses(bc_tile *tile, uint64_t *out_osc, uint8_t *out_mask, size_t room);  /* alone: edges of own IR light since last asked: time, mask of lit faces */

/* Watching never changes a result. Switch kinds on and off (a sum of BC_WATCH_...); what was watched is kept until it is taken. */
void bc_tile_watch(bc_tile *tile, int kinds);
size_t bc_tile_events(bc_tile *tile, bc_event *out, size_t room);    /* oldest first; removes them */
void bc_tile_mark(bc_tile *tile, uint32_t byte_address);             /* with BC_WATCH_CODE: an event whenever it is reached */
/* With BC_WATCH_CODE: cycles spent in and runs of the instruction at each word of flash (8,192 each), and the lowest SP seen; since it was
 * switched on. Returns 0 and leaves all alone when it is off. */
int bc_tile_profile(const bc_tile *tile, uint64_t *cycles, uint64_t *runs, uint16_t *lowest_sp);

size_t bc_tile_state_bytes(void);
void bc_tile_save(const bc_tile *tile, uint8_t *out);
void bc_tile_restore(bc_tile *tile, const uint8_t *in);
uint64_t bc_tile_digest(const bc_tile *tile);

/* Name of the instruction a program word decodes to (e.g. "ADD"), or NULL for an illegal one. */
const char *bc_decode_name(uint16_t word);
int bc_decode_words(uint16_t word);                  /* 1 or 2; 0 for an illegal word */
const char *bc_dispatch(void);                       /* "goto" or "switch" */

/* A table -------------------------------------------------------------------------------------------------------- */
bc_table *bc_table_new(void);
void bc_table_free(bc_table *table);                 /* frees its tiles too */
int bc_table_add(bc_table *table, bc_tile *tile);    /* takes the tile over; returns its slot (slots are reused), -1: no memory */
void bc_table_remove(bc_table *table, int slot);     /* frees the tile and its contacts */
/* All contacts at once: count rows of {slot, face, slot, face}; replaces what was there. */
void bc_table_contacts(bc_table *table, const int32_t *rows, int count);
void bc_table_threads(bc_table *table, int threads); /* 1 or more; never changes a result */
void bc_table_run(bc_table *table, uint64_t quanta);
uint64_t bc_table_quantum(const bc_table *table);    /* quanta run so far */
void bc_table_set_quantum(bc_table *table, uint64_t quantum); /* when a snapshot is restored */
#endif
