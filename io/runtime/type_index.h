#ifndef IO_RUNTIME_TYPE_INDEX_H
#define IO_RUNTIME_TYPE_INDEX_H

/*
 * Method tables of all loaded types by their names, spelt as heaps have them.
 * Read when somebody asks first, which takes some 20 ms; then a look-up.
 */
#include "model/base/u64_map.h"
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"

struct clr_named_type;

struct clr_type_index {
	const struct clr_runtime *rt;
	const struct clr_names *names;
	struct arena arena, scratch;
	struct u64_map index; /* hash of a name to its type */
	struct clr_named_type *types;
	size_t count;
	bool is_read;
};

/* Both are borrowed. */
void clr_type_index_init(struct clr_type_index *x, const struct clr_runtime *rt,
			 const struct clr_names *names);
void clr_type_index_clear(struct clr_type_index *x);
/* *table 0: nobody knows, or several have that name. False: no memory. */
bool clr_type_index_find(struct clr_type_index *x, const char *name,
			 uint64_t *table, struct error *err) MUST_USE;

#endif
