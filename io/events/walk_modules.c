/* Modules of a walk whose files are asked for, and the types in them. */
#include "io/events/walk_statics.h"
#include <string.h>

enum {
	NESTED_ARRAYS_MAX = 64,
	TYPE_DEFINITION = 0x02000000,
	TOKEN_TABLE = 0x7f000000,
};

static bool
is_known_build(const struct pe_build *build)
{
	static const struct pe_build nothing;

	return memcmp(build->guid, nothing.guid, BUILD_GUID_BYTES) != 0;
}

/* The file at that path may be of another build, or from another machine. */
static const struct metadata *
ask_for_module(struct walk_modules *m, uint32_t i)
{
	const struct walk_options *o = &m->walk->options;
	const struct pe_build *build = &m->walk->builds.items[i];
	const struct metadata *found;

	if (o->is_elsewhere && !is_known_build(build))
		return NULL;
	found = o->module(o->context, m->walk->modules.items[i]);
	if (!found || !is_known_build(build) || metadata_is_build(found, build))
		return found;
	m->others_count++;
	return NULL;
}

const struct metadata *
walk_modules_get(struct walk_modules *m, uint32_t i)
{
	if (!m->walk->options.module)
		return NULL;
	if (!m->is_asked[i]) {
		m->is_asked[i] = true;
		m->items[i] = ask_for_module(m, i);
	}
	return m->items[i];
}

const struct metadata *
walk_modules_find(struct walk_modules *m, uint64_t id)
{
	uint32_t i = u64_map_get(&m->walk->modules.index, id);

	return i == U64_MAP_NONE ? NULL : walk_modules_get(m, i);
}

const struct walk_type *
walk_type_find(const struct walk *w, uint64_t id)
{
	uint32_t i = u64_map_get(&w->types->index, id);

	return i == U64_MAP_NONE || !w->types->items[i].name ? NULL : &w->types->items[i];
}

const struct walk_type *
walk_type_element(const struct walk *w, const struct walk_type *t)
{
	for (int i = 0; i < NESTED_ARRAYS_MAX && t; i++) {
		if (!t->element)
			return t;
		t = walk_type_find(w, t->element);
	}
	return NULL;
}

const char *
walk_type_definition(struct walk_modules *m, const struct walk_type *t, struct arena *a,
		     struct error *err)
{
	const struct metadata *module = walk_modules_find(m, t->module);

	if (!module || (t->token & TOKEN_TABLE) != TYPE_DEFINITION)
		return NULL;
	return metadata_type_name(module, t->token, a, err);
}
