#include "io/events/walk_statics.h"
#include "io/pe/name_spelling.h"
#include "model/base/hash.h"
#include "model/heap/names.h"
#include "model/base/seed.h"
#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 6, LABEL_BYTES = 600 };
#define NONE UINT32_MAX

/* A static field in some module. */
struct candidate {
	struct metadata_static field;
	uint32_t next; /* of the same name; NONE: the last */
};

/* A name that fields of the walk have. */
struct field_name {
	const char *name;
	uint32_t first; /* candidate */
};

struct naming {
	struct walk *w;
	struct walk_modules *modules;
	struct arena arena; /* of candidates and names */
	struct u64_map index;
	struct field_name *names;
	size_t names_count, names_room;
	struct candidate *candidates;
	size_t candidates_count, candidates_room;
};

/* --- names of fields --- */

/* A second name with the same hash is not found. */
static struct field_name *
find_name(struct naming *n, const char *name)
{
	uint32_t i = u64_map_get(&n->index, hash_text(seed_random(), name));

	return i == U64_MAP_NONE || strcmp(n->names[i].name, name) != 0 ? NULL : &n->names[i];
}

static bool
add_name(struct naming *n, const char *name, struct error *err)
{
	uint64_t hash = hash_text(seed_random(), name);

	if (u64_map_get(&n->index, hash) != U64_MAP_NONE)
		return true;
	if (!MAKE_ROOM(n->names, n->names_count + 1, n->names_room, err) ||
	    !u64_map_put(&n->index, hash, (uint32_t)n->names_count, err))
		return false;
	n->names[n->names_count++] = (struct field_name){ name, NONE };
	return true;
}

/* --- candidates --- */

static bool
add_candidate(struct naming *n, struct field_name *name, const struct metadata *m, uint32_t row,
	      struct error *err)
{
	struct candidate c = { .next = name->first };

	if (!metadata_static_read(m, row, &c.field, &n->arena, err))
		return false;
	/* The runtime does not report thread-static fields. */
	if (c.field.is_thread_static || n->candidates_count >= NONE)
		return true;
	if (!MAKE_ROOM(n->candidates, n->candidates_count + 1, n->candidates_room, err))
		return false;
	name->first = (uint32_t)n->candidates_count;
	n->candidates[n->candidates_count++] = c;
	return true;
}

static bool
look_through(struct naming *n, const struct metadata *m, struct error *err)
{
	const char *text;
	uint32_t row = 0;

	while (metadata_next_static(m, &row, &text)) {
		struct field_name *name = find_name(n, text);

		if (name && !add_candidate(n, name, m, row, err))
			return false;
	}
	return true;
}

static bool
find_candidates(struct naming *n, struct error *err)
{
	for (size_t i = 0; i < n->w->statics.count; i++)
		if (!add_name(n, n->w->statics.items[i].field, err))
			return false;
	for (size_t i = 0; i < n->w->modules.count; i++) {
		const struct metadata *m = walk_modules_get(n->modules, (uint32_t)i);

		if (m && !look_through(n, m, err))
			return false;
	}
	return true;
}

/* --- matching --- */

/* The type of a static field's value. */
struct value_type {
	const struct metadata *module; /* NULL: unknown */
	uint32_t token;
	const char *name; /* of an array's elements; NULL: unknown */
	bool is_array;
};

enum fit { FIT_NONE, FIT_PERHAPS, FIT_BASE, FIT_EXACT };

static bool
value_type_read(struct naming *n, uint64_t id, struct value_type *v, struct error *err)
{
	const struct walk_type *t = walk_type_find(n->w, id);
	const struct walk_type *element = t ? walk_type_element(n->w, t) : NULL;

	*v = (struct value_type){ 0 };
	if (!element)
		return true;
	v->is_array = element != t;
	v->module = walk_modules_find(n->modules, element->module);
	v->token = element->token;
	v->name = walk_type_definition(n->modules, element, &n->arena, err);
	return v->name || err->kind == ERROR_NONE;
}

/* Can the field, which is no array, hold an array? */
static enum fit
fit_of_array(const char *type)
{
	if (!strcmp(type, "System.Object") || !strcmp(type, "System.Array"))
		return FIT_BASE;
	return !*type || !strncmp(type, "System.Collections.", 19) ? FIT_PERHAPS : FIT_NONE;
}

static enum fit
fit_of(struct naming *n, const struct metadata_static *field, const struct value_type *v)
{
	enum metadata_answer answer = METADATA_MAYBE;

	/* The runtime does not report fields of generic types. */
	if (!v->name || strchr(field->declaring, '`'))
		return FIT_PERHAPS;
	if (field->is_array != v->is_array)
		return field->is_array ? FIT_NONE : fit_of_array(field->type);
	if (!strcmp(field->type, v->name))
		return FIT_EXACT;
	if (field->is_value_type)
		return FIT_NONE;
	if (!*field->type)
		return FIT_PERHAPS;
	if (!strcmp(field->type, "System.Object"))
		return FIT_BASE;
	if (v->module)
		answer = metadata_type_is(v->module, v->token, field->type, &n->arena);
	return answer == METADATA_YES     ? FIT_BASE
	       : answer == METADATA_MAYBE ? FIT_PERHAPS
					  : FIT_NONE;
}

/* The fields that fit best. */
struct fitting {
	const struct metadata_static *fields[NAMED_MAX];
	size_t count; /* including those beyond NAMED_MAX */
};

static bool
is_known(const struct fitting *f, const char *declaring)
{
	for (size_t i = 0; i < f->count && i < NAMED_MAX; i++)
		if (!strcmp(f->fields[i]->declaring, declaring))
			return true;
	return false;
}

static void
find_fitting(struct naming *n, const struct field_name *name, const struct value_type *v,
	     struct fitting *f)
{
	enum fit best = FIT_PERHAPS;

	f->count = 0;
	for (uint32_t i = name->first; i != NONE; i = n->candidates[i].next) {
		const struct metadata_static *field = &n->candidates[i].field;
		enum fit fit = fit_of(n, field, v);

		if (fit < best || (fit == best && is_known(f, field->declaring)))
			continue;
		if (fit > best)
			f->count = 0;
		best = fit;
		if (f->count < NAMED_MAX)
			f->fields[f->count] = field;
		f->count++;
	}
}

/* --- names --- */

/* "Leaky.Cache.Sessions"; NULL: no memory. */
static const char *
full_name(struct naming *n, const char *declaring, const char *field, struct error *err)
{
	struct display_name type;
	const char *raw = name_spell(declaring, &n->arena, err);
	const char *shown = name_field(field, &n->arena, err);

	if (!raw || !shown || !name_display(raw, &n->arena, &type, err))
		return NULL;
	return arena_printf(&n->arena, err, "%s.%s", type.full, shown);
}

/* "candidates: A.Instance, B.Instance, 7 more" */
static bool
describe_candidates(struct naming *n, const struct fitting *f, const char *field,
		    char label[LABEL_BYTES], struct error *err)
{
	size_t named = f->count < NAMED_MAX ? f->count : NAMED_MAX;
	size_t len = (size_t)snprintf(label, LABEL_BYTES, "candidates: ");

	for (size_t i = 0; i < named && len < LABEL_BYTES; i++) {
		const char *name = full_name(n, f->fields[i]->declaring, field, err);

		if (!name)
			return false;
		len +=
		    (size_t)snprintf(label + len, LABEL_BYTES - len, "%s%s", i ? ", " : "", name);
	}
	if (f->count > named && len < LABEL_BYTES)
		snprintf(label + len, LABEL_BYTES - len, ", %zu more", f->count - named);
	return true;
}

static bool
name_static(struct naming *n, const struct walk_static *s, struct error *err)
{
	const struct field_name *found = find_name(n, s->field);
	struct arena_mark mark = arena_mark(&n->arena);
	struct fitting fitting = { .count = 0 };
	char label[LABEL_BYTES] = "";
	const char *name = s->field;
	struct value_type v;
	bool is_good = true;

	if (found && found->first != NONE) {
		if (!value_type_read(n, s->type, &v, err))
			return false;
		find_fitting(n, found, &v, &fitting);
	}
	if (fitting.count == 1)
		name = full_name(n, fitting.fields[0]->declaring, s->field, err);
	else if (fitting.count > 1)
		is_good = describe_candidates(n, &fitting, s->field, label, err);
	is_good = is_good && name &&
		  heap_stream_root(n->w->stream, s->object, ROOT_STATIC, false, name, label, err);
	arena_reset(&n->arena, mark);
	return is_good;
}

bool
walk_statics_finish(struct walk *w, struct walk_modules *modules, struct error *err)
{
	struct naming n = { .w = w, .modules = modules };
	bool is_good = true;

	arena_init(&n.arena, 0);
	if (w->options.module)
		is_good = find_candidates(&n, err);
	for (size_t i = 0; is_good && i < w->statics.count; i++)
		is_good = name_static(&n, &w->statics.items[i], err);
	u64_map_clear(&n.index);
	memory_free(n.names);
	memory_free(n.candidates);
	arena_clear(&n.arena);
	return is_good;
}
