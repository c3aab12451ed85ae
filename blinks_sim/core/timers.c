/* Timer/Counter 0, 1 and 2 (datasheet: 8-bit Timer/Counter0, 16-bit Timer/Counter1, 8-bit Timer/Counter2 with PWM).
 *
 * Nothing happens per count: a timer remembers its position at one cycle and works out where it stands, which flags came
 * up, and when the next enabled interrupt is due. A compare flag is set when the count leaves the compare value.
 * Not modelled: external clock inputs, asynchronous operation of timer 2, input capture (ICF1 as TOP is), force output compare, the synchroniser's
 * extra cycles.
 */
#include <string.h>

#include "tile.h"

enum { TOV = 1, OCFA = 2, OCFB = 4, ICF = 0x20 };
enum { UPDATE_NOW, UPDATE_BOTTOM, UPDATE_TOP };
enum { TOP_MAX, TOP_8 = 0xFF, TOP_9 = 0x1FF, TOP_10 = 0x3FF, TOP_OCRA = 0x10000, TOP_ICR };

typedef struct { uint32_t top; uint8_t dual, update; } Mode;

static const Mode modes8[8] = {
    {TOP_MAX, 0, UPDATE_NOW}, {TOP_MAX, 1, UPDATE_TOP}, {TOP_OCRA, 0, UPDATE_NOW}, {TOP_MAX, 0, UPDATE_BOTTOM},
    {TOP_MAX, 0, UPDATE_NOW}, {TOP_OCRA, 1, UPDATE_TOP}, {TOP_MAX, 0, UPDATE_NOW}, {TOP_OCRA, 0, UPDATE_BOTTOM}};
static const Mode modes16[16] = {
    {TOP_MAX, 0, UPDATE_NOW}, {TOP_8, 1, UPDATE_TOP}, {TOP_9, 1, UPDATE_TOP}, {TOP_10, 1, UPDATE_TOP},
    {TOP_OCRA, 0, UPDATE_NOW}, {TOP_8, 0, UPDATE_BOTTOM}, {TOP_9, 0, UPDATE_BOTTOM}, {TOP_10, 0, UPDATE_BOTTOM},
    {TOP_ICR, 1, UPDATE_BOTTOM}, {TOP_OCRA, 1, UPDATE_BOTTOM}, {TOP_ICR, 1, UPDATE_TOP}, {TOP_OCRA, 1, UPDATE_TOP},
    {TOP_ICR, 0, UPDATE_NOW}, {TOP_MAX, 0, UPDATE_NOW}, {TOP_ICR, 0, UPDATE_BOTTOM}, {TOP_OCRA, 0, UPDATE_BOTTOM}};

static const uint16_t control_a[3] = {TCCR0A, TCCR1A, TCCR2A}, control_b[3] = {TCCR0B, TCCR1B, TCCR2B};
static const uint16_t mask_of[3] = {TIMSK0, TIMSK1, TIMSK2};
static const uint8_t vector_ovf[3] = {V_TIMER0_OVF, V_TIMER1_OVF, V_TIMER2_OVF};
static const uint8_t vector_a[3] = {V_TIMER0_COMPA, V_TIMER1_COMPA, V_TIMER2_COMPA};
static const uint8_t vector_b[3] = {V_TIMER0_COMPB, V_TIMER1_COMPB, V_TIMER2_COMPB};

static const uint8_t all_flags[] = {TOV, OCFA, OCFB, ICF};

static uint32_t max_of(int n) { return n == 1 ? 0xFFFF : 0xFF; }
static const Mode *mode_of(const Timer *timer, int n) { return n == 1 ? &modes16[timer->mode] : &modes8[timer->mode]; }

/* Prescaled clock edges in (from, to]. */
static uint64_t counts(const bc_tile *t, int n, uint64_t from, uint64_t to)
{
    const Timer *timer = &t->timer[n];
    uint64_t start = t->prescaler_at[n == 2];
    if (!timer->running || to <= from)
        return 0;
    if (timer->divider_log2 == 0)
        return to - from;
    if (t->gtccr_hold & (n == 2 ? 2 : 1))
        return 0;
    return ((to - start) >> timer->divider_log2) - ((from - start) >> timer->divider_log2);
}

/* Cycle of the k-th clock edge after timer->at. */
static uint64_t edge_cycle(const bc_tile *t, int n, uint64_t k)
{
    const Timer *timer = &t->timer[n];
    uint64_t start = t->prescaler_at[n == 2];
    if (!timer->running || (timer->divider_log2 && t->gtccr_hold & (n == 2 ? 2 : 1)))
        return NEVER;
    return ((((timer->at - start) >> timer->divider_log2) + k) << timer->divider_log2) + start;
}

/* A count beyond TOP runs on to MAX: such a round is longer. */
static uint32_t period_of(const Timer *timer, int n)
{
    if (timer->dual_slope)
        return timer->top ? 2u * timer->top : 1;
    return (timer->position > timer->top ? max_of(n) : timer->top) + 1;
}

static uint32_t count_of(const Timer *timer, uint32_t position)
{
    return timer->dual_slope && position > timer->top ? 2u * timer->top - position : position;
}

static uint32_t edges_to(uint32_t position, uint32_t goal, uint32_t period)
{
    return (goal + period - position - 1) % period + 1;
}

/* Edges until a flag comes up next (single slope: when the count leaves OCR; dual slope: on the way up or down). 0: never. */
static uint32_t edges_to_flag(const Timer *timer, int n, uint8_t flag)
{
    uint32_t period = period_of(timer, n), ocr, up, down, edges;
    if (flag == TOV) {
        if (!timer->dual_slope && mode_of(timer, n)->update == UPDATE_NOW && timer->top != max_of(n) && timer->position <= timer->top)
            return 0;                       /* CTC passes MAX only after an overshoot */
        return edges_to(timer->position, 0, period);
    }
    if (flag == ICF)                        /* ICR1 as TOP */
        return n != 1 || mode_of(timer, n)->top != TOP_ICR ? 0 : edges_to(timer->position, (timer->top + 1u) % period, period);
    ocr = timer->ocr[flag == OCFB];
    if (ocr >= (timer->dual_slope ? timer->top + 1u : period))
        return 0;
    edges = up = edges_to(timer->position, (ocr + 1) % period, period);
    if (timer->dual_slope) {
        down = edges_to(timer->position, (2u * timer->top - ocr + 1) % period, period);
        edges = up < down ? up : down;
    }
    return edges == 1 && timer->match_blocked ? edges + period : edges;
}

static void raise_irqs(bc_tile *t, int n)
{
    uint8_t wanted = t->timer[n].flags & t->mem[mask_of[n]];
    avr_irq(t, vector_ovf[n], wanted & TOV);
    avr_irq(t, vector_a[n], wanted & OCFA);
    avr_irq(t, vector_b[n], wanted & OCFB);
    if (n == 1)
        avr_irq(t, V_TIMER1_CAPT, wanted & ICF);
}

static uint64_t latch_cycle(const bc_tile *t, int n)
{
    const Timer *timer = &t->timer[n];
    uint32_t goal = mode_of(timer, n)->update == UPDATE_TOP ? timer->top : 0;
    return timer->stale ? edge_cycle(t, n, edges_to(timer->position, goal, period_of(timer, n))) : NEVER;
}

static void plan(bc_tile *t, int n)
{
    Timer *timer = &t->timer[n];
    uint8_t awaited = t->mem[mask_of[n]] & (TOV | OCFA | OCFB | ICF) & ~timer->flags;
    timer->irq_at = NEVER;
    for (unsigned i = 0; i < sizeof all_flags; i++) {
        uint32_t edges = awaited & all_flags[i] ? edges_to_flag(timer, n, all_flags[i]) : 0;
        uint64_t at = edges ? edge_cycle(t, n, edges) : NEVER;
        if (at < timer->irq_at)
            timer->irq_at = at;
    }
    timer->latch_at = latch_cycle(t, n);
    if (timer->irq_at != NEVER && timer->latch_at < timer->irq_at)
        timer->irq_at = timer->latch_at;        /* what the next round brings depends on the values still waiting */
}

static void find_top(bc_tile *t, int n)
{
    Timer *timer = &t->timer[n];
    uint32_t top = mode_of(timer, n)->top;
    if (top == TOP_OCRA)
        top = timer->ocr[0];
    else if (top == TOP_ICR)
        top = (uint32_t)(t->mem[ICR1L] | t->mem[ICR1H] << 8);
    else if (top == TOP_MAX)
        top = max_of(n);
    timer->top = (uint16_t)top;
    timer->dual_slope = mode_of(timer, n)->dual;
    timer->buffered = mode_of(timer, n)->update != UPDATE_NOW;
}

/* Move on to a cycle within which no waiting OCR value comes into force. */
static void advance(bc_tile *t, int n, uint64_t cycle)
{
    Timer *timer = &t->timer[n];
    uint64_t k = counts(t, n, timer->at, cycle);
    while (k) {
        uint32_t period = period_of(timer, n);
        uint64_t step = timer->position > timer->top && !timer->dual_slope && k > period - timer->position ? period - timer->position : k;
        for (unsigned i = 0; i < sizeof all_flags; i++) {
            uint32_t edges = timer->flags & all_flags[i] ? 0 : edges_to_flag(timer, n, all_flags[i]);
            if (edges && edges <= step)
                timer->flags |= all_flags[i];
        }
        timer->match_blocked = false;
        timer->position = (uint32_t)((timer->position + step) % period);
        k -= step;
    }
    if (cycle > timer->at)
        timer->at = cycle;
}

/* Bring into force, in the order of their times, all buffered OCR values due until a cycle. */
void timer_latch_until(bc_tile *t, uint64_t cycle)
{
    for (;;) {
        Timer *timer;
        int n = t->timer[0].latch_at <= t->timer[2].latch_at ? 0 : 2;
        if (t->timer[1].latch_at < t->timer[n].latch_at)
            n = 1;
        timer = &t->timer[n];
        if (timer->latch_at > cycle)
            return;
        if (n != 1)
            board_light_until(t, timer->latch_at);
        advance(t, n, timer->latch_at);
        timer->ocr[0] = timer->ocr_next[0];
        timer->ocr[1] = timer->ocr_next[1];
        timer->stale = false;
        timer->latch_at = NEVER;
        find_top(t, n);
        if (timer->position > timer->top && timer->dual_slope)
            timer->position = timer->top;
    }
}

static void sync(bc_tile *t, int n)
{
    timer_latch_until(t, t->cycle);
    advance(t, n, t->cycle);
}

static void settle(bc_tile *t, int n)
{
    raise_irqs(t, n);
    plan(t, n);
    chip_plan(t);
}

/* Cycles in [from, to] during which the count stands above OCR (a PWM pin that is cleared on match is low then). The timer's settings must not
 * have changed in between. */
uint64_t timer_cycles_above(const bc_tile *t, int n, int channel, uint64_t from, uint64_t to)
{
    const Timer *timer = &t->timer[n];
    uint64_t period = period_of(timer, n), low = timer->ocr[channel] + 1u, high, before, here, width;
    if (!timer->running)
        return count_of(timer, timer->position) >= low ? to - from : 0;
    high = timer->dual_slope ? 2u * timer->top - timer->ocr[channel] : timer->top + 1u;
    if (high <= low)
        return 0;
    width = high - low;
    if (from >= timer->at)
        before = (timer->position + counts(t, n, timer->at, from)) % period;
    else
        before = (timer->position + period - counts(t, n, from, timer->at) % period) % period;
    here = before + counts(t, n, from, to);
#define SUM_TO(x) ((x) / period * width + ((x) % period <= low ? 0 : (x) % period >= high ? width : (x) % period - low))
    return (SUM_TO(here) - SUM_TO(before)) << timer->divider_log2;
#undef SUM_TO
}

static void set_ocr(bc_tile *t, int n, int channel, uint16_t value)
{
    Timer *timer = &t->timer[n];
    timer->ocr_next[channel] = value;
    if (timer->buffered) {
        timer->stale = timer->ocr_next[0] != timer->ocr[0] || timer->ocr_next[1] != timer->ocr[1];
        return;
    }
    if (n != 1)
        board_light_sync(t);
    timer->ocr[channel] = value;
    find_top(t, n);
}

static void set_control(bc_tile *t, int n)
{
    static const uint8_t dividers01[8] = {0, 0, 3, 6, 8, 10, 0, 0}, dividers2[8] = {0, 0, 3, 5, 6, 7, 8, 10};
    Timer *timer = &t->timer[n];
    uint8_t a = t->mem[control_a[n]], b = t->mem[control_b[n]], select = b & 7;
    uint32_t count = count_of(timer, timer->position);
    timer->mode = n == 1 ? (uint8_t)((a & 3) | (b >> 1 & 12)) : (uint8_t)((a & 3) | (b >> 1 & 4));
    timer->running = select && (n == 2 || select < 6);
    timer->divider_log2 = n == 2 ? dividers2[select] : dividers01[select];
    find_top(t, n);
    if (!timer->buffered && timer->stale) {
        timer->ocr[0] = timer->ocr_next[0];
        timer->ocr[1] = timer->ocr_next[1];
        timer->stale = false;
        find_top(t, n);
    }
    timer->position = timer->dual_slope && count > timer->top ? timer->top : count;
}

static void write_gtccr(bc_tile *t, uint8_t value)
{
    uint8_t resets = value & 3;     /* PSRSYNC: timers 0 and 1; PSRASY: timer 2 */
    board_light_sync(t);
    for (int n = 0; n < 3; n++)
        sync(t, n);
    if (resets & 1)
        t->prescaler_at[0] = t->cycle;
    if (resets & 2)
        t->prescaler_at[1] = t->cycle;
    for (int side = 0; side < 2; side++)
        if (t->gtccr_hold & 1 << side && !(value & 0x80))
            t->prescaler_at[side] = t->cycle;
    t->gtccr_hold = value & 0x80 ? resets : 0;
    t->mem[GTCCR] = value & 0x80 ? value & 0x83 : 0;
    for (int n = 0; n < 3; n++)
        plan(t, n);
    chip_plan(t);
}

static void write_timer1(bc_tile *t, uint16_t address, uint8_t value)
{
    uint16_t word = (uint16_t)(t->temp << 8 | value);
    switch (address) {
    case TCNT1H: case OCR1AH: case OCR1BH: case ICR1H:
        t->temp = value;
        return;
    case TCNT1L:
        t->timer[1].position = word;
        t->timer[1].match_blocked = true;
        break;
    case ICR1L:
        t->mem[ICR1H] = t->temp;
        t->mem[ICR1L] = value;
        find_top(t, 1);
        break;
    default:
        t->mem[address + 1] = t->temp;
        t->mem[address] = value;
        set_ocr(t, 1, address == OCR1BL, word);
    }
    settle(t, 1);
}

void timer_write(bc_tile *t, uint16_t address, uint8_t value)
{
    int n = address >= TCCR2A || address == TIFR2 || address == TIMSK2 ? 2
        : address >= TCCR1A || address == TIFR1 || address == TIMSK1 ? 1 : 0;
    if (address == GTCCR) {
        write_gtccr(t, value);
        return;
    }
    sync(t, n);
    switch (address) {
    case TIFR0: case TIFR1: case TIFR2: t->timer[n].flags &= (uint8_t)~value; break;
    case TIMSK0: case TIMSK1: case TIMSK2: t->mem[address] = value; break;
    case TCCR0A: case TCCR0B: case TCCR1A: case TCCR1B: case TCCR2A: case TCCR2B:
        if (n != 1)
            board_light_sync(t);
        t->mem[address] = n != 1 && (address & 1) != (TCCR0A & 1) ? value & 0x0F : value;
        set_control(t, n);
        break;
    case TCNT0: case TCNT2:
        board_light_sync(t);
        t->timer[n].position = value;
        t->timer[n].match_blocked = true;
        break;
    case OCR0A: case OCR0B: case OCR2A: case OCR2B:
        t->mem[address] = value;
        set_ocr(t, n, address == OCR0B || address == OCR2B, value);
        break;
    default:
        write_timer1(t, address, value);
        return;
    }
    settle(t, n);
}

uint8_t timer_read(bc_tile *t, uint16_t address)
{
    int n = address == TIFR0 || address == TCNT0 ? 0 : address == TIFR2 || address == TCNT2 ? 2 : 1;
    uint32_t count;
    t->volatile_reads++;
    if (address == TCNT1H || address == ICR1H)
        return t->temp;
    if (address == ICR1L) {
        t->temp = t->mem[ICR1H];
        return t->mem[ICR1L];
    }
    sync(t, n);     /* an interrupt this brings up is raised when irq_at comes, at the end of this instruction */
    if (address <= TIFR2)
        return t->timer[n].flags;
    count = count_of(&t->timer[n], t->timer[n].position);
    if (n == 1)
        t->temp = (uint8_t)(count >> 8);
    return (uint8_t)count;
}

void timer_clear_flag(bc_tile *t, int n, uint8_t flag)
{
    sync(t, n);
    t->timer[n].flags &= (uint8_t)~flag;
    settle(t, n);
}

void timer_events(bc_tile *t)
{
    for (int n = 0; n < 3; n++)
        if (t->timer[n].irq_at <= t->cycle) {
            sync(t, n);
            raise_irqs(t, n);
            plan(t, n);
        }
}

void timer_reset(bc_tile *t)
{
    for (int n = 0; n < 3; n++) {
        memset(&t->timer[n], 0, sizeof t->timer[n]);
        t->timer[n].at = t->cycle;
        t->timer[n].irq_at = t->timer[n].latch_at = NEVER;
        find_top(t, n);
    }
    t->prescaler_at[0] = t->prescaler_at[1] = t->cycle;
    t->gtccr_hold = t->temp = 0;
}
