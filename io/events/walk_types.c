#include "io/events/walk_types.h"
#include "io/base/utf16.h"
#include "io/events/gc_events.h"

enum { TYPES_MAX = INT32_MAX };

struct walk_types *
walk_types_new(struct error *err)
{
	struct walk_types *t = memory_new(1, sizeof(*t), err);

	if (t)
		arena_init(&t->arena, 0);
	return t;
}

void
walk_types_free(struct walk_types *t)
{
	if (!t)
		return;
	u64_map_clear(&t->index);
	memory_free(t->items);
	arena_clear(&t->arena);
	memory_free(t);
}

bool
walk_types_number_slow(struct walk_types *t, uint64_t id, uint32_t *number, struct error *err)
{
	*number = u64_map_get(&t->index, id);
	if (*number == U64_MAP_NONE) {
		if (t->count >= TYPES_MAX)
			return error_set(err, ERROR_INPUT, "too many types");
		if (!MAKE_ROOM(t->items, t->count + 1, t->room, err) ||
		    !u64_map_put(&t->index, id, (uint32_t)t->count, err))
			return false;
		*number = (uint32_t)t->count;
		t->items[t->count++] = (struct walk_type){ .id = id };
	}
	t->last_id = id;
	t->last_number = *number;
	return true;
}

/* Reads a record; only its first and last type parameters are used. */
static struct bytes_array
read_record(struct bytes *b, struct walk_type *type)
{
	struct bytes_array name;
	uint32_t parameters;

	type->id = bytes_u64(b, "a type");
	type->module = bytes_u64(b, "the module of a type");
	type->token = bytes_u32(b, "the token of a type");
	type->flags = bytes_u32(b, "the flags of a type");
	bytes_skip(b, 1, "the kind of a type");
	name = utf16_take(b, "the name of a type");
	parameters = bytes_count(b, 8, "the parameters of a type");
	for (uint32_t i = 0; i < parameters; i++) {
		uint64_t id = bytes_u64(b, "a parameter of a type");

		if (!i && type->flags & (WALK_TYPE_ARRAY | WALK_TYPE_RANK))
			type->element = id;
		type->last_argument = id;
	}
	return name;
}

bool
walk_types_read(struct walk_types *t, const struct nettrace_event *event, bool *is_damaged,
		struct error *err)
{
	struct error ignored;
	struct bytes b;
	uint32_t count;

	b = gc_payload(event, &ignored);
	count = bytes_u32(&b, "the number of types");
	bytes_skip(&b, 2, "the runtime's number");
	for (uint32_t i = 0; i < count && bytes_ok(&b); i++) {
		struct walk_type type = { 0 };
		struct bytes_array name = read_record(&b, &type);
		struct walk_type *known;
		uint32_t number;

		if (!bytes_ok(&b))
			break;
		if (!walk_types_number(t, type.id, &number, err))
			return false;
		/* A new description counts only if the address was reused. */
		known = &t->items[number];
		if (known->name && known->module == type.module && known->token == type.token)
			continue;
		type.name = utf16_to_utf8(&name, &t->arena, err);
		if (!type.name)
			return false;
		*known = type;
	}
	*is_damaged = !bytes_ok(&b);
	return true;
}
