#include "io/runtime/type_index.h"
#include "io/runtime/loaded.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include <string.h>

struct clr_named_type {
	const char *name;
	uint64_t table; /* 0: ambiguous, several modules have it */
};

void
clr_type_index_init(struct clr_type_index *x, const struct clr_runtime *rt,
		    const struct clr_names *names)
{
	*x = (struct clr_type_index){ .rt = rt, .names = names };
	arena_init(&x->arena, 0);
	arena_init(&x->scratch, 0);
}

void
clr_type_index_clear(struct clr_type_index *x)
{
	u64_map_clear(&x->index);
	memory_free(x->types);
	arena_clear(&x->arena);
	arena_clear(&x->scratch);
}

static bool
add_named(struct clr_type_index *x, const char *name, uint64_t table, struct error *err)
{
	uint64_t hash = hash_text(seed_random(), name);
	uint32_t found = u64_map_get(&x->index, hash);

	if (found != U64_MAP_NONE) {
		x->types[found].table = 0;
		return true;
	}
	name = arena_strndup(&x->arena, name, strlen(name), err);
	if (!name)
		return false;
	x->types[x->count] = (struct clr_named_type){ name, table };
	return u64_map_put(&x->index, hash, (uint32_t)x->count++, err);
}

/* The name is built in scratch memory, since naming allocates far more than the result. */
static bool
add_type(struct clr_type_index *x, uint64_t table, struct error *err)
{
	struct arena_mark mark = arena_mark(&x->scratch);
	unsigned flags;
	const char *name = clr_name_of(x->names, table, &x->scratch, &flags, err);
	bool is_good = name && (flags || add_named(x, name, table, err));

	arena_reset(&x->scratch, mark);
	return is_good;
}

static bool
load_types(struct clr_type_index *x, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct clr_loaded loaded;
	bool is_good;

	if (x->is_read)
		return true;
	if (!clr_loaded_read(&loaded, x->rt, NULL, err))
		return false;
	x->types = memory_new(loaded.count + 1, sizeof(*x->types), err);
	is_good = x->types != NULL;
	for (size_t i = 0; is_good && i < loaded.count; i++)
		is_good = add_type(x, loaded.tables[i], err);
	clr_loaded_clear(&loaded);
	arena_clear(&x->scratch);
	x->is_read = memory_was_enough(before, err) && is_good;
	if (!x->is_read) {
		clr_type_index_clear(x);
		clr_type_index_init(x, x->rt, x->names);
	}
	return x->is_read;
}

bool
clr_type_index_find(struct clr_type_index *x, const char *name, uint64_t *table, struct error *err)
{
	uint32_t i;

	*table = 0;
	if (!load_types(x, err))
		return false;
	i = u64_map_get(&x->index, hash_text(seed_random(), name));
	if (i != U64_MAP_NONE && !strcmp(x->types[i].name, name))
		*table = x->types[i].table;
	return true;
}
