/* Program words to operations (AVR instruction set manual, avr5 with the 16 KiB part's 16-bit PC), and the two kinds of
 * loop that may be skipped: polls and count-downs. */
#include "ops.h"
#include "tile.h"

#define LONGEST_POLL 14u    /* words; longer backward branches are ordinary loops */

static uint16_t word_at(const uint8_t *flash, uint32_t pc)
{
    pc &= FLASH_WORDS - 1;
    return (uint16_t)(flash[2 * pc] | flash[2 * pc + 1] << 8);
}

static Code code(enum op op, unsigned a, unsigned b) { return (Code){(uint8_t)op, (uint8_t)a, (uint16_t)b}; }

static bool is_two_words(uint16_t w)
{
    return (w & 0xFE0E) == 0x940C || (w & 0xFE0E) == 0x940E || (w & 0xFE0F) == 0x9000 || (w & 0xFE0F) == 0x9200;
}

static Code decode_00(uint16_t w, unsigned d, unsigned r)
{
    static const uint8_t two_registers[] = {
        [1] = OP_CPC, [2] = OP_SBC, [3] = OP_ADD, [4] = OP_CPSE, [5] = OP_CP, [6] = OP_SUB, [7] = OP_ADC,
        [8] = OP_AND, [9] = OP_EOR, [10] = OP_OR, [11] = OP_MOV};
    unsigned d8 = 16 + (w >> 4 & 7), r8 = 16 + (w & 7);
    if (w == 0)
        return code(OP_NOP, 0, 0);
    switch (w >> 8) {
    case 0: return code(OP_ILLEGAL, 0, w);
    case 1: return code(OP_MOVW, (w >> 4 & 15) * 2, (w & 15) * 2);
    case 2: return code(OP_MULS, 16 + (w >> 4 & 15), 16 + (w & 15));
    case 3:
        switch (w & 0x88) {
        case 0x00: return code(OP_MULSU, d8, r8);
        case 0x08: return code(OP_FMUL, d8, r8);
        case 0x80: return code(OP_FMULS, d8, r8);
        default: return code(OP_FMULSU, d8, r8);
        }
    default: return code(two_registers[w >> 10], d, r);
    }
}

static Code decode_90(uint16_t w, unsigned d, uint16_t second)
{
    bool store = w & 0x0200;
    switch (w & 15) {
    case 0:
        if (store)
            return code(io_write_is_plain(second) ? OP_STS : OP_STS_IO, d, second);
        return code(io_read_is_plain(second) ? OP_LDS : OP_LDS_IO, d, second);
    case 1: return code(store ? OP_ST_ZI : OP_LD_ZI, d, 0);
    case 2: return code(store ? OP_ST_ZD : OP_LD_ZD, d, 0);
    case 4: return store ? code(OP_ILLEGAL, 0, w) : code(OP_LPM, d, 0);
    case 5: return store ? code(OP_ILLEGAL, 0, w) : code(OP_LPM_I, d, 0);
    case 9: return code(store ? OP_ST_YI : OP_LD_YI, d, 0);
    case 10: return code(store ? OP_ST_YD : OP_LD_YD, d, 0);
    case 12: return code(store ? OP_ST_X : OP_LD_X, d, 0);
    case 13: return code(store ? OP_ST_XI : OP_LD_XI, d, 0);
    case 14: return code(store ? OP_ST_XD : OP_LD_XD, d, 0);
    case 15: return code(store ? OP_PUSH : OP_POP, d, 0);
    default: return code(OP_ILLEGAL, 0, w);     /* ELPM, XCH, LAS, LAC, LAT are not in this part */
    }
}

static Code decode_94(uint16_t w, unsigned d, uint16_t second)
{
    static const uint8_t one_register[] = {
        [0] = OP_COM, [1] = OP_NEG, [2] = OP_SWAP, [3] = OP_INC, [4] = OP_ILLEGAL, [5] = OP_ASR, [6] = OP_LSR, [7] = OP_ROR,
        [10] = OP_DEC};
    switch (w & 15) {
    case 12: case 13: return code(OP_JMP, (w >> 3 & 0x3E) | (w & 1), second);
    case 14: case 15: return code(OP_CALL, (w >> 3 & 0x3E) | (w & 1), second);
    case 8: break;
    case 9:
        if (w == 0x9409)
            return code(OP_IJMP, 0, 0);
        return w == 0x9509 ? code(OP_ICALL, 0, 0) : code(OP_ILLEGAL, 0, w);
    case 11: return code(OP_ILLEGAL, 0, w);
    default: return code(one_register[w & 15], d, w);
    }
    if (w < 0x9500)
        return code(w & 0x80 ? OP_BCLR : OP_BSET, w >> 4 & 7, 0);
    switch (w) {
    case 0x9508: return code(OP_RET, 0, 0);
    case 0x9518: return code(OP_RETI, 0, 0);
    case 0x9588: return code(OP_SLEEP, 0, 0);
    case 0x9598: return code(OP_BREAK, 0, 0);
    case 0x95A8: return code(OP_WDR, 0, 0);
    case 0x95C8: return code(OP_LPM, 0, 0);
    case 0x95E8: return code(OP_SPM, 0, 0);
    default: return code(OP_ILLEGAL, 0, w);
    }
}

static Code decode_9(uint16_t w, unsigned d, unsigned r, uint16_t second)
{
    unsigned io = 0x20 + (w >> 3 & 31), bit = 1u << (w & 7);
    unsigned k = (w >> 2 & 0x30) | (w & 15), pair = 24 + (w >> 3 & 6);
    if (w < 0x9400)
        return decode_90(w, d, second);
    if (w < 0x9600)
        return decode_94(w, d, second);
    switch (w >> 8) {
    case 0x96: return code(OP_ADIW, pair, k);
    case 0x97: return code(OP_SBIW, pair, k);
    case 0x98: return code(OP_CBI, io, bit);
    case 0x99: return code(OP_SBIC, io, bit);
    case 0x9A: return code(OP_SBI, io, bit);
    case 0x9B: return code(OP_SBIS, io, bit);
    default: return code(OP_MUL, d, r);
    }
}

/* Decode one instruction by itself: jumps with their absolute target, no notion of loops. */
static Code decode_plain(const uint8_t *flash, uint32_t pc)
{
    uint16_t w = word_at(flash, pc), second = word_at(flash, pc + 1);
    unsigned d = w >> 4 & 31, r = (w >> 5 & 16) | (w & 15), k = (w >> 4 & 0xF0) | (w & 15), d16 = 16 + (w >> 4 & 15);
    unsigned q = (w >> 8 & 0x20) | (w >> 7 & 0x18) | (w & 7);
    unsigned io = 0x20 + ((w >> 5 & 0x30) | (w & 15)), far = (pc + 1 + (uint32_t)(w & 0x0FFF) - (w & 0x0800) * 2) & (FLASH_WORDS - 1);
    unsigned near = (pc + 1 + (w >> 3 & 0x7F) - (w >> 2 & 0x80)) & (FLASH_WORDS - 1);
    switch (w >> 12) {
    case 0: case 1: case 2: return decode_00(w, d, r);
    case 3: return code(OP_CPI, d16, k);
    case 4: return code(OP_SBCI, d16, k);
    case 5: return code(OP_SUBI, d16, k);
    case 6: return code(OP_ORI, d16, k);
    case 7: return code(OP_ANDI, d16, k);
    case 8: case 10:
        if (w & 0x0200)
            return code(w & 8 ? OP_STD_Y : OP_STD_Z, d, q);
        return code(w & 8 ? OP_LDD_Y : OP_LDD_Z, d, q);
    case 9: return decode_9(w, d, r, second);
    case 11:
        if (w & 0x0800)
            return code(io_write_is_plain((uint16_t)io) ? OP_OUT : OP_OUT_IO, d, io);
        return code(io_read_is_plain((uint16_t)io) ? OP_IN : OP_IN_IO, d, io);
    case 12: return code(OP_RJMP, 0, far);
    case 13: return code(OP_RCALL, 0, far);
    case 14: return code(OP_LDI, d16, k);
    default: break;
    }
    if (w < 0xF400)
        return code((enum op)(OP_BRBS_C + (w & 7)), 0, near);
    if (w < 0xF800)
        return code((enum op)(OP_BRBC_C + (w & 7)), 0, near);
    if (w & 8)
        return code(OP_ILLEGAL, 0, w);
    switch (w >> 9 & 3) {
    case 0: return code(OP_BLD, d, 1u << (w & 7));
    case 1: return code(OP_BST, d, w & 7);
    case 2: return code(OP_SBRC, d, 1u << (w & 7));
    default: return code(OP_SBRS, d, 1u << (w & 7));
    }
}

/* May this instruction stand in the body of a poll? It neither stores nor jumps without condition, and what it reads stays the same
 * until something happens (reads that do not are counted while they run). */
static bool harmless(uint8_t op)
{
    switch (op) {
    case OP_NOP: case OP_MOVW: case OP_CPC: case OP_SBC: case OP_ADD: case OP_CPSE: case OP_CP: case OP_SUB: case OP_ADC:
    case OP_AND: case OP_EOR: case OP_OR: case OP_MOV: case OP_CPI: case OP_SBCI: case OP_SUBI: case OP_ORI: case OP_ANDI:
    case OP_LDI: case OP_LDD_Y: case OP_LDD_Z: case OP_LDS: case OP_LDS_IO: case OP_LD_X: case OP_LPM:
    case OP_COM: case OP_NEG: case OP_SWAP: case OP_INC: case OP_ASR: case OP_LSR: case OP_ROR: case OP_DEC:
    case OP_BLD: case OP_BST: case OP_ADIW: case OP_SBIW: case OP_SBIC: case OP_SBIS: case OP_SBRC: case OP_SBRS:
    case OP_IN: case OP_IN_IO:
        return true;
    default:
        return op >= OP_BRBS_C && op < OP_BRBC_C + 8;
    }
}

static bool is_poll(const uint8_t *flash, uint32_t first, uint32_t branch)
{
    if (first > branch || branch - first > LONGEST_POLL)
        return false;
    for (uint32_t pc = first; pc < branch; pc += is_two_words(word_at(flash, pc)) ? 2 : 1)
        if (!harmless(decode_plain(flash, pc).op))
            return false;
    return true;
}

/* The count-downs compilers and avr-libc write: DEC; BRNE · SBIW 1; BRNE · SUBI 1, SBCI 0 ...; BRNE (up to four bytes). */
static int count_down_kind(const uint8_t *flash, uint32_t first, uint32_t branch)
{
    Code head = decode_plain(flash, first);
    if (branch == first + 1 && head.op == OP_DEC)
        return COUNT_DEC;
    if (branch == first + 1 && head.op == OP_SBIW && head.b == 1)
        return COUNT_SBIW;
    if (head.op != OP_SUBI || head.b != 1 || branch < first + 2 || branch > first + 4)
        return 0;
    for (uint32_t pc = first + 1; pc < branch; pc++) {
        Code next = decode_plain(flash, pc);
        if (next.op != OP_SBCI || next.b != 0)
            return 0;
        for (uint32_t other = first; other < pc; other++)
            if (decode_plain(flash, other).a == next.a)
                return 0;
    }
    return COUNT_SUBI;
}

Code avr_decode(const uint8_t *flash, uint32_t pc)
{
    if (pc >= FLASH_WORDS)
        return code(OP_OFF_END, 0, 0);
    Code c = decode_plain(flash, pc);
    if (is_two_words(word_at(flash, pc)) && pc + 1 >= FLASH_WORDS)
        return code(OP_OFF_END, 0, 0);
    switch (c.op) {
    case OP_CPSE: case OP_SBIC: case OP_SBIS: case OP_SBRC: case OP_SBRS:
        c.b = (uint16_t)(c.b | is_two_words(word_at(flash, pc + 1)) << 8);
        return c;
    case OP_RJMP:
        if (is_poll(flash, c.b, pc))
            c.op = OP_RJMP_BACK;
        return c;
    default: break;
    }
    if (c.op >= OP_BRBS_C && c.op < OP_BRBC_C + 8 && c.b <= pc) {
        int kind = c.op == OP_BRBC_Z ? count_down_kind(flash, c.b, pc) : 0;
        if (kind)
            return code(OP_COUNT_DOWN, (unsigned)kind, c.b);
        if (is_poll(flash, c.b, pc))
            c.op = (uint8_t)(c.op + (OP_BRBS_BACK_C - OP_BRBS_C));
    }
    return c;
}

const char *bc_decode_name(uint16_t word)
{
    static const char *const names[] = {
#define X(op, name) name,
        OPS(X)
#undef X
    };
    uint8_t flash[BC_FLASH_BYTES] = {(uint8_t)word, (uint8_t)(word >> 8)};
    return names[decode_plain(flash, 0).op];
}

int bc_decode_words(uint16_t word)
{
    return bc_decode_name(word) ? 1 + is_two_words(word) : 0;
}
