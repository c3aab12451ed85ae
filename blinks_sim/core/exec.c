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
#include "exec.h"

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
