#include "io/gcdump/types.h"
#include "io/gcdump/roots.h"
#include "model/base/sorted.h"
#include <inttypes.h>

enum {
	TYPE_MIN_BYTES = 12,    /* two empty strings and a size */
	DEFERRED_MIN_BYTES = 9, /* id, null, empty string */
	MODULE_PATH_MAX = 1024, /* many types may share one path */
	TYPES_A_STEP = 1 << 14  /* between two checks for cancelling */
};

struct deferred {
	int32_t id;
	const char *module, *suffix; /* NULL: none */
};

struct module {
	uint64_t label;
	const char *path;
};

/* Modules by label, in ascending order. */
struct modules {
	struct module *items;
	size_t count, room;
};

void
gcdump_types_skip(struct gcdump_types *t, struct serialization *s)
{
	struct bytes *b = &s->bytes;

	t->types_count = bytes_count(b, TYPE_MIN_BYTES, "the number of types");
	t->at = b->at;
	for (uint32_t i = 0; i < t->types_count && bytes_ok(b); i++) {
		serialization_skip_string(s, "a type's name");
		bytes_skip(b, 4, "a type's size");
		serialization_skip_string(s, "a type's module");
	}
}

/* --- deferred types --- */

/* Reads after the path; true if this width of SIZE is plausible. */
static bool
module_rest(struct serialization *s, unsigned size_bytes)
{
	struct bytes *b = &s->bytes;
	int64_t ticks;

	bytes_skip(b, 8, "a module's base");
	bytes_skip(b, size_bytes, "a module's size");
	ticks = bytes_i64(b, "a module's build time");
	serialization_skip_string(s, "a module's symbol file");
	bytes_skip(b, 16, "a module's symbol id");
	bytes_skip(b, 4, "a module's symbol age");
	return bytes_ok(b) && ticks >= 0 && ticks <= TICKS_MAX && bytes_left(b) &&
	       b->data[b->at] == TAG_END;
}

static void
module_skip_rest(struct serialization *s)
{
	struct serialization wide = *s;
	struct error ignored;

	error_clear(&ignored);
	wide.bytes.err = &ignored;
	if (module_rest(&wide, 8)) {
		wide.bytes.err = s->bytes.err;
		*s = wide;
	} else if (!module_rest(s, 4) && bytes_ok(&s->bytes)) {
		bytes_fail(&s->bytes, s->bytes.at,
			   "a module's record does not end where it should");
	}
	serialization_end(s, "a module");
}

static const char *
modules_find(const struct modules *m, uint64_t label)
{
	size_t at;

	LOWER_BOUND(at, 0, m->count, m->items[at].label < label);
	return at < m->count && m->items[at].label == label ? m->items[at].path : NULL;
}

static bool
modules_add(struct modules *m, uint64_t label, const char *path, struct error *err)
{
	return APPEND(m->items, m->count, m->room, err, (struct module){ label, path });
}

/* Reads the path of the module in the next slot; NULL if there is none. */
static const char *
module_read(struct serialization *s, struct modules *m, struct arena *scratch)
{
	struct bytes *b = &s->bytes;
	struct slot slot;
	const char *path;

	if (!serialization_slot(s, &slot, "a type's module"))
		return NULL;
	if (slot.kind == SLOT_LABEL)
		return modules_find(m, slot.label);
	if (slot.kind == SLOT_NULL)
		return NULL;
	if (strcmp(slot.type, "Graphs.Module") != 0) {
		bytes_fail(b, (size_t)slot.label, "a module is expected here instead of \"%s\"",
			   slot.type);
		return NULL;
	}
	path = serialization_string(s, scratch, "a module's path");
	if (path)
		path = gcdump_cut_text(path, strlen(path), MODULE_PATH_MAX, scratch, b->err);
	module_skip_rest(s);
	if (bytes_ok(b) && !modules_add(m, slot.label, path, b->err))
		b->has_failed = true;
	return bytes_ok(b) ? path : NULL;
}

/* Reads the region's entries, into `t` unless that is NULL. */
static void
deferred_read(struct serialization *s, struct gcdump_types *t, struct arena *scratch)
{
	struct bytes *b = &s->bytes;
	struct modules modules = { 0 };
	struct deferred *items = NULL;
	uint32_t count;

	bytes_skip(b, 4, "the end of the deferred types");
	count = bytes_count(b, DEFERRED_MIN_BYTES, "the number of deferred types");
	if (t && bytes_ok(b)) {
		items = arena_array(scratch, struct deferred, count, b->err);
		b->has_failed = items == NULL;
	}
	for (uint32_t i = 0; i < count && bytes_ok(b); i++) {
		struct arena_mark mark = arena_mark(scratch);
		struct deferred item;

		item.id = bytes_i32(b, "a deferred type's id");
		item.module = module_read(s, &modules, scratch);
		item.suffix = serialization_string(s, scratch, "a deferred type's suffix");
		if (items)
			items[i] = item;
		else
			arena_reset(scratch, mark);
	}
	serialization_end(s, "the deferred types");
	memory_free(modules.items);
	if (t && bytes_ok(b)) {
		t->deferred = items;
		t->deferred_count = count;
	}
}

bool
gcdump_deferred_skip(struct serialization *s)
{
	struct bytes *b = &s->bytes;
	struct serialization entries = *s;
	struct arena scratch;
	uint64_t end;
	uint32_t k = bytes_u32(b, "the end of the deferred types");

	if (!bytes_ok(b))
		return false;
	if (serialization_forward(s, k, &end) && end > b->at) {
		bytes_seek(b, end, "the end of the deferred types");
		return bytes_ok(b);
	}
	/* The file's end is damaged: the entries show where they end. */
	arena_init(&scratch, 0);
	deferred_read(&entries, NULL, &scratch);
	arena_clear(&scratch);
	*s = entries;
	return bytes_ok(b);
}

/* --- the table --- */

static const struct deferred *
deferred_of(const struct gcdump_types *t, uint32_t i)
{
	return t->deferred && i < t->deferred_count ? &t->deferred[i] : NULL;
}

/* Makes up a name. */
static const char *
unnamed_type(const struct deferred *d, uint32_t i, struct arena *scratch, struct error *err)
{
	if (!d || (!d->id && !d->module))
		return arena_printf(scratch, err, "Type(#%" PRIu32 ")", i);
	return arena_printf(scratch, err, "TypeID(0x%" PRIx32 ")%s", (uint32_t)d->id,
			    d->suffix ? d->suffix : "");
}

static bool
type_read(struct gcdump_types *t, struct serialization *s, uint32_t i, struct heap_builder *b,
	  struct error *err)
{
	struct gcdump_type *type = &t->types[i];
	struct arena_mark mark = arena_mark(t->scratch);
	const char *name, *module;

	name = serialization_string(s, t->scratch, "a type's name");
	type->size = bytes_i32(&s->bytes, "a type's size");
	module = serialization_string(s, t->scratch, "a type's module");
	if (!bytes_ok(&s->bytes))
		return false;
	if (!name || !*name) {
		const struct deferred *d = deferred_of(t, i);

		if (d)
			module = d->module;
		name = unnamed_type(d, i, t->scratch, err);
	}
	if (!name)
		return false;
	type->name = i == 0 && !strcmp(name, "UNDEFINED") ? NAME_UNDEFINED
		     : gcdump_name_is_pseudo(name)        ? NAME_OF_PSEUDO
							  : NAME_OF_OBJECTS;
	type->id = heap_builder_type(b, name, module ? module : "", err);
	arena_reset(t->scratch, mark);
	return type->id != TYPE_NONE;
}

bool
gcdump_types_read(struct gcdump_types *t, const struct serialization *s, size_t deferred_at,
		  struct heap_builder *b, struct progress *progress, struct error *err)
{
	struct serialization copy = *s;

	copy.bytes.err = err;
	if (deferred_at) {
		bytes_seek(&copy.bytes, deferred_at, "the deferred types");
		deferred_read(&copy, t, t->scratch);
	}
	t->types = arena_array(t->scratch, struct gcdump_type, t->types_count, err);
	/* One byte keeps the block for names between types. */
	if (!t->types || !arena_new(t->scratch, char, err) || !bytes_ok(&copy.bytes))
		return false;
	progress_begin(progress, "reading types", "types", t->types_count);
	bytes_seek(&copy.bytes, t->at, "the types");
	for (uint32_t i = 0; i < t->types_count; i++) {
		if (!type_read(t, &copy, i, b, err))
			return false;
		if (i % TYPES_A_STEP == 0 && !progress_add(progress, i ? TYPES_A_STEP : 0))
			return error_cancelled(err);
	}
	return true;
}
