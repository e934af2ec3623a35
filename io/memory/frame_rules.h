#ifndef IO_MEMORY_FRAME_RULES_H
#define IO_MEMORY_FRAME_RULES_H

/*
 * Runs the instructions of call frame information up to an address. They say how the registers of
 * the caller are found there: the frame's address (the caller's stack pointer, as a rule) from a
 * register and an offset, and each register at an offset from that address.
 *
 * An instruction takes at least a byte, so that a program costs no more than its length.
 */
#include "io/memory/frame_expression.h"

enum frame_rule_kind {
	FRAME_SAME,      /* the register still has the caller's value, or that is unknown */
	FRAME_UNDEFINED, /* of the return address: there is no caller */
	FRAME_AT,        /* it lies at the frame's address plus `offset` */
	FRAME_VALUE,     /* its value is the frame's address plus `offset` */
	FRAME_REGISTER,  /* it is in register `number`, plus `offset` */
	FRAME_AT_EXPRESSION,
	FRAME_VALUE_EXPRESSION,
};

struct frame_rule {
	enum frame_rule_kind kind;
	unsigned number;
	int64_t offset;
	const uint8_t *expression; /* in the program, of `len` bytes */
	size_t len;
};

struct frame_rules {
	struct frame_rule address; /* FRAME_REGISTER or FRAME_VALUE_EXPRESSION; FRAME_SAME: none */
	struct frame_rule of[FRAME_COLUMNS];
};

/* Numbers in a program are counted in these units. */
struct frame_units {
	uint64_t code;
	int64_t data;
};

/*
 * Runs a program whose first instruction counts from code address `from`; those for addresses
 * above `to` are left out. `initial` has the rules to which a register can be restored. False:
 * damaged, or an unknown instruction.
 */
bool frame_rules_run(struct frame_rules *rules, const struct frame_rules *initial,
		     struct bytes *program, const struct frame_units *units, uint64_t from,
		     uint64_t to) MUST_USE;

#endif
