/* One tile: all state of an ATmega168PB and of the board around it, and what the files of the core share. */
#ifndef BLINKS_TILE_H
#define BLINKS_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api.h"

/* What follows is for the core's own files: calls between them need not go through the loader. */
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#endif

#define FLASH_WORDS (BC_FLASH_BYTES / 2)
#define RWW_WORDS 0x1C00u          /* words below belong to the read-while-write section */
#define RAM_START 0x0100u
#define RAM_END 0x04FFu
#define PAGE_BYTES 128u
#define NEVER UINT64_MAX

/* Register addresses in data space, by their datasheet names. */
enum {
    PINB = 0x23, DDRB, PORTB, PINC, DDRC, PORTC, PIND, DDRD, PORTD, PINE, DDRE, PORTE,
    TIFR0 = 0x35, TIFR1, TIFR2, PCIFR = 0x3B, EIFR, EIMSK, GPIOR0, EECR, EEDR, EEARL, EEARH, GTCCR,
    TCCR0A, TCCR0B, TCNT0, OCR0A, OCR0B, GPIOR1 = 0x4A, GPIOR2, ACSR = 0x50, SMCR = 0x53, MCUSR, MCUCR,
    SPMCSR = 0x57, SPL = 0x5D, SPH, SREG,
    WDTCSR = 0x60, CLKPR, PRR = 0x64, OSCCAL = 0x66, PCICR = 0x68, EICRA, PCMSK0 = 0x6B, PCMSK1, PCMSK2, TIMSK0, TIMSK1,
    TIMSK2, ADCL = 0x78, ADCH, ADCSRA, ADCSRB, ADMUX,
    TCCR1A = 0x80, TCCR1B, TCCR1C, TCNT1L = 0x84, TCNT1H, ICR1L, ICR1H, OCR1AL, OCR1AH, OCR1BL, OCR1BH,
    TCCR2A = 0xB0, TCCR2B, TCNT2, OCR2A, OCR2B, ASSR = 0xB6,
    UCSR0A = 0xC0, UCSR0B, UCSR0C, UBRR0L = 0xC4, UBRR0H, UDR0, SERIAL_NUMBER = 0xF0
};

/* Interrupt vector numbers. */
enum {
    V_INT0 = 1, V_INT1, V_PCINT0, V_PCINT1, V_PCINT2, V_WDT, V_TIMER2_COMPA, V_TIMER2_COMPB, V_TIMER2_OVF,
    V_TIMER1_CAPT, V_TIMER1_COMPA, V_TIMER1_COMPB, V_TIMER1_OVF, V_TIMER0_COMPA, V_TIMER0_COMPB, V_TIMER0_OVF,
    V_SPI, V_USART_RX, V_USART_UDRE, V_USART_TX, V_ADC, V_EE_READY, V_ANALOG_COMP, V_TWI, V_SPM_READY
};

/* A decoded instruction: the operation, two operands; 32-bit instructions keep their second word in b. */
typedef struct { uint8_t op, a; uint16_t b; } Code;

/* SREG while instructions run, kept as the values it is computed from: C is bit 8 of c, H bit 4 of h, V bit 7 of v,
 * N bit 7 of n, Z is z == 0; T and I apart. */

typedef struct {
    uint64_t at;                /* cycle up to which count and flags are current */
    uint64_t irq_at;            /* cycle of the next enabled interrupt flag, or NEVER */
    uint64_t latch_at;          /* cycle at which written OCR values come into force, NEVER: none wait */
    uint32_t position;          /* place within the period, in counts (dual slope: up, then down) */
    uint16_t top, ocr[2];       /* in force */
    uint16_t ocr_next[2];       /* as written; comes into force at the update point */
    uint8_t flags;              /* TIFRn bits: TOV 0, OCFA 1, OCFB 2, ICF 5 */
    uint8_t mode;               /* WGM bits */
    uint8_t divider_log2;       /* clock select, valid while running */
    bool running, dual_slope, buffered, stale;  /* stale: an OCR write waits for the update point */
    bool match_blocked;         /* TCNT was written: no compare match at the next count */
} Timer;

typedef struct { uint64_t at; uint32_t bit_osc; uint8_t data; } SerialByte;    /* when its stop bit ends, the sender's bit time */
#define SERIAL_IN 512u

typedef struct { uint32_t rel_ps2; uint8_t mask; } Edge;    /* when, in units of 2 ps from the quantum's start */
#define EDGES 1024u
#define SPILL 8u

typedef struct {
    uint8_t *data;
    size_t length, room;
} Bytes;

typedef struct {
    uint64_t cycles[FLASH_WORDS], runs[FLASH_WORDS];
    uint16_t lowest_sp;
    uint32_t mark;              /* word address, NO_MARK */
} Profile;
#define NO_MARK UINT32_MAX

struct bc_tile {
    /* ---- derived: can be made anew from the state ---- */
    uint8_t skip, standalone, parity, in_quantum;
    uint8_t may_park, park_ok;  /* may stand still in a poll beyond this quantum; beyond this slice */
    int32_t park_period;        /* cycles of the poll the tile stands still in, 0: it does not */
    uint64_t period_fs;         /* of one oscillator cycle */
    uint64_t exec_end;          /* cycle at which the running slice ends */
    int32_t exec_left;          /* cycles left of it, while a register access is under way */
    uint32_t volatile_reads;    /* reads whose answer depends on the very cycle */
    struct { const Edge *edge, *end; uint8_t face; uint8_t bit; } in[BC_FACES];
    uint8_t in_count;
    uint64_t edge_osc;          /* next incoming edge, NEVER if none in this quantum */
    Bytes serial_out;
    uint8_t watching;           /* BC_WATCH_... */
    uint64_t quantum_ps;        /* table time of the running quantum's start */
    bc_event *events; size_t event_count, event_room;
    Profile *profile;           /* while code is watched */
    uint64_t *pulse_osc; uint8_t *pulse_mask; size_t pulse_count, pulse_room;
    const Code *code;           /* decoded flash: own_code, or a copy shared by tiles with the same flash */
    uint32_t code_age;          /* how often the table has looked since the flash last changed */

    /* ---- state: saved, restored and hashed as it stands, from `mem` up to `own_code` ---- */
    _Alignas(8) uint8_t mem[RAM_END + 1];   /* data space: registers, I/O, SRAM */
    bc_config config;
    uint64_t random;            /* xorshift64* state of all chance in this tile */

    uint64_t cycle;             /* current CPU cycle (start of the instruction, plus the access time while a register is touched) */
    uint64_t clock_cycle, clock_osc;    /* a pair of equal instants; osc = clock_osc + (cycle - clock_cycle) << clock_shift */
    uint64_t irq_pending;       /* bit v: vector v wants service (flag and mask both set) */
    uint64_t next_cycle_event, next_osc_event;
    uint32_t pc;                /* word address */
    uint8_t clock_shift, i_flag, t_flag, sleeping;
    uint64_t irq_delay_at;      /* an interrupt waits one instruction when the CPU stands at this cycle (SEI, RETI) */
    uint8_t fault; uint16_t fault_word; uint32_t fault_pc;
    uint32_t resets;

    /* timed windows and self-programming */
    uint64_t clkpce_until, wdce_until, ivce_until, eempe_until, spmen_until;     /* last cycle of each, 0: closed */
    uint64_t spm_done_osc, eeprom_done_osc, wdt_due_osc;
    uint8_t rww_busy, spm_operation;
    uint64_t cpu_halted_osc;    /* CPU stands still until then (SPM on its own section) */

    Timer timer[3];
    uint64_t prescaler_at[2];   /* cycle at which the prescaler of timers 0/1, of timer 2 last started from zero */
    uint8_t temp, gtccr_hold;   /* TEMP of 16-bit registers; prescalers held by TSM: bit 0 T0/T1, bit 1 T2 */

    uint64_t adc_done_osc; uint16_t adc_value; uint8_t adc_locked, adc_warm;
    uint64_t tx_done; uint8_t tx_shift, tx_buffer, tx_busy, tx_waiting;
    uint8_t rx_fifo[2], rx_error[2], rx_count, rx_shift, rx_shift_error, rx_shift_full, rx_overrun;
    uint16_t serial_in_first, serial_in_count;
    uint64_t serial_in_free_osc;    /* when the line is free for the next byte */

    /* board */
    uint8_t pins[4];            /* last levels on ports B, C, D, E, for pin change interrupts */
    uint8_t button_down, ir_emitting, ir_charged, ir_lit, selected;
    uint64_t discharge_osc[BC_FACES];
    uint64_t light_cycle, light_osc;    /* light is summed up to here */
    uint64_t frame_start_osc, frame_osc;        /* the frame under way began then; how long the last complete one was */
    uint64_t light_sum[BC_FACES][3], frame[BC_FACES][3];    /* oscillator cycles lit: so far, in the last complete frame */
    uint8_t frame_anodes, last_anodes, frame_idle;      /* that were on in this frame; that went on last; nothing multiplexed of late */
    uint64_t pump_until_osc;    /* the blue charge pump holds until then */

    /* table: where this tile stands on the table's time */
    uint64_t quantum_osc;       /* oscillator count at the start of the quantum (ideal) */
    int64_t phase_fs;           /* time from that count's instant to the quantum's start; negative: still to come (power-on) */
    uint16_t out_count[2];
    int64_t spill_fs[SPILL];    /* edges beyond the quantum's end */
    uint8_t spill_mask[SPILL], spill_count;
    uint8_t emitting_before[2], last_edge_mask; /* what was lit at the start of each; after the last edge */

    /* large and seldom touched, so that what is touched all the time lies close together */
    Edge out[2][EDGES];         /* IR edges of this quantum and of the one before; [parity] */
    SerialByte serial_in[SERIAL_IN];
    uint8_t flash[BC_FLASH_BYTES];
    uint8_t eeprom[BC_EEPROM_BYTES];
    uint8_t page_buffer[PAGE_BYTES];

    _Alignas(8) Code own_code[FLASH_WORDS + 2]; /* decoded on first execution; op 0 = not yet */
};

static inline uint64_t osc_of(const bc_tile *t, uint64_t cycle)
{
    return t->clock_osc + ((cycle - t->clock_cycle) << t->clock_shift);
}

static inline uint64_t osc_now(const bc_tile *t) { return osc_of(t, t->cycle); }

/* First cycle at or after an oscillator time, were the clock to stay as it is. */
static inline uint64_t cycle_at(const bc_tile *t, uint64_t osc)
{
    if (osc <= t->clock_osc)
        return t->clock_cycle;
    return t->clock_cycle + ((osc - t->clock_osc + (1u << t->clock_shift) - 1) >> t->clock_shift);
}

/* avr.c: the CPU around the interpreter */
void avr_run(bc_tile *t, uint64_t until_osc);
void avr_step(bc_tile *t);
int avr_sleep_mode(const bc_tile *t);
void avr_fault(bc_tile *t, int kind, uint32_t pc, uint16_t word);
void avr_end_slice(bc_tile *t);                 /* let the running slice end after this instruction */
void avr_reset(bc_tile *t, int cause);
static inline void avr_irq(bc_tile *t, int vector, bool wanted)
{
    uint64_t bit = (uint64_t)1 << vector;
    if (wanted != ((t->irq_pending & bit) != 0)) {
        t->irq_pending ^= bit;
        avr_end_slice(t);
    }
}

/* decode.c, exec.c */
Code avr_decode(const uint8_t *flash, uint32_t pc);
void avr_exec(bc_tile *t, int32_t budget);
void avr_exec_profiled(bc_tile *t, int32_t budget);    /* the same, counting (exec_profiled.c) */
void avr_forget_code(bc_tile *t, bool rww_only, bool blocked);

/* atmega168pb.c: registers */
uint8_t io_read(bc_tile *t, uint16_t address);
void io_write_bit(bc_tile *t, uint16_t address, uint8_t mask, bool set);
void chip_watchdog_reset(bc_tile *t);
uint32_t chip_boot_start(const bc_tile *t);     /* word address */
void io_write(bc_tile *t, uint16_t address, uint8_t value);
bool io_read_is_plain(uint16_t address);
bool io_write_is_plain(uint16_t address);
void chip_reset(bc_tile *t);
void chip_sleep(bc_tile *t);                    /* SLEEP with SE set */
void chip_accept_irq(bc_tile *t, int vector);
void chip_cycle_events(bc_tile *t);
void chip_osc_events(bc_tile *t);
void chip_plan(bc_tile *t);                     /* work out next_cycle_event and next_osc_event */
void chip_pins_changed(bc_tile *t);
void chip_set_clock(bc_tile *t, uint8_t shift);
uint64_t chip_random(bc_tile *t);

/* timers.c */
void timer_reset(bc_tile *t);
void timer_write(bc_tile *t, uint16_t address, uint8_t value);
uint8_t timer_read(bc_tile *t, uint16_t address);
void timer_clear_flag(bc_tile *t, int n, uint8_t flag);
void timer_events(bc_tile *t);
static inline uint64_t timer_next_cycle(const bc_tile *t)
{
    uint64_t first = t->timer[0].irq_at < t->timer[1].irq_at ? t->timer[0].irq_at : t->timer[1].irq_at;
    return t->timer[2].irq_at < first ? t->timer[2].irq_at : first;
}
void timer_latch_until(bc_tile *t, uint64_t cycle);
uint64_t timer_cycles_above(const bc_tile *t, int n, int channel, uint64_t from, uint64_t to);

/* usart.c */
void usart_write(bc_tile *t, uint16_t address, uint8_t value);
uint8_t usart_read(bc_tile *t, uint16_t address);
void usart_reset(bc_tile *t);
void usart_cycle_event(bc_tile *t);
void usart_osc_event(bc_tile *t);
static inline uint64_t usart_next_osc(const bc_tile *t)
{
    return t->serial_in_count ? t->serial_in[t->serial_in_first].at : NEVER;
}

/* nvm.c: flash self-programming and EEPROM */
void nvm_reset(bc_tile *t);
void nvm_spm(bc_tile *t);
void nvm_write(bc_tile *t, uint16_t address, uint8_t value);
uint8_t nvm_lpm(bc_tile *t, uint16_t z);
uint8_t nvm_read(bc_tile *t, uint16_t address);
void nvm_osc_event(bc_tile *t);

/* blink.c: the board */
void board_reset(bc_tile *t);
void board_port_write(bc_tile *t, uint16_t address, uint8_t value);
uint8_t board_pin(bc_tile *t, int port);        /* levels on the pins: 0 B, 1 C, 2 D, 3 E */
void board_light_sync(bc_tile *t);             /* sum the light up to now; call before anything that changes it */
void board_light_until(bc_tile *t, uint64_t cycle);
void board_light_in(bc_tile *t, int face, bool on, uint64_t osc);
void board_osc_event(bc_tile *t, uint64_t now);
uint64_t board_next_osc(const bc_tile *t);      /* a face discharges only while it is lit */

/* sharing.c: one decoded flash for all tiles that hold the same, so that it stays in the host's caches */
typedef struct {
    Code code[FLASH_WORDS + 2];
    uint8_t flash[BC_FLASH_BYTES];
} SharedCode;
typedef struct { SharedCode *entries[16]; int count; } SharedCodes;
void codes_share(SharedCodes *codes, bc_tile *t);
void codes_free(SharedCodes *codes);

/* watch.c */
void watch_event(bc_tile *t, int kind, uint8_t where, uint8_t value);
void watch_at(bc_tile *t, uint64_t cycle, int kind, uint8_t where, uint8_t value);

/* table.c */
int64_t tile_fs_into_quantum(const bc_tile *t, uint64_t osc);
void tile_emit(bc_tile *t);                     /* IR LEDs changed now: put an edge into the outbox */
void tile_take_edges(bc_tile *t, uint64_t now); /* incoming edges due by now reach their faces */

#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility pop
#endif

#endif
