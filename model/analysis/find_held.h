#ifndef MODEL_ANALYSIS_FIND_HELD_H
#define MODEL_ANALYSIS_FIND_HELD_H

/*
 * Which type best names what some objects retain: the application's type whose objects retain most,
 * else a type of the framework that a person would name, else the one with the most bytes. One pass
 * over what is retained, about 10 ns an object.
 */
#include "model/analysis/finder.h"

/* Sums the bytes that the objects of one type retain. An object below another one of its type adds
   nothing. */
struct holding {
	uint64_t bytes;
	uint64_t bytes_before; /* sum when the open object was visited */
	uint32_t opened_at;    /* 1 + position of the open object; 0: none */
	type_id outer;         /* type of the open object around it */
};

/* Opens an object at a position, unless one of its type is open; `sum` is that of what was visited
   before. Both return the type of the innermost open object, or TYPE_NONE, as `top` has it. */
type_id holdings_open(struct holding *holdings, type_id top, type_id type, uint32_t position,
		      uint64_t sum);
/* Closes the open objects that do not contain the object whose dominator is `parent`, as struct
   dominators stores it. */
type_id holdings_close(struct holding *holdings, type_id top, uint32_t parent, uint64_t sum);

struct held {
	struct finder *f;
	struct holding *holdings; /* by type_id; all zero between uses */
	bool *is_named;           /* by type_id: a person would name its objects */
	uint64_t steps;
};

/* The arrays live as long as the finder. */
bool held_init(struct held *h, struct finder *f, struct error *err) MUST_USE;
/* Adds the objects at positions from `first` to before `end`, a whole subtree. Its first object
   counts as what is held only if `counts_first`. The finder's tally has all of them. */
bool held_add(struct held *h, uint32_t first, uint32_t end, bool counts_first,
	      struct error *err) MUST_USE;
/* Sets `type` and `type_count` of the finding by what was added, and returns the bytes that these
   objects retain; `all` bytes are retained. Leaves `h` and the tally empty. */
uint64_t held_name(struct held *h, uint64_t all, struct finding *out);

/* The objects that those of a finding hold, for its words. */
struct held_words {
	type_id type;
	uint64_t count, bytes;
};
/* Sets `more` of a finding to a struct held_words, unless its objects hold nothing or dominators
   are unknown. What they hold by an object of a type that is `skipped`, directly below, does not
   count; NULL: all counts. */
bool held_set(struct finder *f, struct finding *out, bool (*skipped)(const struct type *t),
	      struct error *err) MUST_USE;
/* Writes " and hold 300 Foo (1.2 MiB)", or nothing if that is what the finding is about. */
finding_writer write_held;

#endif
