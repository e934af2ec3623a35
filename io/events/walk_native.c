#include "io/events/walk_native.h"
#include <inttypes.h>
#include <stdio.h>

/* Files of the same build have all types, those of others only a few by
   chance. */
enum { SAME_BUILD_PER_CENT = 90 };

static bool
is_native(const struct walk_type *t)
{
	return t->name && t->flags & WALK_TYPE_NATIVE;
}

static bool
find_base(struct walk_native *n, const struct walk *w)
{
	for (size_t i = 0; i < w->types->count; i++) {
		const struct walk_type *t = &w->types->items[i];

		if (!is_native(t))
			continue;
		n->is_native = true;
		n->base = t->id - t->token;
		return true;
	}
	return false;
}

/* Without its build, whether a file is that of the process shows only in its types. */
static void
check_build(struct walk_native *n, const struct walk *w)
{
	uint64_t all = 0, found = 0;

	for (size_t i = 0; i < w->types->count; i++) {
		const struct walk_type *t = &w->types->items[i];

		if (!is_native(t))
			continue;
		all++;
		found += native_types_has(n->types, t->id - n->base);
	}
	if (found >= all * SAME_BUILD_PER_CENT / 100)
		return;
	n->types = NULL;
	snprintf(n->why, sizeof(n->why),
		 "the symbols in the folder of --symbols are of another build: "
		 "they have %" PRIu64 " of %" PRIu64 " types",
		 found, all);
}

bool
walk_native_open(struct walk_native *n, struct walk *w, struct error *err)
{
	const struct walk_options *o = &w->options;

	*n = (struct walk_native){ 0 };
	if (!find_base(n, w) || !o->native)
		return true;
	n->types = o->native(o->context, w->command_line, n->why, err);
	if (n->types && o->is_elsewhere)
		check_build(n, w);
	return err->kind == ERROR_NONE;
}

bool
walk_wants_types(struct walk *w)
{
	struct walk_native n;
	struct error ignored;
	uint64_t all = 0, unnamed = 0;

	for (size_t i = 0; i < w->types->count && i < w->totals.count; i++) {
		if (!w->totals.items[i].count)
			continue;
		all++;
		unnamed += !w->types->items[i].name;
	}
	error_clear(&ignored);
	return unnamed > all / 2 && walk_native_open(&n, w, &ignored) && n.is_native && !n.types;
}

/* "Type(0x003916c8), 88 bytes" */
static const char *
name_of_place(const struct walk_type *t, uint64_t size, struct arena *a, struct error *err)
{
	bool is_array = t->flags & WALK_TYPE_ARRAY;

	if (is_array || !size)
		return arena_printf(a, err, "%s(0x%08" PRIx32 ")", is_array ? "ArrayType" : "Type",
				    t->token);
	return arena_printf(a, err, "Type(0x%08" PRIx32 "), %" PRIu64 " bytes", t->token, size);
}

bool
walk_native_name(const struct walk_native *n, const struct walk *w, size_t i, struct arena *a,
		 struct native_name *out, struct error *err)
{
	const struct walk_type *t = &w->types->items[i];

	*out = (struct native_name){ 0 };
	if (!n->is_native || (t->name && !is_native(t)))
		return true;
	if (n->types && !native_types_name(n->types, t->id - n->base, a, out, err))
		return false;
	if (out->name || !t->name)
		return true;
	out->name = name_of_place(t, w->totals.items[i].size, a, err);
	out->module = "";
	return out->name;
}
