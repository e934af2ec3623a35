#include "io/runtime/tables.h"
#include "io/runtime/fields.h"
#include "io/runtime/native.h"
#include "model/base/seed.h"

enum {
	SLOTS_MIN = 1024,
	/* Bad addresses cached: damage can bring any number of them. */
	BAD_MAX = 64 << 10,
	NATIVE_BASE_AT = 8, /* offset of the base type */
};

struct clr_tables {
	const struct clr_heaps *heaps;
	const struct clr_runtime *runtime;
	struct memory_reader *reader;
	struct clr_table *slots; /* address 0: empty */
	size_t slots_count;      /* a power of two */
	size_t used_count, bad_count;
	uint64_t factor;           /* random and odd, so that input cannot collide */
	struct clr_table uncached; /* a table that is not cached */
};

struct clr_tables *
clr_tables_new(const struct clr_heaps *h, struct error *err)
{
	struct clr_tables *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->heaps = h;
	t->runtime = h->runtime;
	t->slots_count = SLOTS_MIN;
	t->factor = seed_random() | 1;
	t->reader = memory_reader_new(t->runtime->memory, err);
	t->slots = memory_new(SLOTS_MIN, sizeof(*t->slots), err);
	if (t->reader && t->slots)
		return t;
	clr_tables_free(t);
	return NULL;
}

void
clr_tables_free(struct clr_tables *t)
{
	if (!t)
		return;
	memory_reader_free(t->reader);
	memory_free(t->slots);
	memory_free(t);
}

/* The slot of an address, or the empty slot where it would go. */
static inline size_t
slot_of(const struct clr_tables *t, const struct clr_table *slots, size_t count, uint64_t address)
{
	size_t i = (size_t)((address >> 3) * t->factor >> 32);

	for (i &= count - 1; slots[i].address && slots[i].address != address;
	     i = (i + 1) & (count - 1))
		;
	return i;
}

/* False: no memory; the table then stays fuller and slower. */
static bool
tables_grow(struct clr_tables *t)
{
	struct error err = { 0 };
	size_t count = t->slots_count * 2;
	struct clr_table *slots;

	slots = memory_new(count, sizeof(*slots), &err);
	if (!slots)
		return false;
	for (size_t i = 0; i < t->slots_count; i++) {
		const struct clr_table *from = &t->slots[i];

		if (from->address)
			slots[slot_of(t, slots, count, from->address)] = *from;
	}
	memory_free(t->slots);
	t->slots = slots;
	t->slots_count = count;
	return true;
}

/* --- recognising a method table ------------------------------------------ */

/* An absent class does not rule a method table out. */
static bool
class_agrees(const struct clr_tables *t, uint64_t address)
{
	uint64_t owner, class;

	return clr_class_find(&t->runtime->layout, t->reader, address, &owner, &class) !=
	       CLR_CLASS_NONE;
}

/* A method table of Native AOT lies in the program, or was made at run time after one that does. */
static bool
is_native_table(const struct clr_tables *t, uint64_t address)
{
	const struct clr_native *n = t->runtime->native;
	uint64_t base;

	return address - n->base < n->end - n->base ||
	       (memory_u64(t->reader, address + NATIVE_BASE_AT, &base) &&
		base - n->base < n->end - n->base);
}

/* A method table of CoreCLR has a module, and a class that points back. */
static bool
is_core_table(const struct clr_tables *t, uint64_t address)
{
	uint64_t module;

	return clr_u64(&t->runtime->layout, t->reader, address, CLR_MT_MODULE, &module) && module &&
	       module % 8 == 0 && class_agrees(t, address);
}

static void
table_read(const struct clr_tables *t, struct clr_table *to)
{
	enum { STRING_SIZE = 22, SIZE_MAX_BYTES = 1u << 30 };
	const struct clr_layout *l = &t->runtime->layout;

	/* An array element points to an object, whose bytes may look like a method table. */
	if (to->address % 8 || clr_heaps_range_at(t->heaps, to->address) ||
	    !clr_u32(l, t->reader, to->address, CLR_MT_FLAGS, &to->flags) ||
	    !clr_u32(l, t->reader, to->address, CLR_MT_BASE_SIZE, &to->base_size))
		return;
	if (t->runtime->native)
		to->flags = clr_native_flags(t->runtime->native, to->flags);
	if (to->flags & CLR_MT_HAS_COMPONENTS)
		to->component_size = to->flags & 0xffff;
	to->is_free = to->address == t->runtime->free_table;
	if (to->base_size > SIZE_MAX_BYTES)
		return;
	if (to->base_size < CLR_OBJECT_MIN &&
	    !(to->base_size == STRING_SIZE && to->component_size == 2))
		return;
	to->is_good = to->is_free || (t->runtime->native ? is_native_table(t, to->address)
							 : is_core_table(t, to->address));
	to->is_continuation =
	    to->is_good && !t->runtime->native && clr_is_continuation(l, t->reader, to->address);
}

const struct clr_table *
clr_tables_known(const struct clr_tables *t, uint64_t address)
{
	const struct clr_table *known = &t->slots[slot_of(t, t->slots, t->slots_count, address)];

	return known->address && known->is_good ? known : NULL;
}

const struct clr_table *
clr_tables_get(struct clr_tables *t, uint64_t address)
{
	struct clr_table *slot = &t->slots[slot_of(t, t->slots, t->slots_count, address)];

	if (slot->address)
		return slot->is_good ? slot : NULL;
	if (!address)
		return NULL;
	t->uncached = (struct clr_table){ .address = address };
	table_read(t, &t->uncached);
	if (!t->uncached.is_good && t->bad_count >= BAD_MAX)
		return NULL;
	/* A quarter stays empty, since probing ends at an empty slot. */
	if (t->used_count >= t->slots_count / 2 && !tables_grow(t) &&
	    t->used_count >= t->slots_count / 4 * 3)
		return t->uncached.is_good ? &t->uncached : NULL;
	slot = &t->slots[slot_of(t, t->slots, t->slots_count, address)];
	*slot = t->uncached;
	t->used_count++;
	t->bad_count += !slot->is_good;
	return slot->is_good ? slot : NULL;
}
