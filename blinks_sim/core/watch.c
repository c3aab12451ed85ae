/* What people look at from outside while a tile runs: light, ports, code. Kept apart from the tile's state: looking changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "tile.h"

#define OSC_PS 125000u      /* of the nominal oscillator, for a tile without a table */

void watch_at(bc_tile *t, uint64_t cycle, int kind, uint8_t where, uint8_t value)
{
    uint64_t osc = osc_of(t, cycle);
    bc_event *event;
    if (t->event_count == t->event_room) {
        size_t room = t->event_room ? 2 * t->event_room : 256;
        bc_event *events = realloc(t->events, room * sizeof *events);
        if (!events)
            return;
        t->events = events;
        t->event_room = room;
    }
    event = &t->events[t->event_count++];
    event->ps = t->standalone ? osc * OSC_PS : (uint64_t)((int64_t)t->quantum_ps + tile_fs_into_quantum(t, osc) / 1000);
    event->kind = (uint8_t)kind;
    event->where = where;
    event->value = value;
}

void watch_event(bc_tile *t, int kind, uint8_t where, uint8_t value)
{
    if (t->watching & kind)
        watch_at(t, t->cycle, kind, where, value);
}

void bc_tile_watch(bc_tile *t, int kinds)
{
    if ((kinds & BC_WATCH_CODE) && !t->profile) {
        t->profile = calloc(1, sizeof *t->profile);
        if (!t->profile)
            return;
        t->profile->lowest_sp = UINT16_MAX;
        t->profile->mark = NO_MARK;
    } else if (!(kinds & BC_WATCH_CODE)) {
        free(t->profile);
        t->profile = NULL;
    }
    t->watching = (uint8_t)kinds;
}

size_t bc_tile_events(bc_tile *t, bc_event *out, size_t room)
{
    size_t n = t->event_count < room ? t->event_count : room;
    if (n) {
        memcpy(out, t->events, n * sizeof *out);
        memmove(t->events, t->events + n, (t->event_count - n) * sizeof *out);
        t->event_count -= n;
    }
    return n;
}

void bc_tile_mark(bc_tile *t, uint32_t byte_address)
{
    if (t->profile)
        t->profile->mark = byte_address / 2;
}

int bc_tile_profile(const bc_tile *t, uint64_t *cycles, uint64_t *runs, uint16_t *lowest_sp)
{
    if (!t->profile)
        return 0;
    memcpy(cycles, t->profile->cycles, sizeof t->profile->cycles);
    memcpy(runs, t->profile->runs, sizeof t->profile->runs);
    *lowest_sp = t->profile->lowest_sp;
    return 1;
}
