#ifndef IO_EVENTS_WALK_STATICS_H
#define IO_EVENTS_WALK_STATICS_H

/*
 * Names static variables. The runtime reports the field's name and the type of its value. The
 * declaring class is looked up in the metadata of all modules: static fields of that name which can
 * hold a value of that type. If one class matches, it is named; if several match, they are listed
 * as candidates; if none does, the field stays without a class.
 */
#include "io/events/walk_state.h"

/* Metadata of modules, by place in walk.modules. */
struct walk_modules {
	const struct walk *walk;
	const struct metadata **items;
	bool *is_asked;
	uint32_t others_count; /* files of another build, not used */
};

/* The metadata of the i-th module; NULL: it cannot be read. */
const struct metadata *walk_modules_get(struct walk_modules *m, uint32_t i);
/* The metadata of the module with the runtime's id; NULL as above, or if the id is unknown. */
const struct metadata *walk_modules_find(struct walk_modules *m, uint64_t id);
/* NULL if the type was not described. */
const struct walk_type *walk_type_find(const struct walk *w, uint64_t id);
/* The innermost element type of an array; another type itself. */
const struct walk_type *walk_type_element(const struct walk *w, const struct walk_type *t);
/* Its name in the metadata; NULL: not found, or no memory (`err` is set). */
const char *walk_type_definition(struct walk_modules *m, const struct walk_type *t, struct arena *a,
				 struct error *err);

/* Adds all statics as roots to the stream. */
bool walk_statics_finish(struct walk *w, struct walk_modules *modules, struct error *err) MUST_USE;

#endif
