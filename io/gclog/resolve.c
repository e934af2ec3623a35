#include "io/gclog/gclog.h"
#include "io/gclog/reader.h"
#include "model/base/sorted.h"
#include <inttypes.h>
#include <stdlib.h>

struct gclog_place
gclog_place_at(const struct gclog_reader *r, size_t column)
{
	return (struct gclog_place){ r->record->line.number, column };
}

const char *
gclog_quote_element(const struct gclog_reader *r, const struct gclog_element *e,
		    char text[GCLOG_QUOTE_BYTES])
{
	return gclog_quote(r->record->line.data + e->at, e->len, text);
}

static void
warn_foreign(struct gclog_reader *r, const struct gclog_element *e, const char *what,
	     uint32_t section)
{
	if (!gclog_report_has(&r->report, GCLOG_FOREIGN_ID))
		gclog_warning(&r->report, GCLOG_FOREIGN_ID, gclog_place_at(r, e->at),
			      "%s %" PRIx64 " belongs to section '%.100s'", what, e->value,
			      r->index.sections[section].label);
}

static uint32_t
add_unknown_type(struct gclog_reader *r, const struct gclog_element *e, struct error *err)
{
	const char *name = arena_printf(&r->index.arena, err, "<type %" PRIx64 ">", e->value);
	uint32_t type =
	    name ? gclog_index_add_type(&r->index, r->section_number, e->value, name, 0, err)
		 : GCLOG_NONE;

	if (type != GCLOG_NONE) {
		r->index.types[type].used_line = r->record->line.number;
		r->index.types[type].used_column = e->at;
	}
	return type;
}

/* A type of another section, or an undefined one. GCLOG_NONE: no memory. */
static uint32_t
find_far_type(struct gclog_reader *r, const struct gclog_element *e, struct error *err)
{
	uint32_t type;

	if (!gclog_index_foreign_type(&r->index, e->value, &type, err))
		return GCLOG_NONE;
	if (type != GCLOG_NONE)
		warn_foreign(r, e, "type", r->index.types[type].section);
	else
		type = add_unknown_type(r, e, err);
	if (type == GCLOG_NONE || !u64_map_put(&r->section->types, e->value, type, err))
		return GCLOG_NONE;
	return type;
}

uint32_t
gclog_resolve_type(struct gclog_reader *r, const struct gclog_element *e, struct error *err)
{
	uint32_t type = gclog_index_type(&r->index, r->section_number, e->value);

	return type != GCLOG_NONE ? type : find_far_type(r, e, err);
}

static bool
find_far_object(struct gclog_reader *r, const struct gclog_element *e, uint64_t *address,
		struct error *err)
{
	uint32_t number = u64_map_get(&r->undefined_numbers, *address);
	uint32_t section;

	if (number != U64_MAP_NONE) {
		r->undefined[number].refs++;
		return true;
	}
	if (!gclog_index_foreign_object(&r->index, e->value, &section, err))
		return false;
	if (section != GCLOG_NONE) {
		warn_foreign(r, e, "object", section);
		*address = r->index.sections[section].base + e->value;
		return true;
	}
	if (r->undefined_count >= NODE_NONE / 2)
		return error_set(err, ERROR_INPUT,
				 "more than %zu referenced objects are not defined",
				 r->undefined_count);
	if (!MAKE_ROOM(r->undefined, r->undefined_count + 1, r->undefined_room, err))
		return false;
	r->undefined[r->undefined_count] = (struct gclog_undefined){
		.id = e->value,
		.address = *address,
		.refs = 1,
		.used = gclog_place_at(r, e->at),
	};
	return u64_map_put(&r->undefined_numbers, *address, (uint32_t)r->undefined_count++, err);
}

bool
gclog_resolve_object(struct gclog_reader *r, const struct gclog_element *e, uint64_t *address,
		     struct error *err)
{
	*address = r->section->base + e->value;
	return addresses_find_near(r->index.objects, *address, &r->page) != NODE_NONE ||
	       find_far_object(r, e, address, err);
}

static void
warn_unknown_type(struct gclog_reader *r, const struct gclog_type *t)
{
	struct gclog_place at = { t->used_line, t->used_column };

	r->losses->unnamed_types++;
	r->losses->unnamed_nodes += t->objects;
	if (t->objects || !t->containers)
		gclog_warning(&r->report, GCLOG_UNDEFINED_TYPE, at,
			      "type %" PRIx64 " is not defined in section "
			      "'%.100s'; used by %" PRIu64 " object%s",
			      t->id, r->section->label, t->objects, t->objects == 1 ? "" : "s");
	else
		gclog_warning(&r->report, GCLOG_UNDEFINED_TYPE, at,
			      "type %" PRIx64 " is not defined in section "
			      "'%.100s'; it declares %" PRIu64 " static%s",
			      t->id, r->section->label, t->containers,
			      t->containers == 1 ? "" : "s");
}

static void
warn_undefined(struct gclog_reader *r, const struct gclog_undefined *u)
{
	gclog_warning(&r->report, GCLOG_UNDEFINED_OBJECT, u->used,
		      "object %" PRIx64 " is referenced but not defined; %" PRIu64 " reference%s",
		      u->id, u->refs, u->refs == 1 ? "" : "s");
}

/* Adds undefined objects, so that their referrers can be shown. */
static bool
emit_missing(struct gclog_reader *r, struct error *err)
{
	struct gclog_undefined *u;
	size_t count = r->undefined_count - r->undefined_reported;
	uint32_t type;

	if (!count)
		return true;
	u = r->undefined + r->undefined_reported;
	type = gclog_index_add_type(&r->index, r->section_number, 0, GCLOG_MISSING_TYPE, 0, err);
	if (type == GCLOG_NONE)
		return false;
	for (size_t i = 0; i < count; i++)
		warn_undefined(r, &u[i]);
	SORT_BY(u, count, address);
	for (size_t i = 0; i < count; i++)
		if (!heap_stream_object(r->stream, u[i].address, type, 0, 0, err))
			return false;
	r->losses->undefined_nodes += count;
	r->undefined_reported = r->undefined_count;
	return true;
}

bool
gclog_resolve_end(struct gclog_reader *r, struct error *err)
{
	const struct gclog_type *t;

	for (uint32_t i = r->section->first_type; i != GCLOG_NONE; i = t->next) {
		t = &r->index.types[i];
		if (!t->line)
			warn_unknown_type(r, t);
	}
	return emit_missing(r, err);
}
