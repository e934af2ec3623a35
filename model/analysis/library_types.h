#ifndef MODEL_ANALYSIS_LIBRARY_TYPES_H
#define MODEL_ANALYSIS_LIBRARY_TYPES_H

/*
 * What findings know of the framework's types, by their names, so in every heap: one table. A row
 * is found in about 100 ns; passes over objects keep the answers by type.
 */
#include "model/heap/heap.h"

enum library_role {
	LIBRARY_POOL,     /* a part of a pool of objects to be used again */
	LIBRARY_QUEUE,    /* objects wait in it until something reads them */
	LIBRARY_PART,     /* part of an object of the framework, though its type is not nested */
	LIBRARY_OWNER,    /* may own collections in spite of a row of LIBRARY_RELAY */
	LIBRARY_RELAY,    /* refers to a collection without being its owner: a delegate, a task */
	LIBRARY_NOTICE,   /* tells others of changes; names nothing that a person would look for */
	LIBRARY_PLUMBING, /* of the server, the container, or of tasks and timers */
	LIBRARY_REGISTRY  /* stands between a root and what the application has registered */
};
struct library_type {
	enum library_role role;
	const char *begin; /* of the raw name */
	const char *name;  /* of a pool or registry, as a program knows it; else NULL */
};

/* Returns the row with this role for the type, or NULL. */
const struct library_type *library_type_of(const struct type *t, enum library_role role);
/* Returns true for the ServiceCallSites of a service container: how it makes a service. Their value
   is a singleton. */
bool type_is_call_site(const struct type *t);
/* Returns true for the scopes of a service container, which hold services and disposables. */
bool type_is_scope(const struct type *t);
/* Returns true for the container itself. */
bool type_is_container(const struct type *t);
/* Returns true for the array in which a host has its hosted services. */
bool type_is_hosted_services(const struct type *t);

#endif
