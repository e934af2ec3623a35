#include "io/runtime/unwind.h"

enum {
	HEAD_BYTES = 4, /* of a record */
	CODES_MAX = 255,
	RECORDS_MAX = 32, /* chained */
	VERSION = 1,
	FLAG_CHAINED = 4,
	ENTRY_BYTES = 12,
	FRAME_UNIT = 16,
};

enum operation {
	OP_PUSH = 0,
	OP_ALLOCATE_LARGE = 1,
	OP_ALLOCATE = 2,
	OP_SET_FRAME = 3,
	OP_SAVE = 4,
	OP_SAVE_FAR = 5,
	OP_SAVE_XMM = 8,
	OP_SAVE_XMM_FAR = 9,
	OP_SET_FRAME_LARGE = 11,
};

static const char absent[] = "its unwind record, or the stack, is not in memory";
static const char damaged[] = "its unwind record is damaged";

/* The unwind record of a function. */
struct record {
	uint8_t prologue_bytes, codes_count, frame_register, frame_units;
	bool is_chained;
	uint8_t codes[2 * (CODES_MAX + 1)];
	uint64_t end; /* of the codes */
};

static const char *
read_record(struct memory_reader *r, uint64_t at, struct record *out)
{
	uint8_t head[HEAD_BYTES];

	if (!memory_read(r, at, head, sizeof(head)))
		return absent;
	if ((head[0] & 7) != VERSION)
		return damaged;
	out->is_chained = head[0] >> 3 & FLAG_CHAINED;
	out->prologue_bytes = head[1];
	out->codes_count = head[2];
	out->frame_register = head[3] & 15;
	out->frame_units = head[3] >> 4;
	out->end = at + sizeof(head) + 2 * (((uint64_t)out->codes_count + 1) & ~UINT64_C(1));
	return memory_read(r, at + sizeof(head), out->codes, 2 * (size_t)out->codes_count) ? NULL
											   : absent;
}

/* --- codes ---------------------------------------------------------------- */

/* Number of codes that an operation takes with its operands; 0: unknown. */
static unsigned
codes_of(unsigned operation, unsigned number)
{
	switch (operation) {
	case OP_PUSH:
	case OP_ALLOCATE:
	case OP_SET_FRAME:
		return 1;
	case OP_ALLOCATE_LARGE:
		return number ? 3 : 2;
	case OP_SAVE:
	case OP_SAVE_XMM:
		return 2;
	case OP_SAVE_FAR:
	case OP_SAVE_XMM_FAR:
	case OP_SET_FRAME_LARGE:
		return 3;
	default:
		return 0;
	}
}

/* The operand, which takes one code, in units, or two. */
static uint64_t
operand(const uint8_t *code, unsigned codes, unsigned unit)
{
	return codes == 2 ? (uint64_t)(code[2] | code[3] << 8) * unit : bytes_load_u32(code + 2);
}

/* Undoes what one code describes. False: absent. */
static bool
undo(const struct record *record, const uint8_t *code, unsigned codes, struct memory_reader *r,
     struct x64_state *state)
{
	uint64_t *sp = &state->value[X64_RSP];
	unsigned number = code[1] >> 4;

	switch (code[1] & 15) {
	case OP_PUSH:
		if (!x64_state_restore(state, r, number, *sp))
			return false;
		*sp += 8;
		return true;
	case OP_ALLOCATE_LARGE:
		*sp += operand(code, codes, 8);
		return true;
	case OP_ALLOCATE:
		*sp += 8 * (uint64_t)number + 8;
		return true;
	case OP_SET_FRAME:
		*sp = state->value[record->frame_register] - FRAME_UNIT * record->frame_units;
		return true;
	case OP_SET_FRAME_LARGE:
		*sp = state->value[record->frame_register] - FRAME_UNIT * operand(code, codes, 1);
		return true;
	case OP_SAVE:
	case OP_SAVE_FAR:
		return x64_state_restore(state, r, number, *sp + operand(code, codes, 8));
	default:
		return true;
	}
}

/* Runs the codes of one record, without those for what has not been executed yet. */
static const char *
run(const struct record *record, uint64_t offset, struct memory_reader *r, struct x64_state *state)
{
	for (unsigned i = 0, codes; i < record->codes_count; i += codes) {
		const uint8_t *code = record->codes + 2 * i;

		codes = codes_of(code[1] & 15, code[1] >> 4);
		if (!codes || i + codes > record->codes_count)
			return damaged;
		if (offset < record->prologue_bytes && code[0] > offset)
			continue;
		if (!undo(record, code, codes, r, state))
			return absent;
	}
	return NULL;
}

/* Reads the record of the function that a chained record continues. */
static const char *
follow_chain(const struct clr_code *code, struct memory_reader *r, struct record *record)
{
	uint32_t unwind;

	if (!memory_u32(r, record->end + ENTRY_BYTES - 4, &unwind))
		return absent;
	return read_record(r, code->section + unwind, record);
}

static const char *
run_all(const struct clr_code *code, struct memory_reader *r, struct x64_state *state,
	uint64_t offset)
{
	struct record record;
	const char *why = read_record(r, code->unwind, &record);

	for (unsigned i = 0; !why && i < RECORDS_MAX; i++) {
		why = run(&record, offset, r, state);
		if (why || !record.is_chained)
			return why;
		offset = UINT64_MAX;
		why = follow_chain(code, r, &record);
	}
	return why ? why : damaged;
}

/* --- epilogues ------------------------------------------------------------ */

enum {
	EPILOGUE_BYTES = 40, /* lea, at most eight pops, ret */
	LONGEST_BYTES = 8,
	OPCODE_BYTES = 3, /* of a release */
};

/* Instructions at the address, which are executed on `state`. */
struct epilogue {
	const struct clr_code *code;
	struct memory_reader *reader;
	struct x64_state state;
	uint64_t address;
	uint8_t bytes[EPILOGUE_BYTES + LONGEST_BYTES];
	unsigned at, count;
};

static bool
matches(const struct epilogue *e, unsigned len, uint32_t opcode)
{
	for (unsigned i = 0; i < len; i++)
		if (e->bytes[e->at + i] != (opcode >> 8 * (len - 1 - i) & 0xff))
			return false;
	return e->at + len <= e->count;
}

/* Executes add rsp, n or lea rsp, [rbp + n], if one of them is there. */
static void
skip_release(struct epilogue *e)
{
	static const struct {
		uint32_t opcode;
		uint8_t number_bytes;
		uint8_t from; /* register */
	} releases[] = {
		{ 0x4883c4, 1, X64_RSP },
		{ 0x4881c4, 4, X64_RSP },
		{ 0x488d65, 1, X64_RBP },
		{ 0x488da5, 4, X64_RBP },
	};

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		const uint8_t *number = e->bytes + e->at + OPCODE_BYTES;

		if (!matches(e, OPCODE_BYTES, releases[i].opcode))
			continue;
		e->state.value[X64_RSP] =
		    e->state.value[releases[i].from] +
		    (uint64_t)(int64_t)(releases[i].number_bytes == 1
					    ? (int8_t)number[0]
					    : (int32_t)bytes_load_u32(number));
		e->at += OPCODE_BYTES + releases[i].number_bytes;
		return;
	}
}

/* Executes a pop. False: another instruction, or absent. */
static bool
pop(struct epilogue *e)
{
	unsigned prefix = e->bytes[e->at] == 0x41;
	uint8_t opcode = e->bytes[e->at + prefix];

	if (e->at + prefix >= e->count || (opcode & 0xf8) != 0x58)
		return false;
	if (!x64_state_restore(&e->state, e->reader, 8 * prefix + (opcode & 7),
			       e->state.value[X64_RSP]))
		return false;
	e->state.value[X64_RSP] += 8;
	e->at += 1 + prefix;
	return true;
}

/* A jump out of the function ends it as a return does. */
static bool
is_jump_out(const struct epilogue *e)
{
	uint64_t next = e->address + e->at, to;

	if (matches(e, 1, 0xeb))
		to = next + 2 + (uint64_t)(int64_t)(int8_t)e->bytes[e->at + 1];
	else if (matches(e, 1, 0xe9))
		to = next + 5 + (uint64_t)(int64_t)(int32_t)bytes_load_u32(e->bytes + e->at + 1);
	else /* rex.W jmp is used for nothing else */
		return matches(e, 3, 0x48ff25) || matches(e, 3, 0x48ffe0);
	return to < e->code->entry || to >= e->code->entry_end;
}

/* True if the thread stopped in an epilogue, whose rest was executed on `state`. */
static bool
leave_epilogue(const struct clr_code *code, struct memory_reader *r, struct x64_state *state)
{
	struct epilogue e = { .code = code, .reader = r, .state = *state, .address = state->ip };
	uint64_t left = code->entry_end - state->ip;

	e.count = left < EPILOGUE_BYTES ? (unsigned)left : EPILOGUE_BYTES;
	if (!memory_read(r, state->ip, e.bytes, e.count))
		return false;
	skip_release(&e);
	while (pop(&e))
		;
	if (!matches(&e, 1, 0xc3) && !matches(&e, 2, 0xf3c3) && !is_jump_out(&e))
		return false;
	*state = e.state;
	return true;
}

/* --- one frame ------------------------------------------------------------ */

const char *
clr_unwind(const struct clr_code *code, struct memory_reader *r, struct x64_state *state,
	   bool is_leaf)
{
	const char *why = NULL;

	if (!code->entry_end)
		return code->why ? code->why : damaged;
	if (!is_leaf || !leave_epilogue(code, r, state))
		why = run_all(code, r, state, state->ip - code->entry);
	if (!why && !x64_state_return(state, r))
		why = "the stack is not in memory";
	return why;
}
