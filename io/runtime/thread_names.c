#include "io/base/utf16.h"
#include "io/runtime/thread_names.h"
#include "model/heap/thread_title.h"
#include <inttypes.h>
#include <string.h>

enum {
	OBJECT_NAME = 24,
	STRING_LENGTH = 8,
	STRING_UNITS = 12,
	NAME_UNITS_MAX = 128, /* longer ones are cut */
};
/* The kernel's name of the thread, which a core does not have. */
#define FINALIZER_NAME ".NET Finalizer"

/* The text of a managed string, "" if unreadable; NULL: no memory. */
static const char *
read_name(const struct clr_runtime *rt, uint64_t string, struct arena *a, struct error *err)
{
	uint8_t units[2 * NAME_UNITS_MAX];
	struct bytes_array text = { units, 0 };
	uint64_t table;
	uint32_t len;

	if (!string || !memory_u64(rt->reader, string, &table) ||
	    (rt->string_table && (table & ~CLR_OBJECT_MARKS) != rt->string_table) ||
	    !memory_u32(rt->reader, string + STRING_LENGTH, &len))
		return "";
	text.count = len < NAME_UNITS_MAX ? len : NAME_UNITS_MAX;
	if (!memory_read(rt->reader, string + STRING_UNITS, units, 2 * text.count))
		return "";
	return utf16_to_utf8(&text, a, err);
}

/* True if a Thread object has the address of the runtime's record: in the
 * field _DONT_USE_InternalThread, at 40 up to .NET 10 and at 56 since. */
static bool
is_object_of(const struct clr_runtime *rt, uint64_t object, uint64_t record)
{
	static const uint64_t places[] = { 40, 56 };
	uint64_t back;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (memory_u64(rt->reader, object + places[i], &back) && back == record)
			return true;
	return false;
}

/* Returns the object of a handle, or 0. */
static uint64_t
object_of(const struct clr_runtime *rt, const struct clr_handles *handles, uint64_t address)
{
	const struct clr_handle *handle = handles ? clr_handles_find(handles, address) : NULL;
	uint64_t object;

	if (handles)
		return handle ? handle->object : 0;
	return address && memory_u64(rt->reader, address, &object) ? object : 0;
}

static uint64_t
find_object(const struct clr_runtime *rt, const struct clr_handles *handles, uint64_t record)
{
	uint64_t address, object;

	if (!clr_u64(&rt->layout, rt->reader, record, CLR_THREAD_GC_HANDLE, &address))
		return 0;
	object = object_of(rt, handles, address);
	return object && is_object_of(rt, object, record) ? object : 0;
}

static bool
read_managed(struct clr_thread_name *out, const struct clr_runtime *rt,
	     const struct clr_handles *handles, const struct clr_thread *thread, struct arena *a,
	     struct error *err)
{
	uint64_t name;

	out->address = thread->address;
	out->os_id = thread->os_id;
	out->id = thread->id;
	out->object = find_object(rt, handles, thread->address);
	out->thrown = object_of(rt, handles, thread->last_thrown);
	out->mode = thread->mode;
	out->name = "";
	if (out->object && memory_u64(rt->reader, out->object + OBJECT_NAME, &name)) {
		out->is_unnamed = !name;
		out->name = read_name(rt, name, a, err);
	}
	return out->name != NULL;
}

static bool
add_title(struct clr_thread_name *t, struct arena *a, struct error *err)
{
	const char *space = t->name[0] ? " " : "";
	char title[THREAD_TITLE_BYTES];

	t->title = t->os_id ? arena_printf(a, err, "%s%s%s", thread_title(t->id, t->os_id, title),
					   space, t->name)
			    : arena_printf(a, err, "ended thread%s%s", space, t->name);
	return t->title != NULL;
}

/* Adds a native thread, or the kernel's name of an unnamed managed one. */
static bool
read_system(struct clr_thread_names *t, struct clr_thread_name *items,
	    const struct memory_thread *thread, struct arena *a, struct error *err)
{
	uint64_t os_id = (uint64_t)thread->tid;
	uint32_t i = u64_map_get(&t->index, os_id);
	const char *name = thread->name ? thread->name : "";

	name = arena_strndup(a, name, strlen(name), err);
	if (!name)
		return false;
	if (i != U64_MAP_NONE) {
		if (!items[i].name[0])
			items[i].name = name;
		return true;
	}
	items[t->count] = (struct clr_thread_name){ .os_id = os_id, .name = name };
	return u64_map_put(&t->index, os_id, (uint32_t)t->count++, err);
}

static bool
read_threads(struct clr_thread_names *t, struct clr_thread_name *items,
	     const struct clr_runtime *rt, const struct clr_handles *handles, struct arena *a,
	     struct error *err)
{
	const struct memory *m = rt->memory;

	for (size_t i = 0; i < rt->threads_count; i++) {
		const struct clr_thread *thread = &rt->threads[i];

		if (!read_managed(&items[i], rt, handles, thread, a, err))
			return false;
		t->count++;
		if (thread->os_id && !u64_map_put(&t->index, thread->os_id, (uint32_t)i, err))
			return false;
	}
	for (size_t i = 0; i < m->threads_count; i++)
		if (!read_system(t, items, &m->threads[i], a, err))
			return false;
	for (size_t i = 0; i < t->count; i++) {
		if (!items[i].name[0] && items[i].address &&
		    items[i].address == rt->finalizer_thread)
			items[i].name = FINALIZER_NAME;
		if (!add_title(&items[i], a, err))
			return false;
	}
	return true;
}

bool
clr_thread_names_read(struct clr_thread_names *out, const struct clr_runtime *rt,
		      const struct clr_handles *handles, struct arena *a, struct error *err)
{
	struct clr_thread_name *items = arena_array(
	    a, struct clr_thread_name, rt->threads_count + rt->memory->threads_count, err);

	*out = (struct clr_thread_names){ .items = items };
	if (items && read_threads(out, items, rt, handles, a, err))
		return true;
	clr_thread_names_clear(out);
	return false;
}

void
clr_thread_names_clear(struct clr_thread_names *t)
{
	u64_map_clear(&t->index);
	*t = (struct clr_thread_names){ 0 };
}

const struct clr_thread_name *
clr_thread_names_find(const struct clr_thread_names *t, uint64_t os_id)
{
	uint32_t i = u64_map_get(&t->index, os_id);

	return i == U64_MAP_NONE ? NULL : &t->items[i];
}
