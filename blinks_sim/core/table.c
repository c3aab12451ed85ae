/* Many tiles side by side. Time moves in quanta of BC_QUANTUM_PS; light takes exactly one quantum from face to face, so within a quantum every tile
 * depends only on what its neighbors did in the one before: neither the order of tiles nor the number of threads can show in a result.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tile.h"

#define QUANTUM_FS ((int64_t)BC_QUANTUM_PS * 1000)
#define POWER_ON_SPREAD_FS 4000000000000u   /* tiles are powered on within 4 ms of each other [M] */
#define CHUNK 4                 /* tiles a worker takes at a time */
#define SHARE_EVERY 256         /* quanta between looks for tiles with the same flash */
#define SPINS 2000              /* turns a waiting worker spins before it sleeps */
#define MAX_THREADS 64

struct bc_table {
    bc_tile **tiles;            /* by slot, NULL where free */
    int32_t (*contacts)[BC_FACES][2];   /* by slot and face: slot and face beyond, -1 none */
    int slots, room;
    uint16_t *edges[2];         /* by parity and slot: edges in the tile's outbox, close together for neighbors to look at */
    uint64_t quantum;
    bool last_quantum;          /* of this run: tiles end where they would by themselves */
    SharedCodes codes;

    int threads, started;
    pthread_t worker[MAX_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_uint round;          /* odd and even rounds of work; workers run when it changes */
    atomic_int next_slot, busy;
    atomic_bool quit;
};

/* ---- Light between tiles ---- */

/* Femtoseconds from the quantum's start to an oscillator count. */
int64_t tile_fs_into_quantum(const bc_tile *t, uint64_t osc)
{
    return (int64_t)(osc - t->quantum_osc) * (int64_t)t->period_fs - t->phase_fs;
}

static void put_edge(bc_tile *t, int64_t fs, uint8_t mask)
{
    Edge *edge = &t->out[t->parity][t->out_count[t->parity]];
    if (t->out_count[t->parity] == EDGES)
        return;             /* cannot come: more edges than the fastest clock has cycles in a quantum */
    edge->rel_ps2 = (uint32_t)(fs > 0 ? fs / 2000 : 0);
    edge->mask = t->last_edge_mask = mask;
    t->out_count[t->parity]++;
}

/* An instruction may end beyond the quantum; what it lights there belongs to the next. So does what a hand does between two quanta: a reset, a
 * register written. All of that happens at one moment, of which the last state counts. */
static void spill(bc_tile *t, int64_t fs, uint8_t mask)
{
    if (t->spill_count && t->spill_fs[t->spill_count - 1] == fs)
        t->spill_count--;
    if (t->spill_count == SPILL)
        return;             /* cannot come: an instruction changes the ports once */
    t->spill_fs[t->spill_count] = fs;
    t->spill_mask[t->spill_count++] = mask;
}

void tile_emit(bc_tile *t)
{
    uint64_t osc = osc_now(t);
    watch_event(t, BC_WATCH_LIGHT, 0, t->ir_emitting);
    if (t->standalone) {
        if (t->pulse_count == t->pulse_room) {
            size_t room = t->pulse_room ? 2 * t->pulse_room : 64;
            uint64_t *times = realloc(t->pulse_osc, room * sizeof *times);
            uint8_t *masks;
            if (!times)
                return;
            t->pulse_osc = times;
            masks = realloc(t->pulse_mask, room);
            if (!masks)
                return;
            t->pulse_mask = masks;
            t->pulse_room = room;
        }
        t->pulse_osc[t->pulse_count] = osc;
        t->pulse_mask[t->pulse_count++] = t->ir_emitting;
        return;
    }
    int64_t fs = tile_fs_into_quantum(t, osc);
    if (!t->in_quantum)     /* the coming quantum has begun for the clocks, its outbox not yet */
        spill(t, fs + QUANTUM_FS, t->ir_emitting);
    else if (fs < QUANTUM_FS)
        put_edge(t, fs, t->ir_emitting);
    else
        spill(t, fs, t->ir_emitting);
}

size_t bc_tile_pulses(bc_tile *t, uint64_t *out_osc, uint8_t *out_mask, size_t room)
{
    size_t n = t->pulse_count < room ? t->pulse_count : room;
    if (n) {
        memcpy(out_osc, t->pulse_osc, n * sizeof *out_osc);
        memcpy(out_mask, t->pulse_mask, n);
        memmove(t->pulse_osc, t->pulse_osc + n, (t->pulse_count - n) * sizeof *t->pulse_osc);
        memmove(t->pulse_mask, t->pulse_mask + n, t->pulse_count - n);
        t->pulse_count -= n;
    }
    return n;
}

/* Oscillator count of this tile at which a moment of the running quantum has come. */
static uint64_t osc_at(const bc_tile *t, int64_t fs)
{
    int64_t since = fs + t->phase_fs, period = (int64_t)t->period_fs;
    return t->quantum_osc + (since > 0 ? (uint64_t)((since + period - 1) / period) : 0);
}

/* The next edge of one face's list that changes what falls on that face: a list holds the edges of all six LEDs beyond. */
static void pass_over(bc_tile *t, int i)
{
    bool lit = t->ir_lit >> t->in[i].face & 1;
    while (t->in[i].edge < t->in[i].end && !(t->in[i].edge->mask & t->in[i].bit) == !lit)
        t->in[i].edge++;
}

static void find_next_edge(bc_tile *t)
{
    t->edge_osc = NEVER;
    for (int i = 0; i < t->in_count; i++) {
        uint64_t osc = t->in[i].edge < t->in[i].end ? osc_at(t, (int64_t)t->in[i].edge->rel_ps2 * 2000) : NEVER;
        if (osc < t->edge_osc)
            t->edge_osc = osc;
    }
}

void tile_take_edges(bc_tile *t, uint64_t now)
{
    for (int i = 0; i < t->in_count; i++)
        while (t->in[i].edge < t->in[i].end) {
            uint64_t at = osc_at(t, (int64_t)t->in[i].edge->rel_ps2 * 2000);
            if (at > now)
                break;
            board_light_in(t, t->in[i].face, t->in[i].edge->mask & t->in[i].bit, at);
            pass_over(t, i);
        }
    find_next_edge(t);
}

static void begin_quantum(bc_table *table, int slot)
{
    bc_tile *t = table->tiles[slot];
    uint8_t before = (uint8_t)((table->quantum & 1) ^ 1), spilled = t->spill_count;
    t->parity = (uint8_t)(table->quantum & 1);
    t->quantum_ps = table->quantum * (uint64_t)BC_QUANTUM_PS;
    t->out_count[t->parity] = 0;
    t->emitting_before[t->parity] = t->last_edge_mask;
    t->spill_count = 0;
    for (int i = 0; i < spilled; i++) {
        int64_t fs = t->spill_fs[i] - QUANTUM_FS;
        if (fs < QUANTUM_FS)
            put_edge(t, fs, t->spill_mask[i]);
        else
            spill(t, fs, t->spill_mask[i]);
    }
    t->in_count = 0;
    for (int face = 0; face < BC_FACES; face++) {
        int32_t *beyond = table->contacts[slot][face];
        const bc_tile *other;
        if (beyond[0] < 0 || !table->edges[before][beyond[0]])
            continue;
        other = table->tiles[beyond[0]];
        t->in[t->in_count].edge = other->out[before];
        t->in[t->in_count].end = other->out[before] + other->out_count[before];
        t->in[t->in_count].face = (uint8_t)face;
        t->in[t->in_count].bit = (uint8_t)(1 << beyond[1]);
        pass_over(t, t->in_count);
        t->in_count += t->in[t->in_count].edge < t->in[t->in_count].end;
    }
    if (t->in_count) {
        find_next_edge(t);
        chip_plan(t);
    }
}

static void run_quantum(bc_table *table, int slot)
{
    bc_tile *t = table->tiles[slot];
    int64_t end = t->phase_fs + QUANTUM_FS;
    uint64_t steps = end > 0 ? (uint64_t)end / t->period_fs : 0;
    begin_quantum(table, slot);
    t->in_quantum = 1;
    t->may_park = !table->last_quantum;
    avr_run(t, t->quantum_osc + steps);
    if (t->edge_osc != NEVER) {             /* edges after this tile's last count within the quantum */
        tile_take_edges(t, NEVER - 1);
        chip_plan(t);
    }
    t->in_quantum = 0;
    t->quantum_osc += steps;
    t->phase_fs = end - (int64_t)(steps * t->period_fs);
    table->edges[t->parity][slot] = t->out_count[t->parity];
}

/* ---- Workers ---- */

static void work(bc_table *table)
{
    int first;
    while ((first = atomic_fetch_add(&table->next_slot, CHUNK)) < table->slots)
        for (int slot = first; slot < first + CHUNK && slot < table->slots; slot++)
            if (table->tiles[slot])
                run_quantum(table, slot);
}

static void *worker(void *argument)
{
    bc_table *table = argument;
    unsigned seen = 0;
    for (;;) {
        for (int i = 0; atomic_load(&table->round) == seen && i < SPINS; i++)
            if (i % 64 == 63)
                sched_yield();
        if (atomic_load(&table->round) == seen) {
            pthread_mutex_lock(&table->lock);
            while (atomic_load(&table->round) == seen)
                pthread_cond_wait(&table->wake, &table->lock);
            pthread_mutex_unlock(&table->lock);
        }
        seen = atomic_load(&table->round);
        if (atomic_load(&table->quit))
            return NULL;
        work(table);
        if (atomic_fetch_sub(&table->busy, 1) == 1) {
            pthread_mutex_lock(&table->lock);
            pthread_cond_signal(&table->done);
            pthread_mutex_unlock(&table->lock);
        }
    }
}

static void start_round(bc_table *table)
{
    pthread_mutex_lock(&table->lock);
    atomic_fetch_add(&table->round, 1);
    pthread_cond_broadcast(&table->wake);
    pthread_mutex_unlock(&table->lock);
}

static void stop_workers(bc_table *table)
{
    if (!table->started)
        return;
    atomic_store(&table->quit, true);
    start_round(table);
    for (int i = 0; i < table->started; i++)
        pthread_join(table->worker[i], NULL);
    table->started = 0;
    atomic_store(&table->quit, false);
    atomic_store(&table->round, 0);
}

void bc_table_threads(bc_table *table, int threads)
{
    stop_workers(table);
    table->threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
}

static void start_workers(bc_table *table)
{
    while (table->started < table->threads - 1 && pthread_create(&table->worker[table->started], NULL, worker, table) == 0)
        table->started++;
}

void bc_table_run(bc_table *table, uint64_t quanta)
{
    bool many = table->threads > 1 && table->slots > CHUNK;
    if (many)
        start_workers(table);
    for (; quanta; quanta--) {
        table->last_quantum = quanta == 1;
        if (table->quantum % SHARE_EVERY == 0)
            for (int slot = 0; slot < table->slots; slot++)
                if (table->tiles[slot])
                    codes_share(&table->codes, table->tiles[slot]);
        atomic_store(&table->next_slot, 0);
        if (many && table->started) {
            atomic_store(&table->busy, table->started);
            start_round(table);
        }
        work(table);
        if (many && table->started) {
            for (int i = 0; atomic_load(&table->busy) && i < SPINS; i++)
                if (i % 64 == 63)
                    sched_yield();
            if (atomic_load(&table->busy)) {
                pthread_mutex_lock(&table->lock);
                while (atomic_load(&table->busy))
                    pthread_cond_wait(&table->done, &table->lock);
                pthread_mutex_unlock(&table->lock);
            }
        }
        table->quantum++;
    }
}

/* ---- Building a table ---- */

bc_table *bc_table_new(void)
{
    bc_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->threads = 1;
    pthread_mutex_init(&table->lock, NULL);
    pthread_cond_init(&table->wake, NULL);
    pthread_cond_init(&table->done, NULL);
    return table;
}

void bc_table_free(bc_table *table)
{
    if (!table)
        return;
    stop_workers(table);
    for (int slot = 0; slot < table->slots; slot++)
        bc_tile_free(table->tiles[slot]);
    pthread_mutex_destroy(&table->lock);
    pthread_cond_destroy(&table->wake);
    pthread_cond_destroy(&table->done);
    codes_free(&table->codes);
    free(table->edges[0]);
    free(table->edges[1]);
    free(table->tiles);
    free(table->contacts);
    free(table);
}

/* After tiles were added or restored. */
static void count_edges(bc_table *table)
{
    for (int slot = 0; slot < table->slots; slot++)
        for (int i = 0; i < 2; i++)
            table->edges[i][slot] = table->tiles[slot] ? table->tiles[slot]->out_count[i] : 0;
}

static void separate(bc_table *table, int slot)
{
    for (int face = 0; face < BC_FACES; face++)
        table->contacts[slot][face][0] = table->contacts[slot][face][1] = -1;
}

int bc_table_add(bc_table *table, bc_tile *tile)
{
    int slot = 0;
    while (slot < table->slots && table->tiles[slot])
        slot++;
    if (slot == table->room) {
        int room = table->room ? 2 * table->room : 16;
        bc_tile **tiles = realloc(table->tiles, (size_t)room * sizeof *tiles);
        if (!tiles)
            return -1;
        table->tiles = tiles;
        void *contacts = realloc(table->contacts, (size_t)room * sizeof *table->contacts);
        if (!contacts)
            return -1;
        table->contacts = contacts;
        for (int i = 0; i < 2; i++) {
            uint16_t *edges = realloc(table->edges[i], (size_t)room * sizeof *edges);
            if (!edges)
                return -1;
            table->edges[i] = edges;
        }
        table->room = room;
    }
    if (slot == table->slots)
        table->slots++;
    table->tiles[slot] = tile;
    separate(table, slot);
    count_edges(table);
    tile->standalone = 0;
    if (osc_now(tile) == 0 && tile->phase_fs == 0) {    /* nobody powers all tiles on at the same instant */
        tile->phase_fs = -(int64_t)(chip_random(tile) % POWER_ON_SPREAD_FS);
    }
    return slot;
}

/* Light on a face is what the face beyond emits now; edges still under way come with the next quantum. */
static void set_light(bc_table *table, int slot, uint64_t quantum)
{
    bc_tile *t = table->tiles[slot];
    uint8_t before = (uint8_t)((quantum & 1) ^ 1);
    for (int face = 0; face < BC_FACES; face++) {
        int32_t *beyond = table->contacts[slot][face];
        const bc_tile *other = beyond[0] < 0 ? NULL : table->tiles[beyond[0]];
        bool on = other && (other->emitting_before[before] >> beyond[1] & 1);
        if (on != (t->ir_lit >> face & 1))
            board_light_in(t, face, on, osc_now(t));
    }
    chip_plan(t);
}

void bc_table_remove(bc_table *table, int slot)
{
    if (slot < 0 || slot >= table->slots || !table->tiles[slot])
        return;
    for (int face = 0; face < BC_FACES; face++) {
        int32_t *beyond = table->contacts[slot][face];
        if (beyond[0] >= 0)
            table->contacts[beyond[0]][beyond[1]][0] = -1;
    }
    bc_tile_free(table->tiles[slot]);
    table->tiles[slot] = NULL;
    separate(table, slot);
    for (int other = 0; other < table->slots; other++)
        if (table->tiles[other])
            set_light(table, other, table->quantum);
}

void bc_table_contacts(bc_table *table, const int32_t *rows, int count)
{
    for (int slot = 0; slot < table->slots; slot++)
        separate(table, slot);
    count_edges(table);
    for (int i = 0; i < count; i++) {
        const int32_t *row = rows + 4 * i;
        table->contacts[row[0]][row[1]][0] = row[2];
        table->contacts[row[0]][row[1]][1] = row[3];
        table->contacts[row[2]][row[3]][0] = row[0];
        table->contacts[row[2]][row[3]][1] = row[1];
    }
    for (int slot = 0; slot < table->slots; slot++)
        if (table->tiles[slot])
            set_light(table, slot, table->quantum);
}

uint64_t bc_table_quantum(const bc_table *table) { return table->quantum; }

void bc_table_set_quantum(bc_table *table, uint64_t quantum)
{
    table->quantum = quantum;
    count_edges(table);
}
