#include "io/runtime/static_type.h"

enum {
	FLAGS2_STATICS = 2,
	REFERENCES_BELOW = 24, /* before the auxiliary data */
	VALUES_BELOW = 16,
	TABLE_BELOW = 8,
	REFERENCE_PLACE_BELOW = 36,
	VALUE_PLACE_BELOW = 40,
	NOT_INITIALIZED = 1,

	THREAD_ELEMENTS = 0,
	THREAD_HANDLES = 4,
	THREAD_ARRAY = 8,
	THREAD_HANDLE_ARRAY = 16,
	THREAD_BACK = 24,
	OTHER_PLACE = 8,
	OTHER_HANDLE = 16,
	OTHERS_MAX = 64,
	FIRST_ELEMENT = 2,
	PLACE_SHIFT = 24,
	PLACE_MASK = 0xffffff,
	PLACE_ELEMENT = 0,
	PLACE_HANDLE = 1,
	PLACE_DIRECT = 2,
};

/* --- types --- */

static void
find_storage(const struct clr_names *names, struct clr_static_type *type)
{
	const struct clr_layout *layout = names->layout;
	struct memory_reader *r = names->reader;
	struct clr_static_starts *starts = &type->ordinary;
	uint64_t auxiliary, table;
	uint32_t flags2;

	if (!clr_u32(layout, r, type->table, CLR_MT_FLAGS2, &flags2) ||
	    !(flags2 & FLAGS2_STATICS) ||
	    !clr_u64(layout, r, type->table, CLR_MT_AUXILIARY, &auxiliary) ||
	    !memory_u64(r, auxiliary - TABLE_BELOW, &table) || table != type->table ||
	    !memory_u64(r, auxiliary - REFERENCES_BELOW, &starts->references) ||
	    !memory_u64(r, auxiliary - VALUES_BELOW, &starts->values))
		return;
	type->is_initialized = !((starts->references | starts->values) & NOT_INITIALIZED);
	starts->references &= ~(uint64_t)NOT_INITIALIZED;
	starts->values &= ~(uint64_t)NOT_INITIALIZED;
	type->has_places =
	    memory_u32(r, auxiliary - REFERENCE_PLACE_BELOW, &type->reference_place) &&
	    memory_u32(r, auxiliary - VALUE_PLACE_BELOW, &type->value_place);
	type->has_storage = starts->references || starts->values || type->has_places;
}

static void
find_storage_8(const struct clr_names *names, struct clr_static_type *type, uint32_t flags)
{
	type->has_storage = clr_statics_8_find(names, type->table, flags, &type->net8);
	type->ordinary = type->net8.ordinary;
	type->is_initialized = type->net8.is_initialized;
	if (type->has_storage && type->net8.is_dynamic)
		type->fields = (struct clr_fields){ .at = type->net8.fields, .owner = type->table };
}

bool
clr_static_type_open(const struct clr_names *names, uint64_t table, struct clr_static_type *out)
{
	const struct clr_layout *layout = names->layout;
	struct memory_reader *r = names->reader;
	uint64_t owner, class;
	uint32_t flags;

	*out = (struct clr_static_type){ .table = table };
	if (!clr_u32(layout, r, table, CLR_MT_FLAGS, &flags) ||
	    (flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY ||
	    (clr_low_flags(flags) & CLR_MT_GENERIC) == CLR_MT_GENERIC_DEFINITION)
		return false;
	out->is_collectible = clr_is_collectible(layout, flags);
	(void)clr_class_find(layout, r, table, &owner, &class);
	clr_fields_open(layout, r, owner, class, &out->fields);
	if (layout->facts->has_module_statics)
		find_storage_8(names, out, flags);
	else
		find_storage(names, out);
	return out->fields.at != 0;
}

uint64_t
clr_static_address(const struct clr_static_starts *starts, const struct clr_field_record *field)
{
	uint64_t start = clr_static_is_reference(field) ? starts->references : starts->values;

	return start ? start + field->offset : 0;
}

/* --- threads --- */

bool
clr_static_thread_read(const struct clr_names *names, uint64_t thread,
		       struct clr_static_thread *out)
{
	struct memory_reader *r = names->reader;
	uint64_t back;

	*out = (struct clr_static_thread){ .thread = thread };
	if (!thread || names->layout->facts->has_module_statics)
		return thread != 0;
	return clr_u64(names->layout, r, thread, CLR_THREAD_LOCAL_DATA, &out->data) &&
	       memory_u64(r, out->data + THREAD_BACK, &back) && back == thread &&
	       memory_u32(r, out->data + THREAD_ELEMENTS, &out->elements_count) &&
	       memory_u32(r, out->data + THREAD_HANDLES, &out->handles_count) &&
	       memory_u64(r, out->data + THREAD_ARRAY, &out->array) &&
	       memory_u64(r, out->data + THREAD_HANDLE_ARRAY, &out->handles) &&
	       clr_u64(names->layout, r, out->data, CLR_THREAD_DATA_IN_FLIGHT, &out->others);
}

/* Storage made during class initialization is in a list of its own. */
static uint64_t
find_other(struct memory_reader *r, const struct clr_static_thread *t, uint32_t place)
{
	uint64_t at = t->others, handle, found;
	uint32_t place_there;

	for (int i = 0; at && i < OTHERS_MAX; i++) {
		if (!memory_u32(r, at + OTHER_PLACE, &place_there) ||
		    !memory_u64(r, at + OTHER_HANDLE, &handle))
			return 0;
		if (place_there == place)
			return handle && memory_u64(r, handle, &found) ? found : 0;
		if (!memory_u64(r, at, &at))
			return 0;
	}
	return 0;
}

/* The object or memory from which the offsets of the type's thread statics count; 0: none. */
static uint64_t
find_place(struct memory_reader *r, const struct clr_static_thread *t, uint32_t place)
{
	uint32_t kind = place >> PLACE_SHIFT;
	uint64_t n = place & PLACE_MASK, handle, found = 0;

	if (kind == PLACE_DIRECT)
		return t->data + n;
	if (kind == PLACE_ELEMENT && n >= FIRST_ELEMENT && n < t->elements_count &&
	    !memory_u64(r, t->array + CLR_ARRAY_ITEMS + 8 * (n - FIRST_ELEMENT), &found))
		return 0;
	if (kind == PLACE_HANDLE && n < t->handles_count &&
	    memory_u64(r, t->handles + 8 * n, &handle) && handle && !memory_u64(r, handle, &found))
		return 0;
	return found ? found : find_other(r, t, place);
}

void
clr_static_thread_starts(const struct clr_names *names, const struct clr_static_type *type,
			 const struct clr_static_thread *thread, struct clr_static_starts *out)
{
	struct memory_reader *r = names->reader;

	*out = (struct clr_static_starts){ 0 };
	if (names->layout->facts->has_module_statics) {
		if (type->has_storage)
			clr_statics_8_thread(names, thread->thread, &type->net8, out);
	} else if (type->has_places) {
		out->references = find_place(r, thread, type->reference_place);
		out->values = find_place(r, thread, type->value_place);
	}
}
