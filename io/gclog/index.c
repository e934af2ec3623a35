#include "io/gclog/index.h"
#include <inttypes.h>
#include <string.h>

enum {
	BASE_SHIFT = 40,
	SECTIONS_MAX = 4096,
};
static const char unnamed[] = "(unnamed)";

/* --- records --- */

uint64_t
gclog_index_id_end(const struct gclog_index *x)
{
	return x->sections_count > 1 ? UINT64_C(1) << x->base_shift : MADE_UP_ADDRESS;
}

bool
gclog_object_head(const struct gclog_record *r, uint64_t id_end, struct gclog_element head[3])
{
	struct gclog_cursor rest = r->rest;

	for (int i = 0; i < 3; i++)
		if (!gclog_element_next(&rest, &head[i]) || !head[i].is_number)
			return false;
	return head[0].value && head[0].value < id_end;
}

struct gclog_name
gclog_type_name(const struct gclog_record *r, struct gclog_cursor rest)
{
	gclog_skip_blanks(&rest);
	return (struct gclog_name){ .at = rest.at,
				    .len = r->line.len - rest.at,
				    .time_at = GCLOG_NOWHERE };
}

static const char *
copy_name(struct gclog_index *x, const struct gclog_record *r, const struct gclog_name *name,
	  struct error *err)
{
	bool is_utf8 = gclog_text_valid(r->line.data, r->line.len) == r->line.len;

	return gclog_text_copy(&x->arena, r->line.data + name->at, name->len, is_utf8, err);
}

/* --- sections and types --- */

static bool
add_section(struct gclog_index *x, const struct gclog_record *r, struct error *err)
{
	struct gclog_section *s;
	struct gclog_name name = { 0 };

	if (x->sections_count == SECTIONS_MAX)
		return error_set(err, ERROR_INPUT,
				 "line %" PRIu64 " begins a section beyond the limit of %d for a "
				 "GC log",
				 r->line.number, SECTIONS_MAX);
	if (!MAKE_ROOM(x->sections, x->sections_count + 1, x->sections_room, err))
		return false;
	s = &x->sections[x->sections_count];
	*s = (struct gclog_section){
		.name = unnamed,
		.line = r->line.number,
		.version = 2,
		.base = (uint64_t)x->sections_count << x->base_shift,
		.first_type = GCLOG_NONE,
		.last_type = GCLOG_NONE,
	};
	x->sections_count++;
	if (r->kind != GCLOG_BEGIN)
		return true;
	s->version = r->version.value;
	name = gclog_name_split(r, r->rest);
	s->has_time = name.time_at != GCLOG_NOWHERE;
	s->time = name.time;
	if (name.len)
		s->name = copy_name(x, r, &name, err);
	return s->name != NULL;
}

uint32_t
gclog_index_type(const struct gclog_index *x, uint32_t section, uint64_t id)
{
	return u64_map_get(&x->sections[section].types, id);
}

uint32_t
gclog_index_add_type(struct gclog_index *x, uint32_t section, uint64_t id, const char *name,
		     uint64_t line, struct error *err)
{
	struct gclog_section *s = &x->sections[section];
	uint32_t number = x->types_count;

	if (number >= UINT32_MAX / 8) {
		error_set(err, ERROR_INPUT, "more than %" PRIu32 " types", number);
		return GCLOG_NONE;
	}
	if (!MAKE_ROOM(x->types, number + 1, x->types_room, err))
		return GCLOG_NONE;
	x->types[number] = (struct gclog_type){
		.id = id, .section = section, .next = GCLOG_NONE, .name = name, .line = line
	};
	if (s->last_type == GCLOG_NONE)
		s->first_type = number;
	else
		x->types[s->last_type].next = number;
	s->last_type = number;
	x->types_count++;
	return number;
}

/* The first definition of an id counts. */
static bool
add_type(struct gclog_index *x, uint32_t section, const struct gclog_record *r, struct error *err)
{
	struct gclog_section *s = &x->sections[section];
	struct gclog_cursor rest = r->rest;
	struct gclog_element id;
	struct gclog_name name;
	const char *text;
	uint32_t type;

	if (!gclog_element_next(&rest, &id) || !id.is_number ||
	    gclog_index_type(x, section, id.value) != GCLOG_NONE)
		return true;
	name = gclog_type_name(r, rest);
	text = name.len ? copy_name(x, r, &name, err)
			: arena_printf(&x->arena, err, "<type %" PRIx64 ">", id.value);
	if (!text)
		return false;
	type = gclog_index_add_type(x, section, id.value, text, r->line.number, err);
	s->types_count++;
	return type != GCLOG_NONE && u64_map_put(&s->types, id.value, type, err);
}

/* --- objects --- */

static bool
add_object(struct gclog_index *x, uint32_t section, const struct gclog_record *r, struct error *err)
{
	struct gclog_element head[3];

	if (!gclog_object_head(r, MADE_UP_ADDRESS, head))
		return true;
	if (head[0].value > x->id_max)
		x->id_max = head[0].value;
	return addresses_note(x->objects, x->sections[section].base + head[0].value, err);
}

/* Places the object, or records that it is defined more than once. */
static bool
place_object(struct gclog_index *x, uint32_t section, const struct gclog_record *r,
	     struct error *err)
{
	uint64_t address = x->sections[section].base;
	struct gclog_element head[3];

	if (!gclog_object_head(r, gclog_index_id_end(x), head))
		return true;
	address += head[0].value;
	if (addresses_place(x->objects, address) ||
	    u64_map_get(&x->doubles, address) != U64_MAP_NONE)
		return true;
	if (!MAKE_ROOM(x->firsts, x->firsts_count + 1, x->firsts_room, err))
		return false;
	x->firsts[x->firsts_count] = (struct gclog_first){ 0 };
	return u64_map_put(&x->doubles, address, (uint32_t)x->firsts_count++, err);
}

/* --- passes --- */

static bool
pass_over(struct gclog_index *x, bool is_placing, struct progress *progress, struct error *err)
{
	struct gclog_scan scan;
	struct gclog_record r;
	uint64_t reported = 0;
	bool is_good = true;

	gclog_scan_init(&scan, x->text.data, x->text.len);
	while (is_good && gclog_scan_next(&scan, &r)) {
		is_good = gclog_scan_report(&scan, &reported, progress, err);
		if (is_good && !is_placing && scan.sections_count > x->sections_count)
			is_good = add_section(x, &r, err);
		if (is_good && !is_placing && r.kind == GCLOG_TYPE)
			is_good = add_type(x, scan.sections_count - 1, &r, err);
		if (is_good && r.kind == GCLOG_OBJECT)
			is_good = (is_placing ? place_object
					      : add_object)(x, scan.sections_count - 1, &r, err);
	}
	return is_good;
}

/* Do all bases fit, with ids this large? */
static bool
check_bases(const struct gclog_index *x, struct error *err)
{
	uint64_t last = x->sections_count ? x->sections_count - 1 : 0;

	if (x->base_shift < 64 && last < MADE_UP_ADDRESS >> x->base_shift)
		return true;
	return error_set(err, ERROR_INPUT,
			 "object ids up to %" PRIx64 " in %" PRIu32
			 " sections: the ids are too large to be distinguished",
			 x->id_max, x->sections_count);
}

static void
forget(struct gclog_index *x)
{
	for (uint32_t i = 0; i < x->sections_count; i++)
		u64_map_clear(&x->sections[i].types);
	x->sections_count = x->types_count = 0;
	arena_clear(&x->arena);
	addresses_free(x->objects);
	x->objects = NULL;
}

/* Finds all definitions; repeated if ids are larger than expected. */
static bool
survey(struct gclog_index *x, struct progress *progress, struct error *err)
{
	for (;;) {
		x->objects = addresses_new(err);
		if (!x->objects || !pass_over(x, false, progress, err))
			return false;
		if (x->sections_count < 2 || !(x->id_max >> x->base_shift))
			return check_bases(x, err);
		x->base_shift = 64 - (unsigned)__builtin_clzll(x->id_max);
		if (!check_bases(x, err))
			return false;
		forget(x);
	}
}

/* Numbers sections that have the same name. */
static bool
label_sections(struct gclog_index *x, struct error *err)
{
	for (uint32_t i = 0; i < x->sections_count; i++) {
		struct gclog_section *s = &x->sections[i];
		uint32_t same = 1;

		for (uint32_t k = 0; k < i; k++)
			same += !strcmp(x->sections[k].name, s->name);
		s->label = same == 1 ? s->name
				     : arena_printf(&x->arena, err, "%s #%" PRIu32, s->name, same);
		if (!s->label)
			return false;
	}
	return true;
}

bool
gclog_index_build(struct gclog_index *x, const struct gclog_text *text, struct progress *progress,
		  struct error *err)
{
	*x = (struct gclog_index){ .text = *text, .base_shift = BASE_SHIFT };
	arena_init(&x->arena, 0);
	if (!survey(x, progress, err) || !label_sections(x, err) ||
	    !addresses_plan(x->objects, err))
		return false;
	if (!addresses_are_placed(x->objects) && !pass_over(x, true, progress, err))
		return false;
	return addresses_seal(x->objects, err);
}

void
gclog_index_clear(struct gclog_index *x)
{
	forget(x);
	memory_free(x->sections);
	memory_free(x->types);
	memory_free(x->firsts);
	u64_map_clear(&x->doubles);
	u64_map_clear(&x->all_objects);
	u64_map_clear(&x->all_types);
	*x = (struct gclog_index){ 0 };
}

/* --- definitions in other sections --- */

#define AMBIGUOUS (GCLOG_NONE - 1)

static bool
map_add(struct u64_map *m, uint64_t id, uint32_t value, struct error *err)
{
	if (u64_map_get(m, id) != U64_MAP_NONE)
		value = AMBIGUOUS;
	return u64_map_put(m, id, value, err);
}

static bool
map_all_types(struct gclog_index *x, struct error *err)
{
	if (x->has_all_types)
		return true;
	for (uint32_t i = 0; i < x->types_count; i++)
		if (x->types[i].line && !map_add(&x->all_types, x->types[i].id, i, err))
			return false;
	x->has_all_types = true;
	return true;
}

static bool
map_all_objects(struct gclog_index *x, struct error *err)
{
	uint32_t count = addresses_count(x->objects);

	if (x->has_all_objects)
		return true;
	for (node_id n = 0; n < count; n++) {
		uint64_t address = addresses_of(x->objects, n);
		uint64_t id = address & (gclog_index_id_end(x) - 1);

		if (!map_add(&x->all_objects, id, (uint32_t)(address >> x->base_shift), err))
			return false;
	}
	x->has_all_objects = true;
	return true;
}

static uint32_t
map_find(const struct u64_map *m, uint64_t id)
{
	uint32_t found = u64_map_get(m, id);

	return found == AMBIGUOUS ? GCLOG_NONE : found;
}

bool
gclog_index_foreign_type(struct gclog_index *x, uint64_t id, uint32_t *found, struct error *err)
{
	*found = GCLOG_NONE;
	if (x->sections_count < 2)
		return true;
	if (!map_all_types(x, err))
		return false;
	*found = map_find(&x->all_types, id);
	return true;
}

bool
gclog_index_foreign_object(struct gclog_index *x, uint64_t id, uint32_t *found, struct error *err)
{
	*found = GCLOG_NONE;
	if (x->sections_count < 2)
		return true;
	if (!map_all_objects(x, err))
		return false;
	*found = map_find(&x->all_objects, id);
	return true;
}
