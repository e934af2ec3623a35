#ifndef MODEL_HEAP_NAME_MADE_H
#define MODEL_HEAP_NAME_MADE_H

/* Types that the C# compiler makes, by the form of their names: closures, state machines, anonymous
   types and others. See names.h. */
#include "model/heap/name_shape.h"

enum made_form {
	MADE_CLOSURE,   /* "closure in Outer (c__DisplayClass1_0)" */
	MADE_GROUP,     /* "lambdas in Outer"; "lambdas (<>c)" */
	MADE_MACHINE,   /* "async Outer.Method()" */
	MADE_LOCAL,     /* "Outer.Method.Local()" */
	MADE_BUFFER,    /* "fixed buffer Outer.Field" */
	MADE_BARE,      /* the name in the tail: "AnonymousType0<int>" */
	MADE_FILE_TYPE, /* the name after the last "__" */
	MADE_UNKNOWN,   /* "<>x__Whatever" */
};
struct made {
	const char *tail; /* text after the '>' … */
	bool is_prefix;   /* … or its beginning */
	bool is_named;    /* the text inside <> is not empty */
	enum made_form form;
	const char *word;
};

/* Returns the form of a TOKEN_MADE; MADE_UNKNOWN if none matches. Never
   NULL. */
const struct made *made_find(const struct raw_name *name, const struct token *token);

#endif
