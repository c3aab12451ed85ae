/* The board around the chip: six RGB pixels, six infrared faces, the button and the battery.
 *
 * Pixels: an anode a face (high = selected), colour cathodes shared and active low, blue through a charge pump. Light is summed over time and
 * face, and handed out a frame at a time. A frame ends when the multiplexing comes round: an anode goes on that was on before in this frame, another
 * one having been on in between. So frames follow the firmware's own, and a change between two of them never shows as a mixture. Firmware
 * that does not multiplex gets frames of LONGEST_FRAME_OSC; when it begins to, its first anode begins a frame.
 * Infrared: a reversed LED holds charge on its cathode until light takes it away. Source: behaviour of the shipping board.
 * Not modelled: leakage of the charge in darkness, LED brightness differing by colour or voltage, PWM wired to the infrared anodes (OC1A, OC1B, OC2A).
 */
#include <string.h>

#include "tile.h"

#define DISCHARGE_OSC 40u           /* light for 5 us takes the charge away */
#define PUMP_HOLD_OSC 8192u         /* how long the blue charge pump stays charged: 1 ms [M] */
#define FULL_OSC 2032u              /* level 31: 254 of 256 counts, once in 30 periods of 2,048 cycles */
#define SHORTEST_FRAME_OSC (BC_FRAME_OSC / 4)
#define LONGEST_FRAME_OSC (BC_FRAME_OSC + BC_FRAME_OSC / 4)

enum { RED_PIN = 0x40, GREEN_PIN = 0x20, BLUE_PIN = 0x08, SINK_PIN = 0x08, BUTTON_PIN = 0x80 };

static uint8_t anodes(const bc_tile *t)
{
    uint8_t b = t->mem[PORTB] & t->mem[DDRB], d = t->mem[PORTD] & t->mem[DDRD], e = t->mem[PORTE] & t->mem[DDRE];
    return (uint8_t)((b >> 6 & 1) | (e & 1) << 1 | (b >> 7 & 1) << 2 | (e >> 1 & 1) << 3 | (d >> 4 & 1) << 4 | (d >> 2 & 1) << 5);
}

/* Oscillator cycles since the last sum during which a colour's cathode was pulled low. */
static uint64_t low_osc(const bc_tile *t, uint8_t pin, int timer, int channel, uint64_t cycle)
{
    uint8_t control = t->mem[timer ? TCCR2A : TCCR0A], connection = control >> (channel ? 4 : 6) & 3;
    uint64_t above, all = osc_of(t, cycle) - t->light_osc;
    if (!(t->mem[DDRD] & pin))
        return 0;
    if (!(control & 1) || connection < 2)       /* not a PWM mode (WGM 1, 3, 5, 7), or not connected */
        return t->mem[PORTD] & pin ? 0 : all;
    above = timer_cycles_above(t, timer, channel, t->light_cycle, cycle) << t->clock_shift;
    return connection == 2 ? above : above < all ? all - above : 0;
}

/* Is PD3 driven high, by its timer or by PORTD? Enough to know that the pump may charge. */
static bool pump_drives(const bc_tile *t)
{
    uint8_t connection = t->mem[TCCR2A] >> 4 & 3;
    return (t->mem[DDRD] & BLUE_PIN) && ((t->mem[TCCR2A] & 1 && connection >= 2) || t->mem[PORTD] & BLUE_PIN);
}

static bool sinking(const bc_tile *t) { return t->mem[DDRE] & SINK_PIN && !(t->mem[PORTE] & SINK_PIN); }

void board_light_until(bc_tile *t, uint64_t cycle)
{
    uint64_t osc = osc_of(t, cycle);
    if (osc <= t->light_osc)
        return;
    if (sinking(t) && pump_drives(t))
        t->pump_until_osc = osc + PUMP_HOLD_OSC;
    if (t->selected) {
        uint64_t lit[3] = {low_osc(t, RED_PIN, 0, 0, cycle), low_osc(t, GREEN_PIN, 0, 1, cycle), 0};
        if (!sinking(t) && t->pump_until_osc > t->light_osc)
            lit[2] = low_osc(t, BLUE_PIN, 2, 1, cycle);
        for (int face = 0; face < BC_FACES; face++)
            for (int colour = 0; t->selected >> face & 1 && colour < 3; colour++)
                t->light_sum[face][colour] += lit[colour];
    }
    t->light_cycle = cycle;
    t->light_osc = osc;
}

void board_light_sync(bc_tile *t)
{
    timer_latch_until(t, t->cycle);
    board_light_until(t, t->cycle);
}

/* Close the frame that ends now; all light until then has been summed. A frame of about the usual length counts as exactly that long, for
 * interrupts shake its edges and the eye does not see it. */
static void end_frame(bc_tile *t, uint64_t osc)
{
    uint64_t length = osc - t->frame_start_osc;
    if (length == 0 || (length > BC_FRAME_OSC - BC_FRAME_OSC / 16 && length < BC_FRAME_OSC + BC_FRAME_OSC / 16))
        length = BC_FRAME_OSC;
    memcpy(t->frame, t->light_sum, sizeof t->frame);
    memset(t->light_sum, 0, sizeof t->light_sum);
    t->frame_osc = length;
    t->frame_start_osc = osc;
    t->frame_anodes = t->frame_idle = 0;
}

static void end_long_frame(bc_tile *t)
{
    uint64_t end = t->frame_start_osc + LONGEST_FRAME_OSC, cycle = cycle_at(t, end);
    timer_latch_until(t, cycle);
    board_light_until(t, cycle);
    end_frame(t, end);
    t->frame_anodes = t->selected;
    t->frame_idle = 1;
}

/* Anodes changed: has the multiplexing come round? */
static void select_anodes(bc_tile *t)
{
    uint8_t now = anodes(t), risen = now & (uint8_t)~t->selected;
    t->selected = now;
    if (!risen)
        return;
    if (t->frame_idle || (risen & t->frame_anodes && risen != t->last_anodes && osc_now(t) - t->frame_start_osc >= SHORTEST_FRAME_OSC))
        end_frame(t, osc_now(t));
    t->frame_anodes |= now;
    t->last_anodes = risen;
}

void bc_tile_light(const bc_tile *t, float out[18])
{
    float full = (float)FULL_OSC * (float)t->frame_osc / BC_FRAME_OSC;
    for (int i = 0; i < 18; i++)
        out[i] = (float)t->frame[i / 3][i % 3] / full;
}

/* ---- Infrared ---- */

static void watch_discharge(bc_tile *t, int face, uint64_t now)
{
    uint8_t bit = (uint8_t)(1 << face);
    bool floats = !((t->mem[DDRC] | t->mem[PORTC]) & bit);
    if (!(floats && t->ir_charged & bit && t->ir_lit & bit))
        t->discharge_osc[face] = NEVER;
    else if (t->discharge_osc[face] == NEVER)
        t->discharge_osc[face] = now + DISCHARGE_OSC;
}

static void infrared_ports_changed(bc_tile *t)
{
    uint8_t anode = t->mem[PORTB] & t->mem[DDRB] & 0x3F, high = t->mem[PORTC] & 0x3F, low = t->mem[DDRC] & ~t->mem[PORTC] & 0x3F;
    uint8_t emitting = anode & low;
    t->ir_charged = (uint8_t)((t->ir_charged | (high & ~anode)) & ~low);
    if (t->ir_lit) {
        for (int face = 0; face < BC_FACES; face++)
            watch_discharge(t, face, osc_now(t));
        chip_plan(t);
    }
    if (emitting != t->ir_emitting) {
        t->ir_emitting = emitting;
        tile_emit(t);
    }
}

void board_light_in(bc_tile *t, int face, bool on, uint64_t osc)
{
    uint8_t bit = (uint8_t)(1 << face);
    t->ir_lit = (uint8_t)(on ? t->ir_lit | bit : t->ir_lit & ~bit);
    watch_discharge(t, face, osc);
}

void bc_tile_light_in(bc_tile *t, int face, int on)
{
    board_light_in(t, face, on, osc_now(t));
    chip_plan(t);
}

/* ---- Pins ---- */

/* A write to PORTx, DDRx or PINx (which toggles PORTx). */
void board_port_write(bc_tile *t, uint16_t address, uint8_t value)
{
    int port = (address - PINB) / 3;
    bool toggles = (address - PINB) % 3 == 0;
    uint8_t *target = &t->mem[toggles ? address + 2 : address], before = *target;
    uint8_t after = toggles ? before ^ value : value;
    if (before == after)
        return;
    if (port >= 2 || (port == 0 && (before ^ after) & 0xC0)) {
        board_light_sync(t);            /* with the pins as they were */
        *target = after;
        select_anodes(t);
    }
    *target = after;
    watch_event(t, BC_WATCH_PORTS, (uint8_t)(target - t->mem), after);
    if (port < 2)
        infrared_ports_changed(t);
    chip_pins_changed(t);
}

uint8_t board_pin(bc_tile *t, int port)
{
    static const uint8_t ddr[4] = {DDRB, DDRC, DDRD, DDRE};
    uint8_t direction = t->mem[ddr[port]], latch = t->mem[ddr[port] + 1], outside;
    uint8_t pulled = t->mem[MCUCR] & 0x10 ? 0 : latch;      /* PUD disables all pull-ups */
    switch (port) {
    case 1: outside = (uint8_t)(0xC0 | t->ir_charged | pulled); break;
    case 2: outside = (uint8_t)((pulled & ~BUTTON_PIN) | 1 | (t->button_down ? 0 : BUTTON_PIN)); break;
    default: outside = pulled;
    }
    outside = (uint8_t)((outside & ~direction) | (latch & direction));
    if (port == 2 && t->mem[UCSR0B] & 8)
        outside |= 2;                                       /* TXD idles high */
    return outside;
}

void bc_tile_button(bc_tile *t, int down)
{
    t->button_down = down != 0;
    chip_pins_changed(t);
}

void bc_tile_set_battery(bc_tile *t, uint16_t millivolts) { t->config.battery_mv = millivolts; }

/* ---- Events ---- */

void board_osc_event(bc_tile *t, uint64_t now)
{
    if (t->edge_osc <= now)
        tile_take_edges(t, now);
    for (int face = 0; t->ir_lit && face < BC_FACES; face++)
        if (t->discharge_osc[face] <= now) {
            t->discharge_osc[face] = NEVER;
            t->ir_charged &= (uint8_t)~(1 << face);
            chip_pins_changed(t);
        }
    while (t->frame_start_osc + LONGEST_FRAME_OSC <= now)
        end_long_frame(t);
}

uint64_t board_next_osc(const bc_tile *t)
{
    uint64_t frame_end = t->frame_start_osc + LONGEST_FRAME_OSC, first = t->edge_osc < frame_end ? t->edge_osc : frame_end;
    for (int face = 0; t->ir_lit && face < BC_FACES; face++)
        if (t->discharge_osc[face] < first)
            first = t->discharge_osc[face];
    return first;
}

void board_reset(bc_tile *t)
{
    t->selected = 0;
    t->light_cycle = t->cycle;
    t->light_osc = osc_now(t);
    end_frame(t, t->light_osc);
    infrared_ports_changed(t);
    for (int port = 0; port < 4; port++) {
        t->pins[port] = board_pin(t, port);
        watch_event(t, BC_WATCH_PORTS, (uint8_t)(DDRB + 3 * port), 0);
        watch_event(t, BC_WATCH_PORTS, (uint8_t)(PORTB + 3 * port), 0);
    }
}
