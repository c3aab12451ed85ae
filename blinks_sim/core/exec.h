/* The interpreter's language: what the instructions in exec.c are written with. For exec.c alone, which may be compiled twice. */
#include <string.h>

#include "ops.h"
#include "tile.h"

#if (defined(__GNUC__) || defined(__clang__)) && !defined(BLINKS_SWITCH)
#define GOTO_DISPATCH 1
#define OP(name) do_##name:
#define DISPATCH() do { COUNT(); goto *labels[ip->op]; } while (0)
#else
#define GOTO_DISPATCH 0
#define OP(name) case OP_##name:
#define DISPATCH() do { COUNT(); goto again; } while (0)
#endif

#ifdef BLINKS_PROFILE
/* Called before each instruction: settle what the one before took, note where we are. */
#define COUNT() (count(t, t->profile, &counted, (uint32_t)(ip - code), t->exec_end - (uint64_t)(int64_t)left))
#define EXEC avr_exec_profiled
#else
#define COUNT() ((void)0)
#define EXEC avr_exec
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#ifndef __GNUC__
#undef LIKELY
#define LIKELY(x) (x)
#endif

#define NEXT(cycles) \
    do { \
        left -= (cycles); \
        if (left <= 0) \
            goto out; \
        DISPATCH(); \
    } while (0)

#define CARRY (c >> 8 & 1)
#define IN_RAM(address) ((uint16_t)((address) - RAM_START) <= RAM_END - RAM_START)
/* How a 16-bit value is read decides whether the host can take it straight from its store buffer: pairs are mostly written byte by byte, so they
 * are read so (volatile keeps the compiler from joining the two); the stack pointer is written and read whole. */
#define BYTE(n) (*(volatile const uint8_t *)&m[n])
#define PAIR(n) ((uint16_t)(BYTE(n) | BYTE((n) + 1) << 8))
#define SET_PAIR(n, value) (m[n] = (uint8_t)(value), m[(n) + 1] = (uint8_t)((value) >> 8))
#define SP_NOW load_word(m + SPL)
#define SET_SP(value) store_word(m + SPL, (uint16_t)(value))

#define FLAGS_ARITHMETIC(d, r, res) \
    do { \
        c = h = (d) ^ (r) ^ (res); \
        v = c ^ c >> 1; \
        n = (res); \
        s = 0; \
    } while (0)
#define FLAGS_LOGIC(res) (n = z = (res), v = s = 0)

#define PACK_SREG() \
    ((uint8_t)((c >> 8 & 1) | (z == 0) << 1 | (n >> 5 & 4) | (v >> 4 & 8) | ((n ^ v ^ s) >> 3 & 16) | (h << 1 & 32) | \
               t->t_flag << 6 | t->i_flag << 7))
#define UNPACK_SREG(value) \
    do { \
        uint32_t sreg_ = (value); \
        c = sreg_ << 8 & 0x100; \
        z = ~sreg_ & 2; \
        n = sreg_ << 5 & 0x80; \
        v = sreg_ << 4 & 0x80; \
        s = (sreg_ << 3 & 0x80) ^ n ^ v; \
        h = sreg_ >> 1 & 16; \
        t->t_flag = sreg_ >> 6 & 1; \
        t->i_flag = (uint8_t)(sreg_ >> 7); \
    } while (0)

/* Before and after anything that looks at time or at a register with a meaning. `into` = cycles of this instruction before the access: a read
 * sees its last cycle's beginning, a write acts at its last cycle's end. */
#define LEAVE(into) (t->cycle = t->exec_end - (uint64_t)(int64_t)left + (into), t->exec_left = left)
#define ENTER() (left = t->exec_left)

#define FAULT(kind, word) \
    do { \
        avr_fault(t, (kind), (uint32_t)(ip - code), (uint16_t)(word)); \
        t->exec_end -= (uint64_t)(int64_t)left; \
        left = 0; \
        goto out; \
    } while (0)

#define LOAD(target, address) \
    do { \
        uint16_t at_ = (uint16_t)(address); \
        if (LIKELY(IN_RAM(at_))) { \
            (target) = m[at_]; \
        } else { \
            if (at_ == SREG) \
                m[SREG] = PACK_SREG(); \
            LEAVE(1); \
            (target) = slow_load(t, at_); \
            ENTER(); \
        } \
    } while (0)

#define STORE(address, value, into) \
    do { \
        uint16_t at_ = (uint16_t)(address); \
        uint8_t value_ = (value); \
        if (LIKELY(IN_RAM(at_))) { \
            m[at_] = value_; \
        } else if (at_ == SREG) { \
            uint8_t i_before_ = t->i_flag; \
            UNPACK_SREG(value_); \
            if (!i_before_ && t->i_flag) \
                INTERRUPTS_ON((into) + 1); \
        } else { \
            LEAVE((into) + 1); \
            slow_store(t, at_, value_); \
            ENTER(); \
        } \
    } while (0)

/* I was set by this instruction, which takes so many cycles: one more instruction runs before an interrupt. */
#define INTERRUPTS_ON(cycles) \
    do { \
        t->irq_delay_at = t->exec_end - (uint64_t)(int64_t)left + (cycles); \
        if (t->irq_pending) { \
            t->exec_end -= (uint64_t)(int64_t)left; \
            left = 0; \
        } \
    } while (0)

#define PUSH_BYTE(value) \
    do { \
        uint16_t sp_ = SP_NOW; \
        if (!IN_RAM(sp_)) \
            FAULT(BC_FAULT_STACK, sp_); \
        m[sp_] = (value); \
        SET_SP(sp_ - 1); \
    } while (0)
#define PUSH_PC(value) \
    do { \
        uint16_t sp_ = SP_NOW, pc_ = (uint16_t)(value); \
        if (!IN_RAM(sp_) || !IN_RAM(sp_ - 1)) \
            FAULT(BC_FAULT_STACK, sp_); \
        m[sp_] = (uint8_t)pc_; \
        m[sp_ - 1] = (uint8_t)(pc_ >> 8); \
        SET_SP(sp_ - 2); \
    } while (0)
#define POP_PC(target) \
    do { \
        uint16_t sp_ = SP_NOW; \
        if (!IN_RAM(sp_ + 1) || !IN_RAM(sp_ + 2)) \
            FAULT(BC_FAULT_STACK, sp_); \
        (target) = (uint32_t)(m[sp_ + 1] << 8 | m[sp_ + 2]); \
        SET_SP(sp_ + 2); \
    } while (0)
#define JUMP(target) \
    do { \
        uint32_t target_ = (target); \
        if (target_ >= FLASH_WORDS) \
            FAULT(BC_FAULT_PC, target_); \
        ip = code + target_; \
    } while (0)

typedef struct {
    const Code *branch;     /* the poll's backward branch, NULL: none is being watched */
    int32_t left;
    uint32_t volatile_reads, c, h, v, n, z, s;
    uint8_t t_flag, registers[32];
} Poll;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the stack pointer is kept in the host's byte order, which must be little-endian"
#endif
static inline uint16_t load_word(const uint8_t *from)
{
    uint16_t word;
    memcpy(&word, from, 2);
    return word;
}

static inline void store_word(uint8_t *to, uint16_t word) { memcpy(to, &word, 2); }

static uint8_t slow_load(bc_tile *t, uint16_t address)
{
    if (address < 0x20 || address == SREG)
        return t->mem[address];
    return address > RAM_END ? 0 : io_read(t, address);
}

static void slow_store(bc_tile *t, uint16_t address, uint8_t value)
{
    if (address < 0x20)
        t->mem[address] = value;
    else if (address <= RAM_END)
        io_write(t, address, value);
}

/* Turns of the count-down at `first` that can be left out; takes them off its counter. */
static int32_t count_down(bc_tile *t, int kind, uint32_t first, int32_t left, int32_t *period)
{
    uint32_t value = 0, turns, bytes = kind == COUNT_SBIW ? 2 : 1;
    uint8_t where[4];
    uint16_t word = (uint16_t)(t->flash[2 * first] | t->flash[2 * first + 1] << 8);
    if (kind == COUNT_DEC) {
        where[0] = word >> 4 & 31;
        *period = 3;
    } else if (kind == COUNT_SBIW) {
        where[0] = (uint8_t)(24 + (word >> 3 & 6));
        where[1] = where[0] + 1;
        *period = 4;
    } else {
        for (bytes = 0; bytes < 4 && (bytes == 0 || (word & 0xF000) == 0x4000); bytes++) {
            where[bytes] = 16 + (word >> 4 & 15);
            word = (uint16_t)(t->flash[2 * (first + bytes + 1)] | t->flash[2 * (first + bytes + 1) + 1] << 8);
        }
        *period = (int32_t)bytes + 2;
    }
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint32_t)t->mem[where[i]] << 8 * i;
    turns = (uint32_t)((left - 1) / *period);
    if (turns > value - 1)
        turns = value - 1;
    value -= turns;
    for (uint32_t i = 0; i < bytes; i++)
        t->mem[where[i]] = (uint8_t)(value >> 8 * i);
    return (int32_t)turns;
}

#ifdef BLINKS_PROFILE
typedef struct { uint64_t cycle; uint32_t pc; } Counted;

static void count(bc_tile *t, Profile *profile, Counted *last, uint32_t pc, uint64_t cycle)
{
    uint16_t sp = load_word(t->mem + SPL);
    if (last->pc < FLASH_WORDS)
        profile->cycles[last->pc] += cycle - last->cycle;
    if (last->pc != pc || last->cycle != cycle) {   /* not the second look at an instruction just decoded */
        if (pc < FLASH_WORDS)
            profile->runs[pc]++;
        if (pc == profile->mark)
            watch_at(t, cycle, BC_WATCH_CODE, 0, 0);
    }
    if (sp < profile->lowest_sp)
        profile->lowest_sp = sp;
    last->pc = pc;
    last->cycle = cycle;
}
#endif
