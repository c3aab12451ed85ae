// Starting, stopping and sleeping.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "bios.h"

using namespace bios;

static constexpr uint8_t LOW_BATTERY = 0x7A;   // 1.1 V against Vcc, in 1/256: about 2.31 V

void set_clock(Clock clock) {
    const uint8_t value = static_cast<uint8_t>(clock);
    asm volatile("sts %0, %1\n\tsts %0, %2" ::"n"(_SFR_MEM_ADDR(CLKPR)), "r"(uint8_t(_BV(CLKPCE))), "r"(value));
}

void delay_200ms() { __builtin_avr_delay_cycles(800000UL); }

// Timers 0 and 2 in step: fast PWM, 1 us a count. The display and the 128-us samples hang on them.
void timers_on() {
    GTCCR = _BV(TSM) | _BV(PSRASY) | _BV(PSRSYNC);
    OCR0A = 255;
    OCR0B = 255;
    OCR2A = 128;
    OCR2B = 255;
    TCCR0A = _BV(COM0A1) | _BV(COM0B1) | _BV(WGM01) | _BV(WGM00);
    TCCR2A = _BV(COM2B1) | _BV(WGM21) | _BV(WGM20);
    TCCR0B = _BV(CS01);
    TCCR2B = _BV(CS21);
    TCNT0 = 0;
    TCNT2 = 0;
    TIMSK0 = _BV(TOIE0);
    TIMSK2 = _BV(OCIE2A);
    GTCCR = 0;
}

void timers_off() {
    stop_transmitter();
    TCCR0B = 0;
    TCCR2B = 0;
    TCCR0A = 0;
    TCCR2A = 0;
    TIMSK0 = 0;   // nothing but the button may wake the tile
    TIMSK1 = 0;
    TIMSK2 = 0;
    PORTB = 0;
    PORTE &= ~(_BV(PORTE0) | _BV(PORTE1));
    PORTD &= ~(_BV(PORTD4) | _BV(PORTD2));
    DDRD &= ~_BV(DDD3);
    DDRE &= ~_BV(DDE3);
}

void check_battery() {
    ADMUX = 0x6E;   // 1.1 V reference measured against Vcc, left adjusted
    uint8_t high = 0;
    for (uint8_t conversions = 4; conversions; conversions--) {
        ADCSRA = 0xC5;
        while (ADCSRA & _BV(ADSC)) {
        }
        high = ADCH;
    }
    ADCSRA = 0;
    if (high >= LOW_BATTERY) abend(2);
}

static void clear_shared() {
    uint8_t *at = reinterpret_cast<uint8_t *>(PIXELS_AT);
    for (uint16_t n = SHARED_BYTES; n; n--) *at++ = 0;
    SENDING_FACES = 0;
    LIVE_FACES = 0;
    MS_PENDING = 0;
    convert_pixels();   // all dark
}

void start_sketch(uint8_t start_state) {
    cli();
    clear_shared();
    pixels().start_state = start_state;
    SP = STACK_TOP;
    postpone_sleep();   // interrupts are on from here
    asm volatile("clr r1\n\tjmp 0");
    __builtin_unreachable();
}

extern "C" __attribute__((naked, used)) void boot() {
    asm volatile("clr r1");
    cli();
    SREG = 0;
    SP = STACK_TOP;
    MCUSR = 0;
    wdt_disable();
    set_clock(Clock::MHZ_4);
    delay_200ms();
    clear_shared();
    MCUCR = _BV(IVCE);
    MCUCR = _BV(IVSEL);
    ACSR = 0x80;
    PRR = 0x84;

    // Infrared anodes PB0-5 and pixel anodes low, red and green cathodes high (off); blue and its pump float.
    PORTB = 0;
    DDRB = 0xFF;
    PORTC = 0;
    DDRC = 0;
    PORTD = _BV(PORTD7) | _BV(PORTD6) | _BV(PORTD5) | _BV(PORTD1) | _BV(PORTD0);
    DDRD = _BV(DDD6) | _BV(DDD5) | _BV(DDD4) | _BV(DDD2);
    PORTE = _BV(PORTE2);
    DDRE = _BV(DDE1) | _BV(DDE0);
    timers_on();
    check_battery();
    set_clock(Clock::MHZ_8);
    copy_builtin();
    start_sketch(START_POWER_UP);
}

extern "C" __attribute__((used)) void sleep_now() {
    cli();
    set_clock(Clock::MHZ_4);
    timers_off();
    delay_200ms();
    while (!(PIND & _BV(PIND7))) {
    }
    delay_200ms();
    PCMSK2 = _BV(PCINT23);
    PCIFR = _BV(PCIF2);
    PCICR = _BV(PCIE2);
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sleep_enable();
    sei();
    sleep_cpu();
    cli();
    sleep_disable();
    PCICR = 0;
    check_battery();
    set_clock(Clock::MHZ_8);
    volatile Button &b = button();
    b.woke = 0;
    b.click_count = 0;
    b.debounce = 0;
    b.click_window = 0;
    b.clicks = 0;
    b.long_seen = 0;
    b.hold_ms = 0;
    timers_on();
    postpone_sleep();
}

// The 128-us handler found the inactivity time over: it has saved r24 and r25 only.
extern "C" __attribute__((naked, used)) void sleep_in_handler() {
    asm volatile(
        "push r0\n\tpush r1\n\tclr r1\n\t"
        "push r18\n\tpush r19\n\tpush r20\n\tpush r21\n\tpush r22\n\tpush r23\n\t"
        "push r26\n\tpush r27\n\tpush r30\n\tpush r31\n\t"
        "call sleep_now\n\t"
        "pop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\t"
        "pop r23\n\tpop r22\n\tpop r21\n\tpop r20\n\tpop r19\n\tpop r18\n\t"
        "pop r1\n\tpop r0\n\tret");
}

extern "C" __attribute__((used)) uint8_t version() { return BIOS_VERSION; }
