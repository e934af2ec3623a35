#ifndef MODEL_HEAP_NAME_SHAPE_H
#define MODEL_HEAP_NAME_SHAPE_H

/*
 * How the raw name of a type is put together: its tokens on one level of
 * nesting; what stands between brackets is stepped over. See names.h.
 * Each call costs what it looks at on that level.
 */
#include "model/base/error.h"
#include <stddef.h>

struct raw_name {
	const char *start, *end;
	uint32_t *closes; /* one for each byte; for a '<', where its '>' is */
};
/* Fills `closes`; false if the brackets do not pair. */
bool raw_name_match(struct raw_name *name);

/* What a type consists of, from left to right on one level of nesting. */
enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* with namespace if it is the first */
	TOKEN_MADE,   /* by the compiler: "<Foo>d__5", "[]c" */
	TOKEN_JOINT,  /* a nested type follows */
	TOKEN_ARGS,   /* "<…>" */
	TOKEN_SUFFIX, /* "[]", "[,]", "<,>", "*", "&" */
	TOKEN_ODD,
};

struct token {
	enum token_kind kind;
	const char *start, *end;
};

/*
 * The token after `last`, up to `end`; the first of a type comes after a
 * TOKEN_END at its start.
 */
struct token token_next(const struct raw_name *name, struct token last,
			const char *end);

/* The tokens that decide what a type is. */
struct type_shape {
	const char *start, *suffixes, *end;
	struct token first; /* TOKEN_NAME or TOKEN_MADE */
	struct token last;  /* the same of the innermost type */
	struct token args;  /* of the innermost type; TOKEN_END: none */
};

/* False if that is no type as we know them. */
bool type_shape_read(const struct raw_name *name, const char *start,
		     const char *end, struct type_shape *shape) MUST_USE;

/* Where the argument that starts here ends: at a comma or at `end`. */
const char *argument_end(const struct raw_name *name, const char *at,
			 const char *end);
size_t arguments_count(const struct raw_name *name, const char *at,
		       const char *end);

/* The end of "[,,]", or of a "<,,>" that lists no types; NULL if it is none. */
const char *rank_end(const char *at, const char *end);
/* "[]c": what the runtime's events make of "<>c". */
bool is_made_bracket(const char *at, const char *end);

/* Of a TOKEN_MADE: what stands between the < and >, and what behind them. */
struct made_name {
	const char *inner, *inner_end, *tail, *tail_end;
};
struct made_name made_name_read(const struct raw_name *name, const char *start,
				const char *end);

#endif
