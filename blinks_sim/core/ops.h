/* The operations the decoder knows, with the manual's mnemonic of each. Order matters for the first two only: code
 * filled with zero bytes is not decoded yet, code filled with ones lies in flash that is being written. */
#ifndef BLINKS_OPS_H
#define BLINKS_OPS_H

#define FLAG_OPS(X, PREFIX, NAME) \
    X(PREFIX##C, NAME) X(PREFIX##Z, NAME) X(PREFIX##N, NAME) X(PREFIX##V, NAME) \
    X(PREFIX##S, NAME) X(PREFIX##H, NAME) X(PREFIX##T, NAME) X(PREFIX##I, NAME)

#define OPS(X) \
    X(UNDECODED, 0) X(BLOCKED, 0) X(ILLEGAL, 0) X(OFF_END, 0) \
    X(NOP, "NOP") X(MOVW, "MOVW") X(MULS, "MULS") X(MULSU, "MULSU") X(FMUL, "FMUL") X(FMULS, "FMULS") X(FMULSU, "FMULSU") \
    X(CPC, "CPC") X(SBC, "SBC") X(ADD, "ADD") X(CPSE, "CPSE") X(CP, "CP") X(SUB, "SUB") X(ADC, "ADC") \
    X(AND, "AND") X(EOR, "EOR") X(OR, "OR") X(MOV, "MOV") \
    X(CPI, "CPI") X(SBCI, "SBCI") X(SUBI, "SUBI") X(ORI, "ORI") X(ANDI, "ANDI") X(LDI, "LDI") \
    X(LDD_Y, "LDD") X(LDD_Z, "LDD") X(STD_Y, "STD") X(STD_Z, "STD") \
    X(LDS, "LDS") X(LDS_IO, "LDS") X(STS, "STS") X(STS_IO, "STS") \
    X(LD_X, "LD") X(LD_XI, "LD") X(LD_XD, "LD") X(LD_YI, "LD") X(LD_YD, "LD") X(LD_ZI, "LD") X(LD_ZD, "LD") \
    X(ST_X, "ST") X(ST_XI, "ST") X(ST_XD, "ST") X(ST_YI, "ST") X(ST_YD, "ST") X(ST_ZI, "ST") X(ST_ZD, "ST") \
    X(LPM, "LPM") X(LPM_I, "LPM") X(SPM, "SPM") X(PUSH, "PUSH") X(POP, "POP") \
    X(COM, "COM") X(NEG, "NEG") X(SWAP, "SWAP") X(INC, "INC") X(ASR, "ASR") X(LSR, "LSR") X(ROR, "ROR") X(DEC, "DEC") \
    X(BSET, "BSET") X(BCLR, "BCLR") X(BLD, "BLD") X(BST, "BST") \
    X(JMP, "JMP") X(CALL, "CALL") X(RJMP, "RJMP") X(RJMP_BACK, "RJMP") X(RCALL, "RCALL") \
    X(IJMP, "IJMP") X(ICALL, "ICALL") X(RET, "RET") X(RETI, "RETI") \
    X(SLEEP, "SLEEP") X(BREAK, "BREAK") X(WDR, "WDR") X(ADIW, "ADIW") X(SBIW, "SBIW") X(MUL, "MUL") \
    X(CBI, "CBI") X(SBI, "SBI") X(SBIC, "SBIC") X(SBIS, "SBIS") X(SBRC, "SBRC") X(SBRS, "SBRS") \
    X(IN, "IN") X(IN_IO, "IN") X(OUT, "OUT") X(OUT_IO, "OUT") \
    FLAG_OPS(X, BRBS_, "BRBS") FLAG_OPS(X, BRBC_, "BRBC") \
    FLAG_OPS(X, BRBS_BACK_, "BRBS") FLAG_OPS(X, BRBC_BACK_, "BRBC") \
    X(COUNT_DOWN, "BRBC")

enum op {
#define X(op, name) OP_##op,
    OPS(X)
#undef X
    OP_COUNT
};

/* How a COUNT_DOWN loop counts; operand a. The counter lies in the registers the instructions before it name. */
enum { COUNT_DEC = 1, COUNT_SBIW, COUNT_SUBI };

#endif
