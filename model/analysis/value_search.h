#ifndef MODEL_ANALYSIS_VALUE_SEARCH_H
#define MODEL_ANALYSIS_VALUE_SEARCH_H

/*
 * Objects with a value in them: strings that contain a text; fields, elements
 * and boxes that are a number, a bool, a character or a Guid. One pass over
 * the bytes of all objects that may have it, some 50 ns each and 1 ns an
 * element, on a worker. Of heaps from memory alone.
 */
#include "model/heap/contents.h"

enum { VALUE_MATCHES_MAX = 100000, VALUE_UNITS_MAX = 256 };

/* What is looked for. */
struct value_query {
	bool is_text;
	uint16_t units[VALUE_UNITS_MAX]; /* of a text */
	size_t units_count;
	/* As each kind of literal would have it in memory; has[kind]: it can.
	 */
	bool has[LITERAL_KIND_COUNT];
	uint8_t bytes[LITERAL_KIND_COUNT][16];
};

/*
 * "text", 'c', true, 42, -7, 0x2a, 1.5, 3f2504e0-4f89-11d3-9a0c-0305e82c3301;
 * all else is a text, too. False sets `err`: it is empty or too long, or a
 * quote has no other at the end.
 */
bool value_query_parse(const char *typed, struct value_query *out,
		       struct error *err) MUST_USE;

struct value_match {
	node_id node;
	uint64_t element;     /* of an array; UINT64_MAX: of no array */
	const char *field;    /* "_state._value"; "" of an element or a box */
	const char *declared; /* its type; "" of a text */
};

struct value_matches {
	struct value_match *items; /* by node, then as they lie in it */
	uint32_t count;
	uint64_t left_out;     /* beyond VALUE_MATCHES_MAX */
	uint64_t unread_count; /* objects that are damaged or absent */
	struct arena arena;
};

/* NULL sets `err`. */
struct value_matches *value_search(const struct heap *h,
				   const struct value_query *q,
				   struct progress *progress,
				   struct error *err) MUST_USE;
void value_matches_free(struct value_matches *m); /* NULL is allowed */

#endif
