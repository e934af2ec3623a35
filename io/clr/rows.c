#include "io/clr/rows.h"
#include "io/clr/delegates.h"
#include "io/clr/described.h"
#include "io/runtime/continuations.h"
#include "io/runtime/enums.h"
#include "io/runtime/fields.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	TEXT_UNITS = 128, /* of a string that a field refers to */
	UNITS_MAX = 1 << 20,
	VALUE_BYTES_MAX = 16,
	SUMMARY_BYTES = 160,
	RAW_SHOWN = 16, /* bytes shown of an unknown value */
};
static const char absent[] = "(not in memory)";

/* --- texts ---------------------------------------------------------------- */

/* Reads up to `max` units; fewer if the rest is absent. */
static bool
read_units(const struct clr_contents *c, const struct clr_object *o, uint32_t max, uint16_t **units,
	   uint32_t *count, struct arena *a, struct error *err)
{
	uint32_t wanted = o->count < max ? o->count : max;
	size_t got;

	*units = arena_array(a, uint16_t, (size_t)wanted + 1, err);
	if (!*units)
		return false;
	got =
	    memory_copy(c->runtime->memory, o->address + CLR_UNITS_AT, *units, (size_t)wanted * 2);
	*count = (uint32_t)(got / 2);
	if (!BYTES_LITTLE_ENDIAN)
		for (uint32_t i = 0; i < *count; i++)
			(*units)[i] = __builtin_bswap16((*units)[i]);
	return true;
}

const char *
clr_rows_text(const struct clr_contents *c, const struct clr_object *o, uint32_t max,
	      bool *is_whole, struct arena *a, struct error *err)
{
	enum { ESCAPED_MAX = 10 };
	uint16_t *units;
	uint32_t count;
	size_t size;
	char *text;

	if (!read_units(c, o, max, &units, &count, a, err))
		return NULL;
	*is_whole = count == (o->count < max ? o->count : max);
	size = (size_t)count * ESCAPED_MAX + 16;
	text = arena_array(a, char, size, err);
	if (text)
		literal_write_text(units, count, count < o->count, text, size);
	return text;
}

/* Returns the part of the text that is present, and says if some is absent. */
static const char *
text_or_absent(const struct clr_contents *c, const struct clr_object *o, uint32_t max,
	       struct arena *a, struct error *err)
{
	bool is_whole;
	const char *text = clr_rows_text(c, o, max, &is_whole, a, err);

	if (!text || is_whole)
		return text;
	if (!strncmp(text, "\"\"", 2))
		return absent;
	return arena_printf(a, err, "%s (the rest is not in memory)", text);
}

/* Sets the text of a delegate: "Leaky.Cache.Evict", "3 delegates". Other objects keep the text that
 * they have. */
static bool
describe_delegate(struct clr_contents *c, const struct clr_object *o, struct content *row,
		  struct arena *a, struct error *err)
{
	struct content_method method;
	bool is_delegate;

	if (!clr_delegate_read(c, o, &method, &is_delegate, a, err))
		return false;
	if (is_delegate)
		row->text =
		    method.entries == NODE_NONE
			? method.text
			: arena_printf(a, err, "%" PRIu32 " delegates", method.entries_count);
	return row->text != NULL;
}

static bool
describe_object(struct clr_contents *c, const struct clr_object *o, struct content *row,
		struct arena *a, struct error *err)
{
	const char *text = clr_describe(c, row->target, o, a, err);

	if (text)
		row->text = text;
	return err->kind == ERROR_NONE;
}

/* Sets the text of a boxed primitive or enum: "int 42". A boxed struct could contain itself, so
 * only its type is named. */
static bool
describe_boxed(struct clr_contents *c, const struct clr_object *o, struct content *row,
	       struct arena *a, struct error *err)
{
	const struct clr_plan *plan;
	struct content value;

	if (*row->text || !clr_is_value_type(o->flags))
		return true;
	plan = clr_object_boxed_plan(c, o, err);
	if (!plan)
		return false;
	if (plan->parts[0].kind != CONTENT_VALUE)
		return true;
	if (!clr_rows_of_part(c, &plan->parts[0], o->address + CLR_FIELDS_AT, &value, a, err))
		return false;
	row->text =
	    arena_printf(a, err, "%s %s", heap_type(c->heap, row->target)->name, value.text);
	return row->text != NULL;
}

/* Describes the target of a reference in one line. */
static bool
describe_target(struct clr_contents *c, struct content *row, struct arena *a, struct error *err)
{
	struct error ignored = { 0 };
	struct clr_object o;

	row->target = NODE_NONE;
	row->text = row->pointer ? "" : "null";
	if (!row->pointer)
		return true;
	row->target = heap_find(c->heap, row->pointer);
	if (row->target == NODE_NONE || !clr_object_open(c, row->target, &o, &ignored) ||
	    !clr_object_has_room(&o))
		return true;
	if (!clr_contents_is_string(c, row->target))
		return describe_delegate(c, &o, row, a, err) &&
		       (*row->text || describe_object(c, &o, row, a, err)) &&
		       describe_boxed(c, &o, row, a, err);
	row->text = text_or_absent(c, &o, TEXT_UNITS, a, err);
	return row->text != NULL;
}

/* --- values --------------------------------------------------------------- */

static const char *
hex_text(const uint8_t *bytes, size_t len, bool is_cut, struct arena *a, struct error *err)
{
	char text[3 * RAW_SHOWN + 8] = "";
	size_t at = 0;

	for (size_t i = 0; i < len; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%02x", i ? " " : "",
				       bytes[i]);
	return arena_printf(a, err, "%s%s", text, is_cut ? " …" : "");
}

static bool
show_raw(const struct clr_contents *c, struct content *row, struct arena *a, struct error *err)
{
	uint8_t bytes[RAW_SHOWN];
	size_t wanted = row->bytes < RAW_SHOWN ? (size_t)row->bytes : RAW_SHOWN;
	size_t got = memory_copy(c->runtime->memory, row->address, bytes, wanted);

	row->kind = CONTENT_RAW;
	row->text = got ? hex_text(bytes, got, got < row->bytes, a, err) : absent;
	return row->text != NULL;
}

/* Shows an enum by the names of its bits, or as a number. */
static bool
show_enum(struct clr_contents *c, const struct clr_part *part, const uint8_t *bytes,
	  char literal[LITERAL_BYTES], struct content *row, struct arena *a, struct error *err)
{
	const char *name =
	    clr_enum_name(clr_types_names(c->types), part->enum_table, bytes, part->bytes, a, err);

	if (!name)
		return false;
	row->text = arena_printf(a, err, "%s", *name ? name : literal);
	return row->text != NULL;
}

static bool
show_value(struct clr_contents *c, const struct clr_part *part, uint64_t base, struct content *row,
	   struct arena *a, struct error *err)
{
	uint8_t bytes[VALUE_BYTES_MAX];
	char literal[LITERAL_BYTES];
	uint16_t minutes = 0;
	bool is_value;

	if (!memory_read(clr_contents_reader(c), row->address, bytes, part->bytes) ||
	    (part->is_time_offset &&
	     !memory_u16(clr_contents_reader(c), base + part->minutes_at, &minutes)))
		return show_raw(c, row, a, err);
	is_value = part->is_time_offset
		       ? literal_write_offset(bytes_load_u64(bytes), (int16_t)minutes, literal)
		       : literal_write((enum literal_kind)part->literal, bytes, literal);
	if (!is_value)
		return show_raw(c, row, a, err);
	if (part->enum_table)
		return show_enum(c, part, bytes, literal, row, a, err);
	row->text = arena_printf(a, err, "%s", literal);
	return row->text != NULL;
}

/* Shows a BigInteger: _sign is the number itself, or only its sign if _bits refers to an array. */
static bool
show_big(struct clr_contents *c, const struct clr_part *part, uint64_t base, struct content *row,
	 struct arena *a, struct error *err)
{
	struct memory_reader *r = clr_contents_reader(c);
	const char *text;
	uint64_t bits;
	uint32_t sign;

	if (!memory_u32(r, base + part->sign_at, &sign) ||
	    !memory_u64(r, base + part->bits_at, &bits))
		return true;
	text = bits ? clr_describe_big(c, heap_find(c->heap, bits), (int32_t)sign < 0, a, err)
		    : arena_printf(a, err, "%" PRId32, (int32_t)sign);
	if (text)
		row->text = text;
	return err->kind == ERROR_NONE;
}

bool
clr_rows_of_part(struct clr_contents *c, const struct clr_part *part, uint64_t base,
		 struct content *row, struct arena *a, struct error *err)
{
	*row = (struct content){
		.name = part->name,
		.type = part->type,
		.text = "",
		.address = base + part->offset,
		.bytes = part->bytes,
		.target = NODE_NONE,
		.depth = part->depth,
		.kind = part->kind,
		.overlaps = part->overlaps,
	};
	if (clr_part_is_null(c, part, base)) {
		row->text = "null";
		return true;
	}
	switch ((enum content_kind)part->kind) {
	case CONTENT_RAW:
		return show_raw(c, row, a, err);
	case CONTENT_VALUE:
		return show_value(c, part, base, row, a, err);
	case CONTENT_REFERENCE:
		if (!memory_u64(clr_contents_reader(c), row->address, &row->pointer))
			return show_raw(c, row, a, err);
		return describe_target(c, row, a, err);
	case CONTENT_STRUCT:
		return !part->is_big || show_big(c, part, base, row, a, err);
	}
	return true;
}

/* Returns `before` followed by ", Key = 1", or by "{…}" for a nested struct. */
static const char *
summarise_part(struct clr_contents *c, const struct clr_part *part, uint64_t base,
	       const char *before, struct arena *a, struct error *err)
{
	struct content row;

	if (!clr_rows_of_part(c, part, base, &row, a, err))
		return NULL;
	if (row.kind == CONTENT_STRUCT && !*row.text)
		row.text = "{…}";
	else if (!*row.text && row.target != NODE_NONE)
		row.text = heap_type(c->heap, row.target)->name;
	else if (!*row.text)
		row.text = arena_printf(a, err, "%" PRIx64 " (no object)", row.pointer);
	return row.text ? arena_printf(a, err, "%s%s%s = %s", before, *before ? ", " : "",
				       part->name, row.text)
			: NULL;
}

bool
clr_rows_of_value(struct clr_contents *c, const struct clr_plan *plan, uint64_t base,
		  struct content *row, struct arena *a, struct error *err)
{
	const char *text = "";

	if (!clr_rows_of_part(c, &plan->parts[0], base, row, a, err))
		return false;
	if (row->kind != CONTENT_STRUCT || *row->text)
		return true;
	for (uint32_t i = 1; text && i < plan->count; i++) {
		if (plan->parts[i].depth != 1)
			continue;
		if (strlen(text) >= SUMMARY_BYTES) {
			text = arena_printf(a, err, "%s, …", text);
			break;
		}
		text = summarise_part(c, &plan->parts[i], base, text, a, err);
	}
	row->text = text ? arena_printf(a, err, "{%s}", text) : NULL;
	return row->text != NULL;
}

/* --- rows ----------------------------------------------------------------- */

/* Refuses to say that an object has no fields if its class is absent, which would name them. */
static bool
has_class(const struct clr_contents *c, const struct clr_object *o, struct error *err)
{
	uint64_t owner, class;

	return clr_class_find(&c->runtime->layout, clr_contents_reader(c), o->table, &owner,
			      &class) != CLR_CLASS_ABSENT ||
	       memory_missing(c->runtime->memory, class ? class : owner, "the class of the object",
			      err);
}

/* Adds its meaning to the name of a word in a suspended call's data. */
static bool
name_word(const struct clr_contents *c, const struct clr_plan *plan, const struct clr_object *o,
	  struct content *row, struct arena *a, struct error *err)
{
	uint64_t data = o->address + CLR_CONTINUATION_DATA;
	uint32_t flags;
	const char *slot;

	if (row->address < data ||
	    !memory_u32(clr_contents_reader(c), o->address + CLR_CONTINUATION_FLAGS, &flags))
		return true;
	slot = clr_continuation_slot(clr_types_names(c->types), plan->flags_table, flags,
				     (uint32_t)(row->address - data) / CLR_CONTINUATION_WORD);
	if (slot)
		row->name = arena_printf(a, err, "%s %s", row->name, slot);
	return row->name != NULL;
}

bool
clr_rows_of_fields(struct clr_contents *c, const struct clr_object *o, struct clr_page *p,
		   struct arena *a, struct error *err)
{
	const struct clr_plan *plan = clr_object_plan(c, o, err);

	if (!plan || (plan->count == plan->absent_count && !has_class(c, o, err)))
		return false;
	*p->total = plan->count;
	for (uint64_t i = p->first; i < plan->count && *p->rows_count < p->count; i++) {
		struct content *row = &p->rows[(*p->rows_count)++];

		if (!clr_rows_of_part(c, &plan->parts[i], o->address + CLR_FIELDS_AT, row, a,
				      err) ||
		    (plan->flags_table && !name_word(c, plan, o, row, a, err)))
			return false;
	}
	return true;
}

/* "[3]", "[0,2]" */
static const char *
element_name(const struct clr_array *array, uint64_t i, struct arena *a, struct error *err)
{
	int64_t indexes[CLR_RANK_MAX];
	char text[CLR_RANK_MAX * 12 + 4] = "[";
	size_t at = 1;

	for (uint32_t k = array->rank; k-- > 0;) {
		uint32_t length = array->lengths[k] ? array->lengths[k] : 1;

		indexes[k] = (int64_t)(i % length) + array->lows[k];
		i /= length;
	}
	for (uint32_t k = 0; k < array->rank; k++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRId64, k ? "," : "",
				       indexes[k]);
	return arena_printf(a, err, "%s]", text);
}

/* Each element has as many rows as its plan has parts. */
static bool
elements_rows(struct clr_contents *c, const struct clr_object *o, struct clr_page *p,
	      struct arena *a, struct error *err)
{
	uint32_t each = clr_object_component_bytes(o);
	struct clr_array array;
	const struct clr_plan *plan = clr_object_array(c, o, &array, err);

	if (!plan)
		return false;
	*p->total = (uint64_t)o->count * plan->count;
	for (uint64_t i = p->first; i < *p->total && *p->rows_count < p->count; i++) {
		const struct clr_part *part = &plan->parts[i % plan->count];
		struct content *row = &p->rows[(*p->rows_count)++];
		uint64_t element = i / plan->count;

		if (!clr_rows_of_part(c, part, array.elements + element * each, row, a, err))
			return false;
		if (i % plan->count == 0)
			row->name = element_name(&array, element, a, err);
		if (!row->name)
			return false;
	}
	return true;
}

static bool
string_row(struct clr_contents *c, const struct clr_object *o, struct clr_page *p, struct arena *a,
	   struct error *err)
{
	struct content *row = p->rows;

	*p->total = 1;
	if (p->first || !p->count)
		return true;
	*p->rows_count = 1;
	*row = (struct content){
		.name = "",
		.type = "string",
		.address = o->address + CLR_UNITS_AT,
		.bytes = 2 * (uint64_t)o->count,
		.target = NODE_NONE,
		.kind = CONTENT_VALUE,
	};
	row->text = text_or_absent(c, o, UNITS_MAX, a, err);
	return row->text != NULL;
}

bool
clr_rows_read(struct clr_contents *c, node_id n, const struct clr_object *o, struct clr_page *p,
	      struct arena *a, struct error *err)
{
	if (clr_object_is_array(o))
		return elements_rows(c, o, p, a, err);
	if (clr_contents_is_string(c, n) && clr_object_has_room(o))
		return string_row(c, o, p, a, err);
	return clr_rows_of_fields(c, o, p, a, err);
}
