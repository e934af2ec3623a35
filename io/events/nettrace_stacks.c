#include "io/events/nettrace_stacks.h"
#include "model/base/arena.h"
#include <string.h>

void
nettrace_stacks_clear(struct nettrace_stacks *s)
{
	memory_free(s->bytes);
	memory_free(s->items);
	*s = (struct nettrace_stacks){ 0 };
}

void
nettrace_stacks_forget(struct nettrace_stacks *s)
{
	s->len = s->count = 0;
}

static bool
add(struct nettrace_stacks *s, const uint8_t *stack, uint32_t len, struct error *err)
{
	struct nettrace_stack item = { s->len, len };

	if (!MAKE_ROOM(s->bytes, s->len + len, s->bytes_room, err) ||
	    !APPEND(s->items, s->count, s->room, err, item))
		return false;
	if (len)
		memcpy(s->bytes + s->len, stack, len);
	s->len += len;
	return true;
}

static bool
is_full(const struct nettrace_stacks *s)
{
	return s->len + s->count * sizeof(*s->items) > NETTRACE_STACKS_BYTES;
}

bool
nettrace_stacks_read(struct nettrace_stacks *s, struct bytes *b, struct error *err)
{
	uint32_t first = bytes_u32(b, "the first stack of a block");
	uint32_t count = bytes_count(b, 4, "the stacks of a block");

	if (!bytes_ok(b))
		return true;
	if (first != s->first + s->count || is_full(s))
		nettrace_stacks_forget(s);
	if (!s->count)
		s->first = first;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t len = bytes_count(b, 1, "the size of a stack");
		const uint8_t *stack = bytes_take(b, len, "a stack");

		if (!bytes_ok(b))
			return true;
		if (!add(s, stack, len, err))
			return false;
	}
	return true;
}

const uint8_t *
nettrace_stacks_find(const struct nettrace_stacks *s, uint32_t id, uint32_t *len)
{
	uint32_t at = id - s->first;

	*len = 0;
	if (at >= s->count)
		return NULL;
	*len = s->items[at].len;
	return *len ? s->bytes + s->items[at].at : NULL;
}
