#ifndef TUI_BASE_QUERIES_H
#define TUI_BASE_QUERIES_H

/*
 * Queries in SQL with a name: built in (queries/ in the source tree), or files NAME.sql in the
 * user's folder queries/, which win. The first line of each is a comment with the question that it
 * answers.
 */
#include "model/base/arena.h"
#include "model/base/error.h"

enum { QUESTION_BYTES = 160 };

struct query {
	const char *name;
	const char *question;
	const char *from; /* "built in", or the path of its file */
};

struct query_list {
	struct query *items;
	size_t count, room;
};

/* Lists all queries by name, in `a`; memory_free(out->items). */
bool queries_list(struct query_list *out, struct arena *a, struct error *err) MUST_USE;

/*
 * Returns the text to run for what was typed: a query's name, a path of a file (with a '/', or
 * ending in .sql), "-" for standard input, or SQL, which is returned as it is. NULL sets `err`. In
 * `a`.
 */
const char *query_text(const char *typed, struct arena *a, struct error *err) MUST_USE;

#endif
