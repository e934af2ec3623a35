#include "io/runtime/types.h"
#include "io/runtime/continuations.h"
#include "io/runtime/fields.h"
#include "io/runtime/native.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include <inttypes.h>

enum {
	TYPES_MAX = 16 << 20,
	CALLS_MAX = 64 << 10,   /* places of awaits with a name */
	STRING_BASE_BYTES = 22, /* no other type has this size */
	STRING_UNIT_BYTES = 2,
	ALLOCATOR_BYTES = 4096, /* searched for the handle */
	MODULE_BYTES = 2048,
	AUXILIARY_LOADER_MODULE = 8,
	OBJECT_BYTES = 48,            /* of the LoaderAllocator object, for its scout, */
	SCOUT_ALLOCATOR = 8,          /* which holds the allocator's address */
	BASES_MAX = 64,               /* limit on inheritance depth */
	LOWEST = 4096,                /* bounds of a plausible pointer */
	ALLOCATORS_SEARCHED_MAX = 64, /* modules searched for the offset */
};
#define HIGHEST (UINT64_C(1) << 56)

/* A loader allocator and its managed object. */
struct allocator {
	uint64_t address, object;
};

/* The place of an await, and the type of the calls that wait there. */
struct call {
	uint64_t method_table, resume_info;
	const struct clr_type *type;
};

struct clr_types {
	struct clr_names names;
	struct memory_reader *reader;
	struct heap_builder *builder;
	struct arena arena, scratch;
	struct u64_map index, allocators_index;
	const struct clr_type **items;
	size_t count, room;
	struct allocator *allocators;
	size_t allocators_count, allocators_room;
	/* Offset in a module. .NET 8 needs a search; CLR_ABSENT: not found yet. */
	uint32_t allocator_offset;
	uint32_t allocators_searched;
	struct clr_types_losses losses;
	const struct clr_native *native;   /* NULL: CoreCLR */
	const struct clr_runtime *runtime; /* for suspended calls, or NULL */
	struct u64_map calls_index;
	struct call *calls;
	size_t calls_count, calls_room;
};

struct clr_types *
clr_types_new(const struct clr_layout *layout, struct memory_reader *r, struct heap_builder *b,
	      struct error *err)
{
	struct clr_types *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->names = (struct clr_names){ layout, r, NULL };
	t->reader = r;
	t->builder = b;
	arena_init(&t->arena, 0);
	arena_init(&t->scratch, 0);
	t->allocator_offset = layout->offset[CLR_MODULE_LOADER_ALLOCATOR];
	t->names.modules = clr_modules_new(layout, r, err);
	if (t->names.modules)
		return t;
	clr_types_free(t);
	return NULL;
}

void
clr_types_set_native(struct clr_types *t, const struct clr_native *n)
{
	t->native = n;
}

void
clr_types_set_runtime(struct clr_types *t, const struct clr_runtime *rt)
{
	t->runtime = rt;
}

void
clr_types_free(struct clr_types *t)
{
	if (!t)
		return;
	clr_modules_free(t->names.modules);
	u64_map_clear(&t->index);
	u64_map_clear(&t->allocators_index);
	u64_map_clear(&t->calls_index);
	memory_free(t->calls);
	memory_free(t->items);
	memory_free(t->allocators);
	arena_clear(&t->arena);
	arena_clear(&t->scratch);
	memory_free(t);
}

const struct clr_types_losses *
clr_types_losses(const struct clr_types *t)
{
	return &t->losses;
}

const struct clr_names *
clr_types_names(const struct clr_types *t)
{
	return &t->names;
}

const struct clr_type *
clr_types_find(const struct clr_types *t, uint64_t method_table)
{
	uint32_t i = u64_map_get(&t->index, method_table);

	return i == U64_MAP_NONE ? NULL : t->items[i];
}

/* --- loader allocators of collectible types --- */

static bool
is_pointer(uint64_t value)
{
	return value > LOWEST && value < HIGHEST && !(value & 7);
}

/* True if the object's scout has the allocator's address. */
static bool
refers_to_allocator(struct clr_types *t, uint64_t object, uint64_t allocator)
{
	uint64_t field, back;

	for (uint64_t i = 8; i < OBJECT_BYTES; i += 8)
		if (memory_u64(t->reader, object + i, &field) && is_pointer(field) &&
		    memory_u64(t->reader, field + SCOUT_ALLOCATOR, &back) && back == allocator)
			return true;
	return false;
}

/* The managed object of an allocator; 0: none found. */
static uint64_t
search_allocator(struct clr_types *t, uint64_t allocator)
{
	uint64_t handle, object;

	for (uint64_t i = 0; i < ALLOCATOR_BYTES; i += 8)
		if (memory_u64(t->reader, allocator + i, &handle) && is_pointer(handle) &&
		    memory_u64(t->reader, handle, &object) && is_pointer(object) &&
		    refers_to_allocator(t, object, allocator))
			return object;
	return 0;
}

/* Searches each allocator once. False: no memory. */
static bool
find_allocator_object(struct clr_types *t, uint64_t allocator, uint64_t *object, struct error *err)
{
	uint32_t i = u64_map_get(&t->allocators_index, allocator);
	struct allocator *a;

	*object = 0;
	if (!is_pointer(allocator))
		return true;
	if (i != U64_MAP_NONE) {
		*object = t->allocators[i].object;
		return true;
	}
	if (!MAKE_ROOM(t->allocators, t->allocators_count + 1, t->allocators_room, err) ||
	    !u64_map_put(&t->allocators_index, allocator, (uint32_t)t->allocators_count, err))
		return false;
	a = &t->allocators[t->allocators_count++];
	*a = (struct allocator){ allocator, search_allocator(t, allocator) };
	*object = a->object;
	return true;
}

/* Finds the offset in a module at which it has its loader allocator. */
static void
search_offset(struct clr_types *t, uint64_t module)
{
	uint64_t allocator;

	if (t->allocators_searched++ >= ALLOCATORS_SEARCHED_MAX)
		return;
	for (uint32_t i = 0; i < MODULE_BYTES; i += 8)
		if (memory_u64(t->reader, module + i, &allocator) && is_pointer(allocator) &&
		    search_allocator(t, allocator)) {
			t->allocator_offset = i;
			return;
		}
}

/* The loader module: up to .NET 8 in the method table itself. */
static bool
loader_module(struct clr_types *t, uint64_t method_table, uint64_t *module)
{
	const struct clr_layout *l = t->names.layout;
	uint64_t auxiliary;

	if (l->facts->has_loader_module)
		return clr_u64(l, t->reader, method_table, CLR_MT_MODULE, module);
	return clr_u64(l, t->reader, method_table, CLR_MT_AUXILIARY, &auxiliary) &&
	       is_pointer(auxiliary) &&
	       memory_u64(t->reader, auxiliary + AUXILIARY_LOADER_MODULE, module);
}

/* Sets type->loader_allocator. False: no memory. */
static bool
read_loader_allocator(struct clr_types *t, struct clr_type *type, struct error *err)
{
	uint64_t module, allocator;

	if (!clr_is_collectible(t->names.layout, type->flags))
		return true;
	if (loader_module(t, type->method_table, &module) && is_pointer(module)) {
		if (t->allocator_offset == CLR_ABSENT)
			search_offset(t, module);
		if (t->allocator_offset != CLR_ABSENT &&
		    memory_u64(t->reader, module + t->allocator_offset, &allocator) &&
		    !find_allocator_object(t, allocator, &type->loader_allocator, err))
			return false;
	}
	t->losses.loader_allocators += !type->loader_allocator;
	return true;
}

/* --- types --- */

/* True if the method table's type has this full name. */
static bool
has_name(struct clr_types *t, uint64_t method_table, const char *wanted, struct error *err)
{
	const struct clr_module *module;
	uint64_t address;
	const char *name;

	if (!clr_u64(t->names.layout, t->reader, method_table, CLR_MT_MODULE, &address))
		return false;
	module = clr_modules_find(t->names.modules, address, err);
	if (!module || !module->metadata)
		return false;
	name = metadata_type_name(module->metadata, clr_name_token(&t->names, method_table),
				  &t->scratch, err);
	return name && !strcmp(name, wanted);
}

/* The direct base class of a delegate is MulticastDelegate; the root of an exception's hierarchy
 * below System.Object is System.Exception. */
static uint32_t
flags_of_bases(struct clr_types *t, uint64_t method_table, struct error *err)
{
	uint64_t at = method_table, first = 0, parent = 0, last = method_table;

	for (int i = 0; i < BASES_MAX; i++) {
		if (!clr_u64(t->names.layout, t->reader, at, CLR_MT_PARENT, &parent) || !parent)
			break;
		first = first ? first : parent;
		last = at;
		at = parent;
	}
	if (first && has_name(t, first, "System.MulticastDelegate", err))
		return TYPE_DELEGATE;
	return !parent && has_name(t, last, "System.Exception", err) ? TYPE_EXCEPTION : 0;
}

static bool
is_async_box(const char *name)
{
	const char *box = strstr(name, "StateMachineBox<");
	int depth = 0;

	for (const char *at = name; box && at < box; at++)
		depth += (*at == '<') - (*at == '>');
	return box && !depth;
}

/* Returns the method table of the state machine, the last type argument, or 0 if it is unknown. */
static uint64_t
state_machine_of(const struct clr_types *t, uint64_t box)
{
	uint64_t handles[CLR_ARGUMENTS_MAX];
	unsigned count = clr_name_arguments(&t->names, box, handles);

	return count && !(handles[count - 1] & 2) ? handles[count - 1] : 0;
}

/* The box of an async method belongs to the module of its state machine. NULL: no memory. */
static const char *
module_path(struct clr_types *t, const char *name, uint64_t method_table, struct error *err)
{
	uint64_t machine = is_async_box(name) ? state_machine_of(t, method_table) : 0;
	uint64_t of = machine ? machine : method_table;
	const struct clr_module *module;

	module = clr_modules_find(t->names.modules, clr_name_module(&t->names, of), err);
	return module ? module->path : NULL;
}

static uint32_t
model_flags(const struct clr_types *t, const struct clr_type *type, unsigned name_flags)
{
	uint32_t flags = 0;

	if ((type->flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY)
		flags |= TYPE_ARRAY;
	if (type->base_bytes == STRING_BASE_BYTES && type->component_bytes == STRING_UNIT_BYTES)
		flags |= TYPE_STRING;
	if (clr_is_collectible(t->names.layout, type->flags))
		flags |= TYPE_COLLECTIBLE;
	if (type->flags & CLR_MT_HAS_FINALIZER)
		flags |= TYPE_FINALIZABLE;
	if (name_flags)
		flags |= TYPE_UNNAMED;
	return flags;
}

/* "Type(0x003916c8), 88 bytes", as for events. NULL: no memory. */
static const char *
name_of_place(struct clr_types *t, const struct clr_type *type, struct error *err)
{
	uint64_t offset = type->method_table - t->native->base;
	bool is_array = (type->flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY;

	if (offset >= t->native->end - t->native->base)
		return arena_printf(&t->scratch, err, "UNKNOWN 0x%" PRIx64, type->method_table);
	if (is_array || type->component_bytes)
		return arena_printf(&t->scratch, err, "%s(0x%08" PRIx64 ")",
				    is_array ? "ArrayType" : "Type", offset);
	return arena_printf(&t->scratch, err, "Type(0x%08" PRIx64 "), %" PRIu32 " bytes", offset,
			    type->base_bytes);
}

/* Names a type of Native AOT by its symbol. False: no memory. */
static bool
name_native_type(struct clr_types *t, struct clr_type *type, struct error *err)
{
	struct native_name name;

	if (!clr_native_name(t->native, type->method_table, &t->scratch, &name, err))
		return false;
	t->losses.unnamed += !name.name;
	if (!name.name)
		name.name = name_of_place(t, type, err);
	if (!name.name)
		return false;
	type->id = heap_builder_type(t->builder, name.name, name.module ? name.module : "", err);
	if (type->id == TYPE_NONE)
		return false;
	heap_builder_type_flags(t->builder, type->id, model_flags(t, type, 0));
	return true;
}

/* False: no memory. */
static bool
name_type(struct clr_types *t, struct clr_type *type, struct error *err)
{
	unsigned name_flags = 0;
	const char *name =
	    clr_name_of(&t->names, type->method_table, &t->scratch, &name_flags, err);
	const char *path = name ? module_path(t, name, type->method_table, err) : NULL;
	uint32_t flags = model_flags(t, type, name_flags);

	if (!name || !path)
		return false;
	type->id = heap_builder_type(t->builder, name, path, err);
	if (type->id == TYPE_NONE)
		return false;
	flags |= flags_of_bases(t, type->method_table, err);
	heap_builder_type_flags(t->builder, type->id, flags);
	t->losses.unnamed += (name_flags & CLR_NAME_MADE_UP) != 0;
	t->losses.cut += (name_flags & CLR_NAME_CUT) != 0;
	return err->kind == ERROR_NONE;
}

/* False: no memory. */
static bool
read_refs(struct clr_types *t, struct clr_type *type, struct error *err)
{
	struct clr_shape shape = { type->method_table, type->base_bytes, type->component_bytes };
	const char *why;

	if (!(type->flags & CLR_MT_HAS_POINTERS) ||
	    clr_refs_decode(&type->refs, t->reader, &shape, &t->arena, &why, err))
		return true;
	if (err->kind != ERROR_NONE)
		return false;
	type->refs = (struct clr_refs){ .kind = CLR_REFS_NONE };
	if (!t->losses.damaged_refs++) {
		t->losses.damaged_name = heap_builder_types(t->builder)[type->id].name;
		t->losses.damaged_why = why;
	}
	return true;
}

/* False: no memory. A damaged type is added with what is known. */
static bool
read_type(struct clr_types *t, struct clr_type *type, struct error *err)
{
	const struct clr_layout *l = t->names.layout;
	struct arena_mark mark = arena_mark(&t->scratch);
	bool is_good;

	(void)!clr_u32(l, t->reader, type->method_table, CLR_MT_FLAGS, &type->flags);
	(void)!clr_u32(l, t->reader, type->method_table, CLR_MT_BASE_SIZE, &type->base_bytes);
	if (type->flags & CLR_MT_HAS_COMPONENTS)
		type->component_bytes = type->flags & UINT16_MAX;
	if (t->native)
		type->flags = clr_native_flags(t->native, type->flags);
	type->is_continuation = !t->native && clr_is_continuation(l, t->reader, type->method_table);
	is_good = (t->native ? name_native_type(t, type, err) : name_type(t, type, err)) &&
		  read_refs(t, type, err) && read_loader_allocator(t, type, err);
	arena_reset(&t->scratch, mark);
	return is_good;
}

const struct clr_type *
clr_types_add(struct clr_types *t, uint64_t method_table, struct error *err)
{
	const struct clr_type *known = clr_types_find(t, method_table);
	struct clr_type *type;

	if (known)
		return known;
	if (t->count >= TYPES_MAX) {
		error_set(err, ERROR_INPUT, "more than %d types", TYPES_MAX);
		return NULL;
	}
	type = arena_new(&t->arena, struct clr_type, err);
	if (!type)
		return NULL;
	type->method_table = method_table;
	if (!read_type(t, type, err) || !MAKE_ROOM(t->items, t->count + 1, t->room, err) ||
	    !u64_map_put(&t->index, method_table, (uint32_t)t->count, err))
		return NULL;
	t->items[t->count++] = type;
	return type;
}

/* --- suspended calls --- */

/* Finds a place. NULL: there is none, and *key is then the one to add it with.
 */
static const struct call *
find_call(const struct clr_types *t, uint64_t method_table, uint64_t resume_info, uint64_t *key)
{
	const uint64_t both[2] = { method_table, resume_info };
	uint32_t at;

	*key = hash_bytes(seed_random(), both, sizeof(both));
	U64_MAP_FIND(at, &t->calls_index, *key,
		     t->calls[at].method_table == method_table &&
			 t->calls[at].resume_info == resume_info);
	return at == U64_MAP_NONE ? NULL : &t->calls[at];
}

const struct clr_type *
clr_types_find_call(const struct clr_types *t, uint64_t method_table, uint64_t resume_info)
{
	const struct call *call = NULL;
	uint64_t key;

	if (resume_info)
		call = find_call(t, method_table, resume_info, &key);
	return call ? call->type : clr_types_find(t, method_table);
}

/* The type of the calls at a place; `shape` itself if the method is unknown. NULL: no memory. */
static const struct clr_type *
make_call_type(struct clr_types *t, const struct clr_type *shape, uint64_t resume_info,
	       struct error *err)
{
	struct arena_mark mark = arena_mark(&t->scratch);
	const char *name, *module;
	struct clr_type *type;
	bool is_good;

	if (!t->runtime || !shape->is_continuation || t->calls_count >= CALLS_MAX)
		return shape;
	is_good = clr_continuation_name(&t->names, t->runtime, resume_info, &t->scratch, &name,
					&module, err);
	if (!is_good || !name) {
		t->losses.nameless_calls++;
		arena_reset(&t->scratch, mark);
		return is_good ? shape : NULL;
	}
	type = arena_new(&t->arena, struct clr_type, err);
	if (type) {
		*type = *shape;
		type->id = heap_builder_type(t->builder, name, module, err);
		is_good = type->id != TYPE_NONE;
		if (is_good)
			heap_builder_type_flags(t->builder, type->id, model_flags(t, type, 0));
	}
	arena_reset(&t->scratch, mark);
	return is_good ? type : NULL;
}

const struct clr_type *
clr_types_add_call(struct clr_types *t, uint64_t method_table, uint64_t resume_info,
		   struct error *err)
{
	const struct clr_type *type = clr_types_add(t, method_table, err);
	const struct call *known;
	uint64_t key;

	if (!type || !resume_info)
		return type;
	known = find_call(t, method_table, resume_info, &key);
	if (known)
		return known->type;
	type = make_call_type(t, type, resume_info, err);
	if (!type || !u64_map_put(&t->calls_index, key, (uint32_t)t->calls_count, err) ||
	    !APPEND(t->calls, t->calls_count, t->calls_room, err,
		    (struct call){ method_table, resume_info, type }))
		return NULL;
	return type;
}
