#ifndef MODEL_HEAP_NAME_SHAPE_H
#define MODEL_HEAP_NAME_SHAPE_H

/*
 * Splits the raw name of a type into tokens of one nesting level, skipping what is between
 * brackets. See names.h. Each call takes time linear in the text it steps over.
 */
#include "model/base/error.h"
#include <stddef.h>

struct raw_name {
	const char *start, *end;
	uint32_t *closes; /* for each '<' (by offset), the offset of its '>' */
};
/* Fills `closes`; false if brackets are unbalanced. */
bool raw_name_match(struct raw_name *name);

/* Tokens of a type, on one level of nesting. */
enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* the first one includes the namespace */
	TOKEN_MADE,   /* compiler-made: "<Foo>d__5", "[]c" */
	TOKEN_JOINT,  /* before a nested type */
	TOKEN_ARGS,   /* "<…>" */
	TOKEN_SUFFIX, /* "[]", "[,]", "<,>", "*", "&" */
	TOKEN_ODD,    /* anything else */
};

struct token {
	enum token_kind kind;
	const char *start, *end;
};

/* Returns the token after `last`, up to `end`. To begin, pass a TOKEN_END at the start. */
struct token token_next(const struct raw_name *name, struct token last, const char *end);

/* The tokens that determine how a type is shown. */
struct type_shape {
	const char *start, *suffixes, *end;
	struct token first; /* TOKEN_NAME or TOKEN_MADE */
	struct token last;  /* the same for the innermost type */
	struct token args;  /* arguments of the innermost type; TOKEN_END: none */
};

/* Returns false if the type is not understood. */
bool type_shape_read(const struct raw_name *name, const char *start, const char *end,
		     struct type_shape *shape) MUST_USE;

/* Returns the end of the argument that starts here: a comma or `end`. */
const char *argument_end(const struct raw_name *name, const char *at, const char *end);
size_t arguments_count(const struct raw_name *name, const char *at, const char *end);

/* Returns the end of "[,,]" or of a "<,,>" without types, or NULL. */
const char *rank_end(const char *at, const char *end);
/* Returns true if `at` begins "[]c", which is how events spell "<>c". */
bool is_made_bracket(const char *at, const char *end);

/* A TOKEN_MADE: the text inside its brackets, and the text after them. */
struct made_name {
	const char *inner, *inner_end, *tail, *tail_end;
};
struct made_name made_name_read(const struct raw_name *name, const char *start, const char *end);

#endif
