#include "io/runtime/frame_chain.h"
#include "io/runtime/descriptor.h"
#include <stdio.h>

/* The ways in which kinds of Frames keep the caller's registers. */
enum way {
	WAY_NONE,
	WAY_INLINED,
	WAY_BLOCK,     /* a transition block */
	WAY_RESUMABLE, /* the address of a context */
	WAY_FAULTING,  /* a context */
	WAY_SOFTWARE,  /* a context, elsewhere */
	WAY_HIJACK,
	WAY_HELPER, /* the state of native code */
};

/* Up to CLR_FRAME_FILTER in the order of g_dacTable in .NET 8 and 9; with the numbers of .NET 10
 * and 11. */
static const struct frame_kind {
	const char *name;
	uint8_t number; /* 0: no such kind */
	uint8_t way;
} kinds[CLR_FRAME_KINDS] = {
	[CLR_FRAME_CLASS_INIT_MARK] = { "DebuggerClassInitMarkFrame", 15, WAY_NONE },
	[CLR_FRAME_SECURITY_MARK] = { "DebuggerSecurityCodeMarkFrame", 0, WAY_NONE },
	[CLR_FRAME_DEBUGGER_EXIT] = { "DebuggerExitFrame", 16, WAY_NONE },
	[CLR_FRAME_CATCH_HANDLER] = { "DebuggerU2MCatchHandlerFrame", 17, WAY_NONE },
	[CLR_FRAME_FAULTING] = { "FaultingExceptionFrame", 4, WAY_FAULTING },
	[CLR_FRAME_FUNC_EVAL] = { "FuncEvalFrame", 6, WAY_NONE },
	[CLR_FRAME_HELPER] = { "HelperMethodFrame", 0, WAY_HELPER },
	[CLR_FRAME_HELPER_1] = { "HelperMethodFrame_1OBJ", 0, WAY_HELPER },
	[CLR_FRAME_HELPER_2] = { "HelperMethodFrame_2OBJ", 0, WAY_HELPER },
	[CLR_FRAME_HELPER_3] = { "HelperMethodFrame_3OBJ", 0, WAY_HELPER },
	[CLR_FRAME_HELPER_PROTECT] = { "HelperMethodFrame_PROTECTOBJ", 0, WAY_HELPER },
	[CLR_FRAME_HIJACK] = { "HijackFrame", 8, WAY_HIJACK },
	[CLR_FRAME_INLINED] = { "InlinedCallFrame", 1, WAY_INLINED },
	[CLR_FRAME_MULTICAST] = { "MulticastFrame", 0, WAY_BLOCK },
	[CLR_FRAME_PINVOKE_CALLI] = { "PInvokeCalliFrame", 7, WAY_BLOCK },
	[CLR_FRAME_PRESTUB] = { "PrestubMethodFrame", 9, WAY_BLOCK },
	[CLR_FRAME_PROTECT_REFS] = { "ProtectByRefsFrame", 0, WAY_NONE },
	[CLR_FRAME_PROTECT_VALUE] = { "ProtectValueClassFrame", 14, WAY_NONE },
	[CLR_FRAME_RESUMABLE] = { "ResumableFrame", 2, WAY_RESUMABLE },
	[CLR_FRAME_REDIRECTED] = { "RedirectedThreadFrame", 3, WAY_RESUMABLE },
	[CLR_FRAME_STUB_DISPATCH] = { "StubDispatchFrame", 11, WAY_BLOCK },
	[CLR_FRAME_CALL_COUNTING] = { "CallCountingHelperFrame", 10, WAY_BLOCK },
	[CLR_FRAME_EXTERNAL] = { "ExternalMethodFrame", 12, WAY_BLOCK },
	[CLR_FRAME_DYNAMIC_HELPER] = { "DynamicHelperFrame", 13, WAY_BLOCK },
	[CLR_FRAME_FILTER] = { "ExceptionFilterFrame", 18, WAY_NONE },
	[CLR_FRAME_SOFTWARE] = { "SoftwareExceptionFrame", 5, WAY_SOFTWARE },
	[CLR_FRAME_UNKNOWN] = { "Frame of an unknown kind", 0, WAY_NONE },
};

enum {
	POINTER_BYTES = 8,
	HIJACK_BYTES = 80,
	BLOCK_RETURN_BYTES = 8, /* of the return address, which ends a block */
};

/* A HelperMethodFrame, of .NET 8 and 9. `RESOLVED`: 0 until the registers below it were found. */
enum {
	HELPER_METHOD = 16,
	HELPER_ATTRIBUTES = 24,
	HELPER_THROWS = 1, /* in the attributes */
	HELPER_IP = 48,
	HELPER_SP = 56,
	HELPER_SAVED = 64,     /* values where native code began */
	HELPER_POINTERS = 112, /* addresses of the values of the caller */
	HELPER_RESOLVED = 160,
	HELPER_UNWOUND = 168, /* values of the caller without address */
	HELPER_CAPTURED_IP = 216,
	HELPER_CAPTURED_SP = 224,
};

/* Offsets in a context, the layout of Windows. */
enum { CONTEXT_REGISTERS = 0x78, CONTEXT_IP = 0xf8 };

/* The registers that functions save, in the order of a block of them. */
static const uint8_t saved[] = { 12, 13, 14, 15, X64_RBX, X64_RBP };
enum { SAVED_COUNT = sizeof(saved) / sizeof(saved[0]) };

const char *
clr_frame_kind_name(enum clr_frame_kind kind)
{
	return kinds[kind].name;
}

/* --- words ---------------------------------------------------------------- */

/* Since .NET 10. The built-in numbers are those of .NET 10 and 11. */
static uint64_t
number_of(const struct frame_kind *kind, const struct clr_descriptor *d)
{
	char name[64];
	uint64_t number;

	snprintf(name, sizeof(name), "%sIdentifier", kind->name);
	return clr_descriptor_number(d, name, &number) ? number : kind->number;
}

/* Before that: the address of the class's virtual functions, from a slot of g_dacTable. */
static uint64_t
address_in(const struct clr_runtime *rt, uint64_t slot)
{
	uint64_t address;

	if (slot >= rt->dac_slots_count ||
	    !memory_u64(rt->reader, rt->dac_table + POINTER_BYTES * slot, &address))
		return 0;
	return address;
}

void
clr_frame_kinds_read(struct clr_runtime *rt, const struct clr_descriptor *d)
{
	const struct clr_facts *facts = rt->layout.facts;
	uint64_t slot = facts->frame_slot;

	for (unsigned i = 0; facts->has_frame_numbers && i < CLR_FRAME_UNKNOWN; i++)
		rt->frame_words[i] = number_of(&kinds[i], d);
	for (unsigned i = 0; slot && i <= CLR_FRAME_FILTER; i++)
		if (i != CLR_FRAME_MULTICAST || facts->has_multicast_frame)
			rt->frame_words[i] = address_in(rt, slot++);
}

static enum clr_frame_kind
kind_of(const struct clr_runtime *rt, uint64_t word)
{
	unsigned i = 0;

	while (i < CLR_FRAME_UNKNOWN && (!word || rt->frame_words[i] != word))
		i++;
	return (enum clr_frame_kind)i;
}

/* --- one Frame ------------------------------------------------------------ */

/* A pointer to a MethodDesc, or 0: other words may stand in its place. */
static uint64_t
record_of(uint64_t word)
{
	return word % 8 || word >> 47 || word < 1 << 16 ? 0 : word;
}

static void
read_record(const struct clr_runtime *rt, struct memory_reader *r, struct clr_chain_frame *out)
{
	const struct clr_layout *l = &rt->layout;
	uint32_t attributes;
	uint64_t word = 0;
	bool is_known = false;

	switch (kinds[out->kind].way) {
	case WAY_INLINED:
		is_known = clr_u64(l, r, out->address, CLR_INLINED_METHOD, &word);
		break;
	case WAY_BLOCK:
		is_known = clr_u64(l, r, out->address, CLR_FRAMED_METHOD, &word);
		break;
	case WAY_HELPER:
		is_known = memory_u64(r, out->address + HELPER_METHOD, &word);
		out->has_thrown = memory_u32(r, out->address + HELPER_ATTRIBUTES, &attributes) &&
				  attributes & HELPER_THROWS;
		break;
	default:
		out->has_thrown =
		    kinds[out->kind].way == WAY_FAULTING || kinds[out->kind].way == WAY_SOFTWARE;
		break;
	}
	out->record = is_known ? record_of(word) : 0;
}

bool
clr_chain_frame_read(const struct clr_runtime *rt, struct memory_reader *r, uint64_t address,
		     struct clr_chain_frame *out)
{
	*out = (struct clr_chain_frame){ .address = address };
	if (address % 8 || !memory_u64(r, address, &out->word) ||
	    !clr_u64(&rt->layout, r, address, CLR_FRAME_NEXT, &out->next))
		return false;
	if (out->next == UINT64_MAX)
		out->next = 0;
	out->kind = kind_of(rt, out->word);
	read_record(rt, r, out);
	return true;
}

/* --- registers ------------------------------------------------------------ */

static bool
restore_saved(struct x64_state *state, struct memory_reader *r, uint64_t block)
{
	for (unsigned i = 0; i < SAVED_COUNT; i++)
		if (!x64_state_restore(state, r, saved[i], block + POINTER_BYTES * i))
			return false;
	return true;
}

static enum clr_frame_gives
read_inlined(const struct clr_layout *l, struct memory_reader *r, uint64_t at,
	     struct x64_state *state)
{
	uint64_t ip;

	if (!clr_u64(l, r, at, CLR_INLINED_RETURN, &ip))
		return CLR_FRAME_GIVES_ABSENT;
	if (!ip)
		return CLR_FRAME_GIVES_NOTHING; /* no call is active */
	state->ip = ip;
	if (!clr_u64(l, r, at, CLR_INLINED_SP, &state->value[X64_RSP]) ||
	    !x64_state_restore(state, r, X64_RBP, at + l->offset[CLR_INLINED_FP]))
		return CLR_FRAME_GIVES_ABSENT;
	return CLR_FRAME_GIVES_CALLER;
}

static enum clr_frame_gives
read_block(const struct clr_layout *l, struct memory_reader *r, uint64_t at,
	   struct x64_state *state)
{
	uint64_t block;

	if (!clr_u64(l, r, at, CLR_FRAMED_BLOCK, &block) ||
	    !clr_u64(l, r, block, CLR_BLOCK_RETURN, &state->ip) ||
	    !restore_saved(state, r, block + l->offset[CLR_BLOCK_SAVED]))
		return CLR_FRAME_GIVES_ABSENT;
	state->value[X64_RSP] = block + l->offset[CLR_BLOCK_RETURN] + BLOCK_RETURN_BYTES;
	return CLR_FRAME_GIVES_CALLER;
}

static enum clr_frame_gives
read_context(struct memory_reader *r, uint64_t context, struct x64_state *state,
	     enum clr_frame_gives gives)
{
	for (unsigned i = 0; i < X64_REGISTERS; i++)
		if (!x64_state_restore(state, r, i,
				       context + CONTEXT_REGISTERS + POINTER_BYTES * i))
			return CLR_FRAME_GIVES_ABSENT;
	return memory_u64(r, context + CONTEXT_IP, &state->ip) ? gives : CLR_FRAME_GIVES_ABSENT;
}

static enum clr_frame_gives
read_hijack(const struct clr_layout *l, struct memory_reader *r, uint64_t at,
	    struct x64_state *state)
{
	uint64_t arguments;

	if (!clr_u64(l, r, at, CLR_HIJACK_RETURN, &state->ip) ||
	    !clr_u64(l, r, at, CLR_HIJACK_ARGUMENTS, &arguments) ||
	    !restore_saved(state, r, arguments + l->offset[CLR_HIJACK_SAVED]))
		return CLR_FRAME_GIVES_ABSENT;
	state->value[X64_RSP] = arguments + HIJACK_BYTES;
	return CLR_FRAME_GIVES_LEAF;
}

/* Restores a register of the caller: from where the runtime found it, or from its copy. */
static bool
restore_helped(struct x64_state *state, struct memory_reader *r, uint64_t at, unsigned i)
{
	uint64_t place;

	if (!memory_u64(r, at + HELPER_POINTERS + POINTER_BYTES * i, &place))
		return false;
	if (!place)
		place = at + HELPER_UNWOUND + POINTER_BYTES * i;
	return x64_state_restore(state, r, saved[i], place);
}

static enum clr_frame_gives
read_helper(struct memory_reader *r, uint64_t at, bool has_thrown, struct x64_state *state)
{
	uint64_t resolved, *sp = &state->value[X64_RSP];

	if (!memory_u64(r, at + HELPER_RESOLVED, &resolved))
		return CLR_FRAME_GIVES_ABSENT;
	if (!resolved)
		return memory_u64(r, at + HELPER_CAPTURED_IP, &state->ip) &&
			       memory_u64(r, at + HELPER_CAPTURED_SP, sp) &&
			       restore_saved(state, r, at + HELPER_SAVED)
			   ? CLR_FRAME_GIVES_NATIVE
			   : CLR_FRAME_GIVES_ABSENT;
	if (!memory_u64(r, at + HELPER_IP, &state->ip) || !memory_u64(r, at + HELPER_SP, sp))
		return CLR_FRAME_GIVES_ABSENT;
	for (unsigned i = 0; i < SAVED_COUNT; i++)
		if (!restore_helped(state, r, at, i))
			return CLR_FRAME_GIVES_ABSENT;
	return has_thrown ? CLR_FRAME_GIVES_INTERRUPTED : CLR_FRAME_GIVES_CALLER;
}

enum clr_frame_gives
clr_chain_frame_state(const struct clr_runtime *rt, struct memory_reader *r,
		      const struct clr_chain_frame *frame, struct x64_state *state)
{
	const struct clr_layout *l = &rt->layout;
	const uint64_t at = frame->address;
	uint64_t context;

	switch (kinds[frame->kind].way) {
	case WAY_INLINED:
		return read_inlined(l, r, at, state);
	case WAY_BLOCK:
		return read_block(l, r, at, state);
	case WAY_RESUMABLE:
		if (!clr_u64(l, r, at, CLR_RESUMABLE_CONTEXT, &context))
			return CLR_FRAME_GIVES_ABSENT;
		return read_context(r, context, state, CLR_FRAME_GIVES_LEAF);
	case WAY_FAULTING:
		return read_context(r, at + l->offset[CLR_FAULTING_CONTEXT], state,
				    CLR_FRAME_GIVES_INTERRUPTED);
	case WAY_SOFTWARE:
		return read_context(r, at + l->offset[CLR_SOFTWARE_CONTEXT], state,
				    CLR_FRAME_GIVES_INTERRUPTED);
	case WAY_HIJACK:
		return read_hijack(l, r, at, state);
	case WAY_HELPER:
		return read_helper(r, at, frame->has_thrown, state);
	default:
		return CLR_FRAME_GIVES_NOTHING;
	}
}
