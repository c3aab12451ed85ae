/* The interpreter: runs decoded instructions until a budget of cycles is used up or something outside wants to be looked at.
 *
 * SREG lives in six values it is computed from (C is bit 8 of c, H bit 4 of h, V bit 7 of v, N bit 7 of n, Z is z == 0, and S differs
 * from N ^ V where bit 7 of s says so), so that arithmetic need not assemble flags that nobody reads.
 *
 * Two kinds of loop are skipped when t->skip is set, to the same bits: a poll (decode.c) that came round with all registers and flags
 * as they were and without a time-dependent read repeats until the slice ends; a count-down is subtracted at once. Either way at least the last
 * turn is executed for real. Within one call nothing interrupts and no register changes by itself, which is what makes this exact;
 * Where nothing can happen before the quantum ends, a poll is left to stand (t->park_ok): avr.c takes it up when something is due.
 * Leaving a poll by any way (branch, skip or falling through) forgets it, so that a round that went elsewhere is never taken for a turn.
 */
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

/* Run instructions for `budget` cycles from the tile's own cycle on (the last may go beyond). Leaves pc, cycle and SREG up to date. */
void EXEC(bc_tile *t, int32_t budget)
{
#if GOTO_DISPATCH
    __extension__ static const void *const labels[] = {
#define X(op, name) &&do_##op,
        OPS(X)
#undef X
    };
#endif
    uint8_t *const m = t->mem;
    const Code *const code = t->code;
    const Code *ip = code + t->pc;
    int32_t left = budget;
    uint32_t c, h, v, n, z, s;
    Poll poll;
#ifdef BLINKS_PROFILE
    Counted counted = {0, NO_MARK};
#endif

    poll.branch = NULL;
    UNPACK_SREG(m[SREG]);
    t->exec_end = t->cycle + (uint64_t)(int64_t)budget;

#if GOTO_DISPATCH
    DISPATCH();
    {
#else
    COUNT();
again:
    switch (ip->op) {
#endif

    OP(UNDECODED) {
        t->own_code[ip - code] = avr_decode(t->flash, (uint32_t)(ip - code));
        DISPATCH();
    }
    OP(BLOCKED) FAULT(BC_FAULT_RWW, 0xFFFF);
    OP(ILLEGAL) FAULT(BC_FAULT_OPCODE, ip->b);
    OP(OFF_END) FAULT(BC_FAULT_PC, ip - code);

    OP(NOP) OP(BREAK) {
        ip++;
        NEXT(1);
    }

    /* Arithmetic and logic */
#define BINARY(name, r_expr, res_expr, z_expr, write) \
    OP(name) { \
        uint32_t d = m[ip->a], r = (r_expr), res = (res_expr); \
        FLAGS_ARITHMETIC(d, r, res); \
        z = (z_expr); \
        if (write) \
            m[ip->a] = (uint8_t)res; \
        ip++; \
        NEXT(1); \
    }
    BINARY(ADD, m[ip->b], d + r, (uint8_t)res, 1)
    BINARY(ADC, m[ip->b], d + r + CARRY, (uint8_t)res, 1)
    BINARY(SUB, m[ip->b], d - r, (uint8_t)res, 1)
    BINARY(SBC, m[ip->b], d - r - CARRY, (uint8_t)res | z, 1)
    BINARY(SUBI, ip->b, d - r, (uint8_t)res, 1)
    BINARY(SBCI, ip->b, d - r - CARRY, (uint8_t)res | z, 1)
    BINARY(CP, m[ip->b], d - r, (uint8_t)res, 0)
    BINARY(CPC, m[ip->b], d - r - CARRY, (uint8_t)res | z, 0)
    BINARY(CPI, ip->b, d - r, (uint8_t)res, 0)

#define LOGIC(name, expr) \
    OP(name) { \
        uint32_t d = m[ip->a], res = (expr); \
        FLAGS_LOGIC(res); \
        m[ip->a] = (uint8_t)res; \
        ip++; \
        NEXT(1); \
    }
    LOGIC(AND, d & m[ip->b])
    LOGIC(OR, d | m[ip->b])
    LOGIC(EOR, d ^ m[ip->b])
    LOGIC(ANDI, d & ip->b)
    LOGIC(ORI, d | ip->b)

    OP(COM) {
        uint32_t res = (uint8_t)~m[ip->a];
        FLAGS_LOGIC(res);
        c = 0x100;
        m[ip->a] = (uint8_t)res;
        ip++;
        NEXT(1);
    }
    OP(NEG) {
        uint32_t d = m[ip->a], res = 0u - d;
        FLAGS_ARITHMETIC(0u, d, res);
        z = m[ip->a] = (uint8_t)res;
        ip++;
        NEXT(1);
    }
    OP(INC) {
        uint32_t d = m[ip->a], res = (uint8_t)(d + 1);
        v = res & ~d;
        n = z = res;
        s = 0;
        m[ip->a] = (uint8_t)res;
        ip++;
        NEXT(1);
    }
    OP(DEC) {
        uint32_t d = m[ip->a], res = (uint8_t)(d - 1);
        v = d & ~res;
        n = z = res;
        s = 0;
        m[ip->a] = (uint8_t)res;
        ip++;
        NEXT(1);
    }
#define SHIFT_RIGHT(name, expr) \
    OP(name) { \
        uint32_t d = m[ip->a], res = (expr); \
        c = d << 8; \
        n = z = res; \
        v = res ^ d << 7; \
        s = 0; \
        m[ip->a] = (uint8_t)res; \
        ip++; \
        NEXT(1); \
    }
    SHIFT_RIGHT(ASR, d >> 1 | (d & 0x80))
    SHIFT_RIGHT(LSR, d >> 1)
    SHIFT_RIGHT(ROR, d >> 1 | CARRY << 7)

    OP(SWAP) {
        m[ip->a] = (uint8_t)(m[ip->a] << 4 | m[ip->a] >> 4);
        ip++;
        NEXT(1);
    }
    OP(ADIW) {
        uint32_t d = PAIR(ip->a), res = (uint16_t)(d + ip->b);
        c = (d & ~res) >> 7;
        v = (res & ~d) >> 8;
        n = res >> 8;
        z = res;
        s = 0;
        SET_PAIR(ip->a, res);
        ip++;
        NEXT(2);
    }
    OP(SBIW) {
        uint32_t d = PAIR(ip->a), res = (uint16_t)(d - ip->b);
        c = (res & ~d) >> 7;
        v = (d & ~res) >> 8;
        n = res >> 8;
        z = res;
        s = 0;
        SET_PAIR(ip->a, res);
        ip++;
        NEXT(2);
    }
#define MULTIPLY(name, d_type, r_type, fractional) \
    OP(name) { \
        uint32_t res = (uint16_t)((d_type)m[ip->a] * (r_type)m[ip->b]); \
        c = res >> 7; \
        z = res = (uint16_t)(res << (fractional)); \
        SET_PAIR(0, res); \
        ip++; \
        NEXT(2); \
    }
    MULTIPLY(MUL, uint8_t, uint8_t, 0)
    MULTIPLY(MULS, int8_t, int8_t, 0)
    MULTIPLY(MULSU, int8_t, uint8_t, 0)
    MULTIPLY(FMUL, uint8_t, uint8_t, 1)
    MULTIPLY(FMULS, int8_t, int8_t, 1)
    MULTIPLY(FMULSU, int8_t, uint8_t, 1)

    OP(MOV) {
        m[ip->a] = m[ip->b];
        ip++;
        NEXT(1);
    }
    OP(MOVW) {
        m[ip->a] = m[ip->b];
        m[ip->a + 1] = m[ip->b + 1];
        ip++;
        NEXT(1);
    }
    OP(LDI) {
        m[ip->a] = (uint8_t)ip->b;
        ip++;
        NEXT(1);
    }

    /* Bits of SREG and of registers */
    OP(BSET) {
        switch (ip->a) {
        case 0: c = 0x100; break;
        case 1: z = 0; break;
        case 2: s ^= ~n & 0x80; n |= 0x80; break;       /* S stays what it was */
        case 3: s ^= ~v & 0x80; v |= 0x80; break;
        case 4: s = (n ^ v ^ 0x80) & 0x80; break;
        case 5: h = 16; break;
        case 6: t->t_flag = 1; break;
        default:
            if (!t->i_flag) {
                t->i_flag = 1;
                INTERRUPTS_ON(1);
            }
        }
        ip++;
        NEXT(1);
    }
    OP(BCLR) {
        switch (ip->a) {
        case 0: c = 0; break;
        case 1: z = 1; break;
        case 2: s ^= n & 0x80; n &= ~0x80u; break;
        case 3: s ^= v & 0x80; v &= ~0x80u; break;
        case 4: s = (n ^ v) & 0x80; break;
        case 5: h = 0; break;
        case 6: t->t_flag = 0; break;
        default: t->i_flag = 0;
        }
        ip++;
        NEXT(1);
    }
    OP(BST) {
        t->t_flag = m[ip->a] >> ip->b & 1;
        ip++;
        NEXT(1);
    }
    OP(BLD) {
        m[ip->a] = (uint8_t)(t->t_flag ? m[ip->a] | ip->b : m[ip->a] & ~ip->b);
        ip++;
        NEXT(1);
    }

    /* Memory */
    OP(LDS) {
        m[ip->a] = LIKELY(ip->b <= RAM_END) ? m[ip->b] : 0;
        ip += 2;
        NEXT(2);
    }
    OP(LDS_IO) {
        LOAD(m[ip->a], ip->b);
        ip += 2;
        NEXT(2);
    }
    OP(STS) {
        if (LIKELY(ip->b <= RAM_END))
            m[ip->b] = m[ip->a];
        ip += 2;
        NEXT(2);
    }
    OP(STS_IO) {
        STORE(ip->b, m[ip->a], 1);
        ip += 2;
        NEXT(2);
    }
#define POINTER(load, store, pair, before, after) \
    OP(load) { \
        uint16_t address = (uint16_t)(PAIR(pair) + (before)); \
        uint8_t value; \
        LOAD(value, address); \
        if ((before) || (after)) \
            SET_PAIR(pair, (uint16_t)(address + (after))); \
        m[ip->a] = value; \
        ip++; \
        NEXT(2); \
    } \
    OP(store) { \
        uint16_t address = (uint16_t)(PAIR(pair) + (before)); \
        uint8_t value = m[ip->a]; \
        if ((before) || (after)) \
            SET_PAIR(pair, (uint16_t)(address + (after))); \
        STORE(address, value, 1); \
        ip++; \
        NEXT(2); \
    }
    POINTER(LD_X, ST_X, 26, 0, 0)
    POINTER(LD_XI, ST_XI, 26, 0, 1)
    POINTER(LD_XD, ST_XD, 26, -1, 0)
    POINTER(LD_YI, ST_YI, 28, 0, 1)
    POINTER(LD_YD, ST_YD, 28, -1, 0)
    POINTER(LD_ZI, ST_ZI, 30, 0, 1)
    POINTER(LD_ZD, ST_ZD, 30, -1, 0)
#define DISPLACED(load, store, pair) \
    OP(load) { \
        LOAD(m[ip->a], PAIR(pair) + ip->b); \
        ip++; \
        NEXT(2); \
    } \
    OP(store) { \
        STORE(PAIR(pair) + ip->b, m[ip->a], 1); \
        ip++; \
        NEXT(2); \
    }
    DISPLACED(LDD_Y, STD_Y, 28)
    DISPLACED(LDD_Z, STD_Z, 30)

#define LOAD_PROGRAM(name, after) \
    OP(name) { \
        uint16_t address = PAIR(30); \
        uint8_t value = t->flash[address & (BC_FLASH_BYTES - 1)]; \
        if (!LIKELY(!(t->rww_busy | t->spm_operation))) { \
            LEAVE(0); \
            value = nvm_lpm(t, address); \
        } \
        if (after) \
            SET_PAIR(30, (uint16_t)(address + 1)); \
        m[ip->a] = value; \
        ip++; \
        NEXT(3); \
    }
    LOAD_PROGRAM(LPM, 0)
    LOAD_PROGRAM(LPM_I, 1)
    OP(SPM) {
        LEAVE(0);
        t->pc = (uint32_t)(ip - code);
        nvm_spm(t);
        ENTER();
        ip++;
        NEXT(1);
    }
    OP(PUSH) {
        PUSH_BYTE(m[ip->a]);
        ip++;
        NEXT(2);
    }
    OP(POP) {
        uint16_t sp = SP_NOW;
        if (!IN_RAM(sp + 1))
            FAULT(BC_FAULT_STACK, sp);
        m[ip->a] = m[sp + 1];
        SET_SP(sp + 1);
        ip++;
        NEXT(2);
    }

    /* I/O */
    OP(IN) {
        m[ip->a] = m[ip->b];
        ip++;
        NEXT(1);
    }
    OP(IN_IO) {
        if (ip->b == SREG) {
            m[ip->a] = PACK_SREG();
        } else {
            LEAVE(0);
            m[ip->a] = io_read(t, ip->b);
            ENTER();
        }
        ip++;
        NEXT(1);
    }
    OP(OUT) {
        m[ip->b] = m[ip->a];
        ip++;
        NEXT(1);
    }
    OP(OUT_IO) {
        STORE(ip->b, m[ip->a], 0);
        ip++;
        NEXT(1);
    }
#define BIT_WRITE(name, set) \
    OP(name) { \
        LEAVE(2); \
        io_write_bit(t, ip->a, (uint8_t)ip->b, (set)); \
        ENTER(); \
        ip++; \
        NEXT(2); \
    }
    BIT_WRITE(SBI, true)
    BIT_WRITE(CBI, false)

    /* Skips: the high byte of b says that the next instruction has two words */
#define SKIP(name, read, condition) \
    OP(name) { \
        uint32_t value; \
        read; \
        if (condition) { \
            int32_t words = 1 + (ip->b >> 8); \
            poll.branch = NULL; \
            ip += 1 + words; \
            NEXT(1 + words); \
        } \
        ip++; \
        NEXT(1); \
    }
#define IO_BIT() (LEAVE(0), value = io_read(t, ip->a), ENTER())
    SKIP(CPSE, value = m[ip->a], value == m[ip->b & 31])
    SKIP(SBRC, value = m[ip->a], !(value & ip->b & 0xFF))
    SKIP(SBRS, value = m[ip->a], value & ip->b & 0xFF)
    SKIP(SBIC, IO_BIT(), !(value & ip->b & 0xFF))
    SKIP(SBIS, IO_BIT(), value & ip->b & 0xFF)

    /* Jumps, calls, branches */
    OP(RJMP) {
        ip = code + ip->b;
        NEXT(2);
    }
    OP(JMP) {
        JUMP((uint32_t)ip->a << 16 | ip->b);
        NEXT(3);
    }
    OP(IJMP) {
        JUMP(PAIR(30));
        NEXT(2);
    }
    OP(RCALL) {
        PUSH_PC(ip + 1 - code);
        ip = code + ip->b;
        NEXT(3);
    }
    OP(CALL) {
        uint32_t target = (uint32_t)ip->a << 16 | ip->b;
        PUSH_PC(ip + 2 - code);
        JUMP(target);
        NEXT(4);
    }
    OP(ICALL) {
        PUSH_PC(ip + 1 - code);
        JUMP(PAIR(30));
        NEXT(3);
    }
    OP(RET) {
        uint32_t target;
        POP_PC(target);
        JUMP(target);
        NEXT(4);
    }
    OP(RETI) {
        uint32_t target;
        POP_PC(target);
        JUMP(target);
        t->i_flag = 1;
        INTERRUPTS_ON(4);
        NEXT(4);
    }
#define BRANCH(name, taken) \
    OP(name) { \
        if (taken) { \
            poll.branch = NULL; \
            ip = code + ip->b; \
            NEXT(2); \
        } \
        ip++; \
        NEXT(1); \
    }
#define BRANCH_BACK(name, taken) \
    OP(name) { \
        if (taken) \
            goto poll_turn; \
        poll.branch = NULL; \
        ip++; \
        NEXT(1); \
    }
#define BRANCHES(KIND, SET, CLEAR) \
    KIND(SET##C, c & 0x100) KIND(CLEAR##C, !(c & 0x100)) \
    KIND(SET##Z, z == 0) KIND(CLEAR##Z, z != 0) \
    KIND(SET##N, n & 0x80) KIND(CLEAR##N, !(n & 0x80)) \
    KIND(SET##V, v & 0x80) KIND(CLEAR##V, !(v & 0x80)) \
    KIND(SET##S, (n ^ v ^ s) & 0x80) KIND(CLEAR##S, !((n ^ v ^ s) & 0x80)) \
    KIND(SET##H, h & 16) KIND(CLEAR##H, !(h & 16)) \
    KIND(SET##T, t->t_flag) KIND(CLEAR##T, !t->t_flag) \
    KIND(SET##I, t->i_flag) KIND(CLEAR##I, !t->i_flag)
    BRANCHES(BRANCH, BRBS_, BRBC_)
    BRANCHES(BRANCH_BACK, BRBS_BACK_, BRBC_BACK_)

    OP(RJMP_BACK) {
    poll_turn:
        left -= 2;
        if (left <= 0) {
            ip = code + ip->b;
            goto out;
        }
        if (t->skip) {
            if (poll.branch == ip && poll.volatile_reads == t->volatile_reads && poll.c == c && poll.h == h && poll.v == v &&
                poll.n == n && poll.z == z && poll.s == s && poll.t_flag == t->t_flag && !memcmp(poll.registers, m, 32)) {
                if (t->park_ok) {
                    t->park_period = poll.left - left;
                    t->exec_end -= (uint64_t)(int64_t)left;
                    left = 0;
                    ip = code + ip->b;
                    goto out;
                }
                left = (left - 1) % (poll.left - left) + 1;
                poll.branch = NULL;
            } else {
                poll.branch = ip;
                poll.left = left;
                poll.volatile_reads = t->volatile_reads;
                poll.c = c, poll.h = h, poll.v = v, poll.n = n, poll.z = z, poll.s = s;
                poll.t_flag = t->t_flag;
                memcpy(poll.registers, m, 32);
            }
        }
        ip = code + ip->b;
        DISPATCH();
    }
    OP(COUNT_DOWN) {
        int kind = ip->a;
        if (z == 0) {
            poll.branch = NULL;
            ip++;
            NEXT(1);
        }
        left -= 2;
        ip = code + ip->b;
        if (left <= 0)
            goto out;
        if (t->skip) {
            int32_t period;
            int32_t turns = count_down(t, kind, (uint32_t)(ip - code), left, &period);
            left -= turns * period;
            poll.branch = NULL;
        }
        DISPATCH();
    }

    OP(SLEEP) {
        ip++;
        if (m[SMCR] & 1) {
            LEAVE(1);
            chip_sleep(t);
            ENTER();
        }
        NEXT(1);
    }
    OP(WDR) {
        LEAVE(0);
        chip_watchdog_reset(t);
        ENTER();
        ip++;
        NEXT(1);
    }
#if !GOTO_DISPATCH
    default: break;
#endif
    }

out:
#ifdef BLINKS_PROFILE
    if (counted.pc < FLASH_WORDS)
        t->profile->cycles[counted.pc] += t->exec_end - (uint64_t)(int64_t)left - counted.cycle;
#endif
    t->pc = (uint32_t)(ip - code);
    t->cycle = t->exec_end - (uint64_t)(int64_t)left;
    m[SREG] = PACK_SREG();
    t->exec_left = 0;
}

#ifndef BLINKS_PROFILE
const char *bc_dispatch(void) { return GOTO_DISPATCH ? "goto" : "switch"; }
#endif
