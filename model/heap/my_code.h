#ifndef MODEL_HEAP_MY_CODE_H
#define MODEL_HEAP_MY_CODE_H

/*
 * Tells the application's types from those that only hold its data. Without patterns, the
 * application's types are those that the framework does not declare (framework.h). Patterns name
 * its modules instead:
 *
 *   Shop*,Contoso.Billing   names of modules, with or without .dll and .exe
 *
 * If the module is unknown, or the type is the box of an async method, which the runtime declares,
 * the class with its namespace is compared: "Shop" then also stands for all that begins with
 * "Shop.". About 100 ns a type.
 */
#include "model/heap/heap.h"

enum code_owner {
	CODE_FRAMEWORK, /* collections, strings, delegates, libraries */
	CODE_ARRAY,     /* an array of the application's objects or values */
	CODE_MINE,
};

/* `patterns` may be "" or NULL: everything that is not the framework's. */
enum code_owner my_code_owner(const struct type *t, const char *patterns);

/* Stores that of each type. */
void my_code_find(const struct type *types, uint32_t types_count, const char *patterns,
		  uint8_t *owners);
/* The same in memory of its own, freed by memory_free(). NULL sets `err`. */
uint8_t *my_code_owners(const struct type *types, uint32_t types_count, const char *patterns,
			struct error *err) MUST_USE;

/* Returns whether the type is the application's, or an array of such. */
static inline bool
my_code_has(const struct type *t, const char *patterns)
{
	return my_code_owner(t, patterns) != CODE_FRAMEWORK;
}

#endif
