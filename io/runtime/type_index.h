#ifndef IO_RUNTIME_TYPE_INDEX_H
#define IO_RUNTIME_TYPE_INDEX_H

/* Finds the method table of any loaded type by its name in the heap's spelling. The first look-up
 * reads all types, which takes some 20 ms. */
#include "model/base/u64_map.h"
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"

struct clr_named_type;

struct clr_type_index {
	const struct clr_runtime *rt;
	const struct clr_names *names;
	struct arena arena, scratch;
	struct u64_map index; /* from the hash of a name */
	struct clr_named_type *types;
	size_t count;
	bool is_read;
};

/* Both are borrowed. */
void clr_type_index_init(struct clr_type_index *x, const struct clr_runtime *rt,
			 const struct clr_names *names);
void clr_type_index_clear(struct clr_type_index *x);
/* *table is 0 if no type or several have that name. False: no memory. */
bool clr_type_index_find(struct clr_type_index *x, const char *name, uint64_t *table,
			 struct error *err) MUST_USE;

#endif
