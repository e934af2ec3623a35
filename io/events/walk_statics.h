#ifndef IO_EVENTS_WALK_STATICS_H
#define IO_EVENTS_WALK_STATICS_H

/*
 * Static variables. The runtime names the field and the type of its value; the
 * class that declares it is looked for in the metadata of all modules: static
 * fields of that name in which a value of that type may stand. One such class:
 * it is said; several: all of them, as candidates; none: the field alone.
 */
#include "io/events/walk_state.h"

/* Modules whose metadata was asked for, by place in walk.modules. */
struct walk_modules {
	const struct walk *walk;
	const struct metadata **items;
	bool *is_asked;
	uint32_t others_count; /* there, but of another build: not used */
};

/* The i-th of walk.modules; NULL: it cannot be read. */
const struct metadata *walk_modules_get(struct walk_modules *m, uint32_t i);
/* By the runtime's id; NULL: not known, or it cannot be read. */
const struct metadata *walk_modules_find(struct walk_modules *m, uint64_t id);
/* A type that was described, or NULL. */
const struct walk_type *walk_type_find(const struct walk *w, uint64_t id);
/* What an array is made of in the end; the type itself if it is none. */
const struct walk_type *walk_type_element(const struct walk *w,
					  const struct walk_type *t);
/* Its name in the metadata; NULL: not found, or no memory (`err` is set). */
const char *walk_type_definition(struct walk_modules *m,
				 const struct walk_type *t, struct arena *a,
				 struct error *err);

/* All statics become roots of the stream. */
bool walk_statics_finish(struct walk *w, struct walk_modules *modules,
			 struct error *err) MUST_USE;

#endif
