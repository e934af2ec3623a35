#include "io/memory/x64_state.h"
#include <string.h>

/* The kernel's order of registers (struct user_regs_struct). */
static const uint8_t kernel_number[X64_REGISTERS] = {
	10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0,
};
enum { KERNEL_IP = 16, KERNEL_SP = 19 };

bool
x64_state_begin(struct x64_state *state, const struct memory *m, const struct memory_thread *thread)
{
	memset(state, 0, sizeof(*state));
	if (m->machine != MEMORY_X64 || thread->registers_count <= KERNEL_SP)
		return false;
	for (unsigned i = 0; i < X64_REGISTERS; i++)
		state->value[i] = thread->registers[kernel_number[i]];
	state->ip = thread->registers[KERNEL_IP];
	return true;
}

bool
x64_state_restore(struct x64_state *state, struct memory_reader *r, unsigned number, uint64_t at)
{
	uint64_t value;

	if (!memory_u64(r, at, &value))
		return false;
	state->value[number] = value;
	state->place[number] = at;
	return true;
}

bool
x64_state_return(struct x64_state *state, struct memory_reader *r)
{
	uint64_t ip;

	if (!memory_u64(r, state->value[X64_RSP], &ip))
		return false;
	state->ip = ip;
	state->value[X64_RSP] += 8;
	return true;
}
