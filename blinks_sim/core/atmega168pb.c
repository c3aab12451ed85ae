/* The ATmega168PB's registers in one table, and the small peripherals: GPIO, external and pin change interrupts, watchdog, clock prescaler, ADC,
 * MCUCR. Timers, USART0, and flash and EEPROM have files of their own.
 * Not modelled: SPI, TWI and the analog comparator (their registers just store), the effect of PRR, input synchronisers, ADC channels
 * other than the band gap, ground, the temperature sensor (fixed) and digital levels on ADC0-5.
 */
#include "tile.h"

enum kind { PLAIN, FIXED, PIN, PORT, EXTERNAL, TIMER, NVM, USART, ADC_R, WATCHDOG, CLOCK, CONTROL };
enum { READ = 0x40, WRITE = 0x80, KIND = 0x3F };

/* What touching a register does besides storing a byte. Registers not named are plain storage. */
static const uint8_t registers[256] = {
    [PINB] = PIN | READ | WRITE, [PINC] = PIN | READ | WRITE, [PIND] = PIN | READ | WRITE, [PINE] = PIN | READ | WRITE,
    [DDRB] = PORT | WRITE, [PORTB] = PORT | WRITE, [DDRC] = PORT | WRITE, [PORTC] = PORT | WRITE,
    [DDRD] = PORT | WRITE, [PORTD] = PORT | WRITE, [DDRE] = PORT | WRITE, [PORTE] = PORT | WRITE,
    [TIFR0] = TIMER | READ | WRITE, [TIFR1] = TIMER | READ | WRITE, [TIFR2] = TIMER | READ | WRITE, [GTCCR] = TIMER | WRITE,
    [TCCR0A] = TIMER | WRITE, [TCCR0B] = TIMER | WRITE, [TCNT0] = TIMER | READ | WRITE, [OCR0A] = TIMER | WRITE, [OCR0B] = TIMER | WRITE,
    [TCCR1A] = TIMER | WRITE, [TCCR1B] = TIMER | WRITE, [TCNT1L] = TIMER | READ | WRITE, [TCNT1H] = TIMER | READ | WRITE,
    [ICR1L] = TIMER | READ | WRITE, [ICR1H] = TIMER | READ | WRITE, [OCR1AL] = TIMER | WRITE, [OCR1AH] = TIMER | WRITE,
    [OCR1BL] = TIMER | WRITE, [OCR1BH] = TIMER | WRITE,
    [TCCR2A] = TIMER | WRITE, [TCCR2B] = TIMER | WRITE, [TCNT2] = TIMER | READ | WRITE, [OCR2A] = TIMER | WRITE, [OCR2B] = TIMER | WRITE,
    [TIMSK0] = TIMER | WRITE, [TIMSK1] = TIMER | WRITE, [TIMSK2] = TIMER | WRITE,
    [PCIFR] = EXTERNAL | WRITE, [EIFR] = EXTERNAL | WRITE, [EIMSK] = EXTERNAL | WRITE, [EICRA] = EXTERNAL | WRITE, [PCICR] = EXTERNAL | WRITE,
    [PCMSK0] = EXTERNAL | WRITE, [PCMSK1] = EXTERNAL | WRITE, [PCMSK2] = EXTERNAL | WRITE,
    [EECR] = NVM | READ | WRITE, [SPMCSR] = NVM | READ | WRITE,
    [UCSR0A] = USART | WRITE, [UCSR0B] = USART | WRITE, [UCSR0C] = USART | WRITE, [UBRR0L] = USART | WRITE, [UBRR0H] = USART | WRITE,
    [UDR0] = USART | READ | WRITE,
    [ADCL] = ADC_R | READ | WRITE, [ADCH] = ADC_R | READ | WRITE, [ADCSRA] = ADC_R | WRITE,
    [WDTCSR] = WATCHDOG | WRITE, [CLKPR] = CLOCK | WRITE, [MCUCR] = CONTROL | WRITE, [MCUSR] = CONTROL | WRITE,
    [SREG] = FIXED | READ | WRITE,      /* the interpreter keeps it */
    [0x5A] = FIXED | WRITE, [SERIAL_NUMBER] = FIXED | WRITE, [0xF1] = FIXED | WRITE, [0xF2] = FIXED | WRITE, [0xF3] = FIXED | WRITE,
    [0xF4] = FIXED | WRITE, [0xF5] = FIXED | WRITE, [0xF6] = FIXED | WRITE, [0xF7] = FIXED | WRITE, [0xF8] = FIXED | WRITE,
};

bool io_read_is_plain(uint16_t address) { return address > 0xFF || !(registers[address] & READ); }
bool io_write_is_plain(uint16_t address) { return address > 0xFF || !(registers[address] & WRITE); }

/* ---- Clock, reset, chance ---- */

#define WDT_JITTER 512u     /* a time-out is off by up to this many 8-MHz cycles either way: +-64 us of 16 ms and more [M] */
#define WDT_OSC 128000u     /* 16 ms, the shortest time-out */

uint64_t chip_random(bc_tile *t)
{
    uint64_t x = t->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    t->random = x;
    return x * 0x2545F4914F6CDD1Du;
}

uint32_t chip_boot_start(const bc_tile *t)
{
    return FLASH_WORDS - (1024u >> (t->config.fuse_extended >> 1 & 3));
}

void chip_set_clock(bc_tile *t, uint8_t shift)
{
    board_light_sync(t);
    t->clock_osc = osc_now(t);
    t->clock_cycle = t->cycle;
    t->clock_shift = shift;
    chip_plan(t);
    avr_end_slice(t);
}

/* ---- External and pin change interrupts ---- */

static void external_irqs(bc_tile *t)
{
    uint8_t levels = board_pin(t, 2);
    for (int i = 0; i < 2; i++) {
        bool level_sense = (t->mem[EICRA] >> 2 * i & 3) == 0, low = !(levels & 4 << i);
        avr_irq(t, V_INT0 + i, (t->mem[EIMSK] & 1 << i) && (level_sense ? low : t->mem[EIFR] & 1 << i));
    }
    for (int i = 0; i < 3; i++)
        avr_irq(t, V_PCINT0 + i, t->mem[PCIFR] & t->mem[PCICR] & 1 << i);
}

/* Compare all pins with how they were: call after anything that may have moved one. */
void chip_pins_changed(bc_tile *t)
{
    static const uint8_t masks[3] = {PCMSK0, PCMSK1, PCMSK2};
    if (!(t->mem[PCMSK0] | t->mem[PCMSK1] | t->mem[PCMSK2] | t->mem[EIMSK]))
        return;
    for (int port = 0; port < 3; port++) {
        uint8_t levels = board_pin(t, port), changed = levels ^ t->pins[port];
        t->pins[port] = levels;
        if (changed & t->mem[masks[port]])
            t->mem[PCIFR] |= (uint8_t)(1 << port);
        for (int i = 0; port == 2 && i < 2; i++) {
            uint8_t sense = t->mem[EICRA] >> 2 * i & 3, bit = (uint8_t)(4 << i);
            if (changed & bit && (sense == 1 || (sense == 2 && !(levels & bit)) || (sense == 3 && levels & bit)))
                t->mem[EIFR] |= (uint8_t)(1 << i);
        }
    }
    external_irqs(t);
}

static void external_write(bc_tile *t, uint16_t address, uint8_t value)
{
    for (int port = 0; port < 3; port++)
        t->pins[port] = board_pin(t, port);
    if (address == PCIFR || address == EIFR)
        t->mem[address] &= (uint8_t)~value;
    else
        t->mem[address] = value;
    external_irqs(t);
}

/* ---- Watchdog ---- */

enum { WDIF = 0x80, WDIE = 0x40, WDCE = 0x10, WDE = 0x08 };

void chip_watchdog_reset(bc_tile *t)
{
    uint8_t control = t->mem[WDTCSR];
    uint32_t prescale = (control & 7) | (control >> 2 & 8);
    if (!(control & (WDIE | WDE))) {
        t->wdt_due_osc = NEVER;
    } else {
        uint64_t jitter = chip_random(t) % (2 * WDT_JITTER + 1);
        t->wdt_due_osc = osc_now(t) + ((uint64_t)WDT_OSC << (prescale > 9 ? 9 : prescale)) + jitter - WDT_JITTER;
    }
    chip_plan(t);
}

static void watchdog_write(bc_tile *t, uint8_t value)
{
    uint8_t old = t->mem[WDTCSR], kept = old;
    bool open = t->wdce_until && t->cycle <= t->wdce_until;
    if ((value & (WDCE | WDE)) == (WDCE | WDE))
        t->wdce_until = t->cycle + 4;
    else
        t->wdce_until = 0;
    if (value & WDIF)
        kept &= (uint8_t)~WDIF;
    kept = (uint8_t)((kept & ~WDIE) | (value & WDIE));
    if (open && !(value & WDCE))
        kept = (uint8_t)((kept & ~0x2F) | (value & 0x2F));
    else
        kept |= value & WDE;
    if (t->mem[MCUSR] & BC_RESET_WATCHDOG)
        kept |= WDE;
    t->mem[WDTCSR] = kept;
    if ((old ^ kept) & (WDIE | WDE | 0x27))
        chip_watchdog_reset(t);
    avr_irq(t, V_WDT, (kept & (WDIF | WDIE)) == (WDIF | WDIE));
}

static void watchdog_due(bc_tile *t)
{
    uint8_t control = t->mem[WDTCSR];
    if (control & WDIE) {
        t->mem[WDTCSR] |= WDIF;
        avr_irq(t, V_WDT, true);
        chip_watchdog_reset(t);
    } else {
        avr_reset(t, BC_RESET_WATCHDOG);
    }
}

/* ---- ADC ---- */

enum { ADEN = 0x80, ADSC = 0x40, ADATE = 0x20, ADIF = 0x10, ADIE = 0x08 };

static uint16_t adc_convert(bc_tile *t)
{
    uint32_t reference = t->mem[ADMUX] >> 6 == 3 ? 1100 : t->config.battery_mv, channel = t->mem[ADMUX] & 15, millivolts = 0, value;
    if (channel < 6)
        millivolts = board_pin(t, 1) >> channel & 1 ? t->config.battery_mv : 0;
    else if (channel == 8)
        millivolts = 314;
    else if (channel == 14)
        millivolts = 1100;
    value = reference ? millivolts * 1024 / reference : 1023;
    return (uint16_t)(value > 1023 ? 1023 : value);
}

/* The ADC's clock goes on in ADC noise reduction: its times are the oscillator's. */
static uint64_t adc_osc(const bc_tile *t, uint32_t adc_clocks)
{
    uint32_t select = t->mem[ADCSRA] & 7;
    return ((uint64_t)adc_clocks << (select ? select : 1)) << t->clock_shift;
}

static void adc_start(bc_tile *t)
{
    t->adc_done_osc = osc_now(t) + adc_osc(t, t->adc_warm ? 13 : 25);
    t->adc_warm = 1;
    t->mem[ADCSRA] |= ADSC;
    chip_plan(t);
}

static void adc_write(bc_tile *t, uint16_t address, uint8_t value)
{
    uint8_t old = t->mem[ADCSRA], flag = (uint8_t)(old & ADIF & ~value);
    if (address != ADCSRA)
        return;
    t->mem[ADCSRA] = (uint8_t)((value & ~ADIF) | flag | (old & ADSC));
    if (!(value & ADEN)) {
        t->mem[ADCSRA] &= (uint8_t)~ADSC;
        t->adc_done_osc = NEVER;
        t->adc_warm = 0;
    } else if ((value & ADSC) && t->adc_done_osc == NEVER) {
        adc_start(t);
    }
    avr_irq(t, V_ADC, (t->mem[ADCSRA] & (ADIF | ADIE)) == (ADIF | ADIE));
    chip_plan(t);
}

static void adc_event(bc_tile *t)
{
    if (!t->adc_locked)
        t->adc_value = adc_convert(t);
    t->mem[ADCSRA] |= ADIF;
    if (t->mem[ADCSRA] & ADATE) {
        t->adc_done_osc += adc_osc(t, 13);
    } else {
        t->adc_done_osc = NEVER;
        t->mem[ADCSRA] &= (uint8_t)~ADSC;
    }
    avr_irq(t, V_ADC, t->mem[ADCSRA] & ADIE);
}

void chip_sleep(bc_tile *t)
{
    t->sleeping = 1;
    if (avr_sleep_mode(t) == BC_ADC_QUIET && t->mem[ADCSRA] & ADEN && t->adc_done_osc == NEVER)
        adc_start(t);
    avr_end_slice(t);
}

static uint8_t adc_read(bc_tile *t, uint16_t address)
{
    uint16_t value = t->mem[ADMUX] & 0x20 ? (uint16_t)(t->adc_value << 6) : t->adc_value;
    t->volatile_reads++;
    t->adc_locked = address == ADCL;
    return (uint8_t)(address == ADCL ? value : value >> 8);
}

/* ---- GPIO, clock and control registers ---- */

static void clock_write(bc_tile *t, uint8_t value)
{
    if (value == 0x80) {
        t->clkpce_until = t->cycle + 4;
        t->mem[CLKPR] |= 0x80;
    } else if (t->clkpce_until && t->cycle <= t->clkpce_until && !(value & 0x80)) {
        uint8_t shift = (value & 15) > 8 ? 8 : value & 15;
        t->clkpce_until = 0;
        t->mem[CLKPR] = value & 15;
        chip_set_clock(t, shift);
    }
}

static void control_write(bc_tile *t, uint16_t address, uint8_t value)
{
    if (address == MCUSR) {
        t->mem[MCUSR] &= value;         /* flags are cleared by writing zero */
        return;
    }
    bool open = t->ivce_until && t->cycle <= t->ivce_until;
    t->ivce_until = (value & 1) ? t->cycle + 4 : 0;     /* interrupts wait as long, or for one instruction more */
    t->irq_delay_at = t->cycle;
    if (!open || value & 1)
        value = (uint8_t)((value & ~2) | (t->mem[MCUCR] & 2));
    t->mem[MCUCR] = value & (uint8_t)~1;
    chip_pins_changed(t);               /* PUD */
}

uint8_t io_read(bc_tile *t, uint16_t address)
{
    uint8_t entry = address <= 0xFF ? registers[address] : PLAIN;
    if (!(entry & READ))
        return t->mem[address];
    switch (entry & KIND) {
    case PIN: return board_pin(t, (address - PINB) / 3);
    case TIMER: return timer_read(t, address);
    case NVM: return nvm_read(t, address);
    case USART: return usart_read(t, address);
    case ADC_R: return adc_read(t, address);
    default: return t->mem[address];
    }
}

void io_write(bc_tile *t, uint16_t address, uint8_t value)
{
    uint8_t entry = address <= 0xFF ? registers[address] : PLAIN;
    if (!(entry & WRITE)) {
        t->mem[address] = value;
        return;
    }
    switch (entry & KIND) {
    case PIN: case PORT: board_port_write(t, address, value); break;
    case EXTERNAL: external_write(t, address, value); break;
    case TIMER: timer_write(t, address, value); break;
    case NVM: nvm_write(t, address, value); break;
    case USART: usart_write(t, address, value); break;
    case ADC_R: adc_write(t, address, value); break;
    case WATCHDOG: watchdog_write(t, value); break;
    case CLOCK: clock_write(t, value); break;
    case CONTROL: control_write(t, address, value); break;
    default: break;
    }
}

/* SBI and CBI: registers whose bits act when a one is written see that one bit alone. */
void io_write_bit(bc_tile *t, uint16_t address, uint8_t mask, bool set)
{
    bool acts = (registers[address] & KIND) == PIN || (address >= TIFR0 && address <= EIFR);
    uint8_t old = acts ? 0 : io_read(t, address);
    io_write(t, address, (uint8_t)(set ? old | mask : old & ~mask));
}

/* ---- Events ---- */

void chip_accept_irq(bc_tile *t, int vector)
{
    static const uint8_t timer_of[] = {[V_TIMER2_COMPA] = 2, [V_TIMER2_COMPB] = 2, [V_TIMER2_OVF] = 2,
        [V_TIMER1_COMPA] = 1, [V_TIMER1_COMPB] = 1, [V_TIMER1_OVF] = 1, [V_TIMER0_COMPA] = 0, [V_TIMER0_COMPB] = 0, [V_TIMER0_OVF] = 0};
    switch (vector) {
    case V_INT0: case V_INT1:
        t->mem[EIFR] &= (uint8_t)~(1 << (vector - V_INT0));
        external_irqs(t);
        break;
    case V_PCINT0: case V_PCINT1: case V_PCINT2:
        t->mem[PCIFR] &= (uint8_t)~(1 << (vector - V_PCINT0));
        external_irqs(t);
        break;
    case V_WDT:
        t->mem[WDTCSR] &= (uint8_t)~WDIF;
        if (t->mem[WDTCSR] & WDE)
            t->mem[WDTCSR] &= (uint8_t)~WDIE;
        avr_irq(t, V_WDT, false);
        break;
    case V_TIMER2_COMPA: case V_TIMER1_COMPA: case V_TIMER0_COMPA: timer_clear_flag(t, timer_of[vector], 2); break;
    case V_TIMER2_COMPB: case V_TIMER1_COMPB: case V_TIMER0_COMPB: timer_clear_flag(t, timer_of[vector], 4); break;
    case V_TIMER2_OVF: case V_TIMER1_OVF: case V_TIMER0_OVF: timer_clear_flag(t, timer_of[vector], 1); break;
    case V_USART_TX:
        t->mem[UCSR0A] &= (uint8_t)~0x40;
        avr_irq(t, V_USART_TX, false);
        break;
    case V_ADC:
        t->mem[ADCSRA] &= (uint8_t)~ADIF;
        avr_irq(t, V_ADC, false);
        break;
    default: break;     /* RX, UDRE, EE_READY, SPM_READY last as long as their cause */
    }
}

void chip_cycle_events(bc_tile *t)
{
    timer_events(t);
    if (t->tx_done <= t->cycle)
        usart_cycle_event(t);
    chip_plan(t);
}

void chip_osc_events(bc_tile *t)
{
    uint64_t now = osc_now(t);
    board_osc_event(t, now);
    if (t->spm_done_osc <= now || t->eeprom_done_osc <= now)
        nvm_osc_event(t);
    if (t->adc_done_osc <= now)
        adc_event(t);
    if (usart_next_osc(t) <= now)
        usart_osc_event(t);
    if (t->wdt_due_osc <= now)
        watchdog_due(t);
    chip_plan(t);
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

void chip_plan(bc_tile *t)
{
    t->next_cycle_event = earlier(timer_next_cycle(t), t->tx_done);
    t->next_osc_event = earlier(earlier(board_next_osc(t), earlier(usart_next_osc(t), t->adc_done_osc)),
                                earlier(t->wdt_due_osc, earlier(t->spm_done_osc, t->eeprom_done_osc)));
    if (t->exec_left > 0 && (t->next_cycle_event < t->exec_end || cycle_at(t, t->next_osc_event) < t->exec_end))
        avr_end_slice(t);
}

void chip_reset(bc_tile *t)
{
    uint8_t cause = t->mem[MCUSR];
    for (int i = 0x20; i < 0x100; i++)
        t->mem[i] = 0;
    t->mem[MCUSR] = cause;
    t->mem[SPL] = (uint8_t)RAM_END;
    t->mem[SPH] = RAM_END >> 8;
    t->mem[OSCCAL] = 0x80;
    for (int i = 0; i < 9; i++)
        t->mem[SERIAL_NUMBER + i] = t->config.serial[i];
    t->mem[CLKPR] = t->config.fuse_low & 0x80 ? 0 : 3;
    t->clock_osc = osc_now(t);
    t->clock_cycle = t->cycle;
    t->clock_shift = t->mem[CLKPR];
    t->clkpce_until = t->wdce_until = t->ivce_until = 0;
    t->adc_done_osc = NEVER;
    t->adc_locked = t->adc_warm = 0;
    t->wdt_due_osc = NEVER;
    t->irq_pending = 0;
    timer_reset(t);
    usart_reset(t);
    nvm_reset(t);
    if (cause & BC_RESET_WATCHDOG || !(t->config.fuse_high & 0x10)) {
        t->mem[WDTCSR] = WDE;
        chip_watchdog_reset(t);
    }
}
