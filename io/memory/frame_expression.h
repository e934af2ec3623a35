#ifndef IO_MEMORY_FRAME_EXPRESSION_H
#define IO_MEMORY_FRAME_EXPRESSION_H

/*
 * The expressions of call frame information, as DWARF defines them: a program for a stack of
 * numbers, whose result is an address or a value. Compilers need them for a few stubs, for signal
 * frames and where a stack is aligned; of their operations, those are known that work on registers,
 * memory and constants. Jumps lead forwards only, so that an expression costs no more than its
 * length.
 */
#include "io/memory/x64_state.h"

/* Registers as call frame information numbers them. */
enum {
	FRAME_IP = X64_REGISTERS, /* the column of the return address */
	FRAME_COLUMNS,            /* all others, of vectors, are left alone */
};

/* The register, X64_… or FRAME_IP; FRAME_COLUMNS: another one. */
unsigned frame_register(uint64_t number);
/* The next number of variable length (LEB128); too long: the cursor fails. */
uint64_t frame_unsigned(struct bytes *b);
int64_t frame_signed(struct bytes *b);

/* `pushed` is on the stack at first; NULL: nothing is. False: damaged, unknown, or memory that is
 * absent. */
bool frame_expression_run(const uint8_t *program, size_t len, const struct x64_state *state,
			  struct memory_reader *r, const uint64_t *pushed,
			  uint64_t *result) MUST_USE;

#endif
