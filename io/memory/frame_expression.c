#include "io/memory/frame_expression.h"

enum { STACK_MAX = 32, GROUP_BITS = 7, NUMBER_BITS = 64 };

/* Operations, by their codes. */
enum operation {
	OP_ADDRESS = 0x03,
	OP_LOAD = 0x06,
	OP_U8 = 0x08,
	OP_I8 = 0x09,
	OP_U16 = 0x0a,
	OP_I16 = 0x0b,
	OP_U32 = 0x0c,
	OP_I32 = 0x0d,
	OP_U64 = 0x0e,
	OP_I64 = 0x0f,
	OP_UNSIGNED = 0x10,
	OP_SIGNED = 0x11,
	OP_DUPLICATE = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROTATE = 0x17,
	OP_ABSOLUTE = 0x19,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MULTIPLY = 0x1e,
	OP_NEGATE = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UNSIGNED = 0x23,
	OP_SHIFT_LEFT = 0x24,
	OP_SHIFT_RIGHT = 0x25,
	OP_SHIFT_SIGNED = 0x26,
	OP_XOR = 0x27,
	OP_JUMP_IF = 0x28,
	OP_EQUAL = 0x29,
	OP_NOT_LESS = 0x2a,
	OP_GREATER = 0x2b,
	OP_NOT_GREATER = 0x2c,
	OP_LESS = 0x2d,
	OP_UNEQUAL = 0x2e,
	OP_JUMP = 0x2f,
	OP_SMALL = 0x30, /* 0 to 31 */
	OP_SMALL_END = 0x50,
	OP_REGISTER = 0x70, /* register 0 to 31, plus an offset */
	OP_REGISTER_END = 0x90,
	OP_NOTHING = 0x96,
};

unsigned
frame_register(uint64_t number)
{
	static const uint8_t registers[] = {
		X64_RAX, X64_RDX, X64_RCX, X64_RBX, X64_RSI, X64_RDI, X64_RBP, X64_RSP,
	};

	if (number < sizeof(registers))
		return registers[number];
	return number < FRAME_COLUMNS ? (unsigned)number : FRAME_COLUMNS;
}

/* Bits past the 64th are lost; `shift` ends behind the last group. */
static uint64_t
read_groups(struct bytes *b, unsigned *shift, uint8_t *last)
{
	uint64_t value = 0;

	for (*shift = 0; *shift < NUMBER_BITS + GROUP_BITS && bytes_ok(b);) {
		*last = bytes_u8(b, "a number");
		if (*shift < NUMBER_BITS)
			value |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += GROUP_BITS;
		if (!(*last & 0x80))
			return value;
	}
	bytes_fail(b, b->at, "a number has no end");
	return 0;
}

uint64_t
frame_unsigned(struct bytes *b)
{
	unsigned shift;
	uint8_t last = 0;

	return read_groups(b, &shift, &last);
}

int64_t
frame_signed(struct bytes *b)
{
	unsigned shift;
	uint8_t last = 0;
	uint64_t value = read_groups(b, &shift, &last);

	if (last & 0x40 && shift < NUMBER_BITS)
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

struct running {
	struct bytes program;
	const struct x64_state *state;
	struct memory_reader *reader;
	uint64_t stack[STACK_MAX];
	unsigned count;
	bool has_failed;
};

static void
push(struct running *e, uint64_t value)
{
	if (e->count == STACK_MAX)
		e->has_failed = true;
	else
		e->stack[e->count++] = value;
}

static uint64_t
pop(struct running *e)
{
	if (e->count)
		return e->stack[--e->count];
	e->has_failed = true;
	return 0;
}

/* The number that lies `depth` below the top. */
static uint64_t
peek(struct running *e, unsigned depth)
{
	if (depth < e->count)
		return e->stack[e->count - 1 - depth];
	e->has_failed = true;
	return 0;
}

static uint64_t
read_constant(struct bytes *b, uint8_t code)
{
	switch (code) {
	case OP_U8:
		return bytes_u8(b, "a constant");
	case OP_I8:
		return (uint64_t)(int64_t)(int8_t)bytes_u8(b, "a constant");
	case OP_U16:
		return bytes_u16(b, "a constant");
	case OP_I16:
		return (uint64_t)(int64_t)(int16_t)bytes_u16(b, "a constant");
	case OP_U32:
		return bytes_u32(b, "a constant");
	case OP_I32:
		return (uint64_t)(int64_t)bytes_i32(b, "a constant");
	case OP_UNSIGNED:
		return frame_unsigned(b);
	case OP_SIGNED:
		return (uint64_t)frame_signed(b);
	default:
		return bytes_u64(b, "a constant");
	}
}

static uint64_t
read_register(struct running *e, uint8_t code)
{
	unsigned number = frame_register(code - OP_REGISTER);
	uint64_t offset = (uint64_t)frame_signed(&e->program);

	if (number == FRAME_COLUMNS)
		e->has_failed = true;
	if (number >= FRAME_IP)
		return e->state->ip + offset;
	return e->state->value[number] + offset;
}

static void
load(struct running *e)
{
	uint64_t value = 0, address = pop(e);

	if (!e->has_failed && !memory_u64(e->reader, address, &value))
		e->has_failed = true;
	push(e, value);
}

/* The three topmost: the first one goes below the others. */
static void
rotate(struct running *e)
{
	uint64_t first = pop(e), second = pop(e), third = pop(e);

	push(e, first);
	push(e, third);
	push(e, second);
}

static void
swap(struct running *e)
{
	uint64_t first = pop(e), second = pop(e);

	push(e, first);
	push(e, second);
}

static void
jump(struct running *e, bool is_taken)
{
	int16_t distance = (int16_t)bytes_u16(&e->program, "a jump");

	if (distance < 0)
		e->has_failed = true;
	else if (is_taken)
		bytes_skip(&e->program, (uint64_t)distance, "a jump");
}

static uint64_t
shift_signed(uint64_t value, uint64_t bits)
{
	bool is_negative = value >> 63;

	if (bits > 63)
		return is_negative ? ~UINT64_C(0) : 0;
	return value >> bits | (is_negative && bits ? ~UINT64_C(0) << (64 - bits) : 0);
}

/* False: the operation does not have two numbers. */
static bool
join(uint8_t code, uint64_t a, uint64_t b, uint64_t *result)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (code) {
	case OP_AND:
		return *result = a & b, true;
	case OP_OR:
		return *result = a | b, true;
	case OP_XOR:
		return *result = a ^ b, true;
	case OP_PLUS:
		return *result = a + b, true;
	case OP_MINUS:
		return *result = a - b, true;
	case OP_MULTIPLY:
		return *result = a * b, true;
	case OP_SHIFT_LEFT:
		return *result = b < 64 ? a << b : 0, true;
	case OP_SHIFT_RIGHT:
		return *result = b < 64 ? a >> b : 0, true;
	case OP_SHIFT_SIGNED:
		return *result = shift_signed(a, b), true;
	case OP_EQUAL:
		return *result = x == y, true;
	case OP_UNEQUAL:
		return *result = x != y, true;
	case OP_LESS:
		return *result = x < y, true;
	case OP_NOT_LESS:
		return *result = x >= y, true;
	case OP_GREATER:
		return *result = x > y, true;
	case OP_NOT_GREATER:
		return *result = x <= y, true;
	default:
		return false;
	}
}

/* Operations on the stack itself, or on one number. */
static void
change_stack(struct running *e, uint8_t code)
{
	switch (code) {
	case OP_LOAD:
		load(e);
		break;
	case OP_DUPLICATE:
		push(e, peek(e, 0));
		break;
	case OP_DROP:
		pop(e);
		break;
	case OP_OVER:
		push(e, peek(e, 1));
		break;
	case OP_PICK:
		push(e, peek(e, bytes_u8(&e->program, "a depth")));
		break;
	case OP_SWAP:
		swap(e);
		break;
	case OP_ROTATE:
		rotate(e);
		break;
	case OP_ABSOLUTE:
		if (peek(e, 0) >> 63)
			push(e, -pop(e));
		break;
	case OP_NEGATE:
		push(e, -pop(e));
		break;
	case OP_NOT:
		push(e, ~pop(e));
		break;
	case OP_PLUS_UNSIGNED:
		push(e, pop(e) + frame_unsigned(&e->program));
		break;
	case OP_JUMP_IF:
		jump(e, pop(e) != 0);
		break;
	case OP_JUMP:
		jump(e, true);
		break;
	case OP_NOTHING:
		break;
	default:
		e->has_failed = true;
	}
}

static void
run_operation(struct running *e, uint8_t code)
{
	uint64_t result;

	if (code >= OP_SMALL && code < OP_SMALL_END) {
		push(e, code - (unsigned)OP_SMALL);
	} else if (code >= OP_REGISTER && code < OP_REGISTER_END) {
		push(e, read_register(e, code));
	} else if (code == OP_ADDRESS || (code >= OP_U8 && code <= OP_SIGNED)) {
		push(e, read_constant(&e->program, code));
	} else if (join(code, 0, 0, &result)) {
		uint64_t b = pop(e), a = pop(e);

		push(e, join(code, a, b, &result) ? result : 0);
	} else {
		change_stack(e, code);
	}
}

bool
frame_expression_run(const uint8_t *program, size_t len, const struct x64_state *state,
		     struct memory_reader *r, const uint64_t *pushed, uint64_t *result)
{
	struct running e = { .state = state, .reader = r };

	bytes_init(&e.program, program, len, NULL);
	if (pushed)
		push(&e, *pushed);
	while (bytes_ok(&e.program) && !e.has_failed && bytes_left(&e.program))
		run_operation(&e, bytes_u8(&e.program, "an operation"));
	*result = pop(&e);
	return bytes_ok(&e.program) && !e.has_failed;
}
