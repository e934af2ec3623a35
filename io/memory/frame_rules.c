#include "io/memory/frame_rules.h"

enum { REMEMBERED_MAX = 8 };

struct running {
	struct frame_rules *rules;
	const struct frame_rules *initial;
	struct bytes *program;
	const struct frame_units *units;
	uint64_t at, to; /* addresses of code */
	struct frame_rules remembered[REMEMBERED_MAX];
	unsigned remembered_count;
	bool has_failed;
};

/* The operands of an instruction, and the kind of rule that its row has. */
struct operands {
	unsigned column, other; /* registers */
	int64_t number;
	const uint8_t *expression;
	size_t len;
	enum frame_rule_kind kind;
};

static void
do_nothing(struct running *p, const struct operands *o)
{
	(void)p;
	(void)o;
}

static void
advance(struct running *p, const struct operands *o)
{
	p->at += (uint64_t)o->number * p->units->code;
}

static void
set_rule(struct running *p, const struct operands *o)
{
	if (o->column < FRAME_COLUMNS)
		p->rules->of[o->column] = (struct frame_rule){
			.kind = o->kind,
			.number = o->other,
			.offset = o->number,
			.expression = o->expression,
			.len = o->len,
		};
}

static void
restore(struct running *p, const struct operands *o)
{
	if (o->column < FRAME_COLUMNS)
		p->rules->of[o->column] = p->initial->of[o->column];
}

static void
remember(struct running *p, const struct operands *o)
{
	(void)o;
	if (p->remembered_count == REMEMBERED_MAX)
		p->has_failed = true;
	else
		p->remembered[p->remembered_count++] = *p->rules;
}

/* The frame's address is restored, too: all compilers count on that. */
static void
restore_all(struct running *p, const struct operands *o)
{
	(void)o;
	if (p->remembered_count)
		*p->rules = p->remembered[--p->remembered_count];
	else
		p->has_failed = true;
}

static void
set_address(struct running *p, const struct operands *o)
{
	p->rules->address = (struct frame_rule){
		.kind = o->kind,
		.number = o->column,
		.offset = o->number,
		.expression = o->expression,
		.len = o->len,
	};
}

static void
set_address_register(struct running *p, const struct operands *o)
{
	p->rules->address.number = o->column;
	p->has_failed |= p->rules->address.kind != FRAME_REGISTER;
}

static void
set_address_offset(struct running *p, const struct operands *o)
{
	p->rules->address.offset = o->number;
	p->has_failed |= p->rules->address.kind != FRAME_REGISTER;
}

/*
 * Operands: r a register, R another one, u a number, f one in units of data, s a signed one in
 * units of data, n one in units of data to be negated, e an expression; 1, 2 and 4 a distance of so
 * many bytes.
 */
struct instruction {
	const char *operands;
	void (*run)(struct running *p, const struct operands *o);
	enum frame_rule_kind kind;
};

static const struct instruction instructions[] = {
	/* clang-format off */
	[0x00] = { "",   do_nothing,           FRAME_SAME },
	[0x02] = { "1",  advance,              FRAME_SAME },
	[0x03] = { "2",  advance,              FRAME_SAME },
	[0x04] = { "4",  advance,              FRAME_SAME },
	[0x05] = { "rf", set_rule,             FRAME_AT },
	[0x06] = { "r",  restore,              FRAME_SAME },
	[0x07] = { "r",  set_rule,             FRAME_UNDEFINED },
	[0x08] = { "r",  set_rule,             FRAME_SAME },
	[0x09] = { "rR", set_rule,             FRAME_REGISTER },
	[0x0a] = { "",   remember,             FRAME_SAME },
	[0x0b] = { "",   restore_all,          FRAME_SAME },
	[0x0c] = { "ru", set_address,          FRAME_REGISTER },
	[0x0d] = { "r",  set_address_register, FRAME_REGISTER },
	[0x0e] = { "u",  set_address_offset,   FRAME_REGISTER },
	[0x0f] = { "e",  set_address,          FRAME_VALUE_EXPRESSION },
	[0x10] = { "re", set_rule,             FRAME_AT_EXPRESSION },
	[0x11] = { "rs", set_rule,             FRAME_AT },
	[0x12] = { "rs", set_address,          FRAME_REGISTER },
	[0x13] = { "s",  set_address_offset,   FRAME_REGISTER },
	[0x14] = { "rf", set_rule,             FRAME_VALUE },
	[0x15] = { "rs", set_rule,             FRAME_VALUE },
	[0x16] = { "re", set_rule,             FRAME_VALUE_EXPRESSION },
	/* Two of GNU: the size of arguments, and a negative offset. */
	[0x2e] = { "u",  do_nothing,           FRAME_SAME },
	[0x2f] = { "rn", set_rule,             FRAME_AT },
	/* clang-format on */
};
enum { INSTRUCTIONS_COUNT = sizeof(instructions) / sizeof(instructions[0]) };

static int64_t
in_units(const struct running *p, uint64_t number)
{
	return (int64_t)(number * (uint64_t)p->units->data);
}

static void
read_operand(struct running *p, char operand, struct operands *o)
{
	struct bytes *b = p->program;

	switch (operand) {
	case 'r':
		o->column = frame_register(frame_unsigned(b));
		break;
	case 'R':
		o->other = frame_register(frame_unsigned(b));
		break;
	case 'u':
		o->number = (int64_t)frame_unsigned(b);
		break;
	case 'f':
		o->number = in_units(p, frame_unsigned(b));
		break;
	case 's':
		o->number = in_units(p, (uint64_t)frame_signed(b));
		break;
	case 'n':
		o->number = in_units(p, -frame_unsigned(b));
		break;
	case 'e':
		o->len = (size_t)frame_unsigned(b);
		o->expression = bytes_take(b, o->len, "an expression");
		break;
	case '1':
		o->number = bytes_u8(b, "a distance");
		break;
	case '2':
		o->number = bytes_u16(b, "a distance");
		break;
	default:
		o->number = bytes_u32(b, "a distance");
		break;
	}
}

/* Three instructions have their first operand in the low 6 bits of their code. */
static void
run_short(struct running *p, uint8_t code)
{
	struct operands o = { .kind = FRAME_AT };

	switch (code >> 6) {
	case 1:
		o.number = code & 0x3f;
		advance(p, &o);
		break;
	case 2:
		o.column = frame_register(code & 0x3f);
		o.number = in_units(p, frame_unsigned(p->program));
		set_rule(p, &o);
		break;
	default:
		o.column = frame_register(code & 0x3f);
		restore(p, &o);
		break;
	}
}

static void
run_instruction(struct running *p)
{
	uint8_t code = bytes_u8(p->program, "an instruction");
	const struct instruction *instruction;
	struct operands o = { 0 };

	if (code >> 6) {
		run_short(p, code);
		return;
	}
	if (code >= INSTRUCTIONS_COUNT || !instructions[code].run) {
		p->has_failed = true;
		return;
	}
	instruction = &instructions[code];
	o.kind = instruction->kind;
	for (const char *operand = instruction->operands; *operand; operand++)
		read_operand(p, *operand, &o);
	if (bytes_ok(p->program))
		instruction->run(p, &o);
}

bool
frame_rules_run(struct frame_rules *rules, const struct frame_rules *initial, struct bytes *program,
		const struct frame_units *units, uint64_t from, uint64_t to)
{
	struct running p = { .rules = rules,
			     .initial = initial,
			     .program = program,
			     .units = units,
			     .at = from,
			     .to = to };

	while (bytes_ok(program) && !p.has_failed && p.at <= to && bytes_left(program))
		run_instruction(&p);
	return bytes_ok(program) && !p.has_failed;
}
