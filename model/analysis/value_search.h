#ifndef MODEL_ANALYSIS_VALUE_SEARCH_H
#define MODEL_ANALYSIS_VALUE_SEARCH_H

/*
 * Objects that contain a value: strings with a text; fields, elements and boxes with a number,
 * bool, character or Guid. Requires a heap with memory. One pass over the bytes of all objects that
 * may have the value, about 50 ns each and 1 ns an element. Run it on a worker.
 */
#include "model/heap/contents.h"

enum { VALUE_MATCHES_MAX = 100000, VALUE_UNITS_MAX = 256 };

/* The value to be found. */
struct value_query {
	bool is_text;
	uint16_t units[VALUE_UNITS_MAX]; /* code units of a text */
	size_t units_count;
	/* The value as bytes of each kind of literal; has[kind] is false if it has none. */
	bool has[LITERAL_KIND_COUNT];
	uint8_t bytes[LITERAL_KIND_COUNT][16];
};

/*
 * Parses "text", 'c', true, 42, -7, 0x2a, 1.5 and 3f2504e0-4f89-11d3-9a0c-0305e82c3301; anything
 * else is a text, too. False sets `err`: the value is empty or too long, or a closing quote is
 * missing.
 */
bool value_query_parse(const char *typed, struct value_query *out, struct error *err) MUST_USE;

struct value_match {
	node_id node;
	uint64_t element;     /* index in an array, else UINT64_MAX */
	const char *field;    /* "_state._value"; "" for the element or box
				 itself */
	const char *declared; /* type of the field; "" for a text */
};

struct value_matches {
	struct value_match *items; /* sorted by node, then by position in it */
	uint32_t count;
	uint64_t left_out;     /* matches beyond VALUE_MATCHES_MAX */
	uint64_t unread_count; /* objects that are damaged or absent */
	struct arena arena;
};

/* NULL sets `err`. */
struct value_matches *value_search(const struct heap *h, const struct value_query *q,
				   struct progress *progress, struct error *err) MUST_USE;
void value_matches_free(struct value_matches *m); /* NULL is allowed */

#endif
