#ifndef MODEL_ANALYSIS_KEEPER_H
#define MODEL_ANALYSIS_KEEPER_H

/*
 * The object that a programmer would name first as what keeps another one. In a hosted program
 * everything hangs on the sockets of a server, on Main or on a service container, so the root says
 * little: the keeper is the nearest object of the application on the cheapest path, or the place in
 * the container, or else a registry of the runtime, such as the timer queue. Services are found by
 * the references of call sites: a singleton is the Value of its ServiceCallSite, whichever path
 * reaches it first.
 *
 * Cost: a step takes about 100 ns, and in programs with a container as long as it takes to read up
 * to 8,192 referrers.
 */
#include "model/base/text.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

enum keeper_role {
	KEEPER_PLAIN,      /* an object of the application */
	KEEPER_SINGLETON,  /* a singleton of the container */
	KEEPER_HOSTED,     /* a hosted service */
	KEEPER_ROOT_SCOPE, /* the scope that lives as long as the container */
	KEEPER_SCOPE,      /* another scope */
	KEEPER_REGISTRY    /* a registry of the runtime; only if nothing else is on the path */
};

struct keeper {
	node_id node; /* NODE_NONE: there is none */
	node_id held; /* the next object on the way to the subject, or NODE_NONE */
	enum keeper_role role;
	const char *field; /* the field of `node` that refers to `held`, or "" */
};

struct keeper_search {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	bool has_container; /* some call sites exist */
	int left;           /* how many referrers may still be read */
};
struct keeper_search keeper_search_of(const struct heap *h, const struct reverse *reverse,
				      const struct reach *reach);

/* Returns true if the root of the object names no reason itself. Variables of the application
   mostly do. */
bool keeper_is_needed(const struct keeper_search *s, node_id subject);
/* Returns the keeper; its field is not set. */
struct keeper keeper_find(struct keeper_search *s, node_id subject);
/* Sets the field, in `a`, if the heap has fields. */
bool keeper_set_field(const struct heap *h, struct keeper *k, struct arena *a,
		      struct error *err) MUST_USE;
/* Returns "singleton of the service container", or "" for KEEPER_PLAIN and KEEPER_REGISTRY. */
const char *keeper_role_name(enum keeper_role role);
/* Writes "Shop.Cache.items (singleton of the service container)". `name` is that of its type. */
void keeper_text(const struct heap *h, const struct keeper *k, node_id subject, const char *name,
		 struct text *out);
/*
 * Links: objects of the framework through which paths of hosted programs go, such as those of the
 * server and the container, and lists of the runtime. Lists of paths fold them into one row.
 */
enum { KEEPER_LINKS_MIN = 4, KEEPER_PLUMBING_MIN = 2 };
/* Returns how many links lead from the root to the keeper; 0 if there are only a few, or if these
   are just collections. Only the KEEPER_LINKS_MAX objects before the keeper are looked at: its own
   list may have millions. */
enum { KEEPER_LINKS_MAX = 1 << 16 };
uint32_t keeper_links(struct keeper_search *s, const struct keeper *k);
/* Returns true if the object is a link. Services are none. */
bool keeper_is_link(struct keeper_search *s, node_id n);
/* Returns true for types of the server, the container and the like. */
bool keeper_is_plumbing(const struct type *t);

struct keeper_run {
	uint32_t first, count;
	type_id type; /* of all of them, or TYPE_NONE */
};
/* Returns the next run of links that is worth folding among the objects of a path, outermost first.
   Only KEEPER_NODES_MAX objects are looked at. `count` 0: there is none. */
enum { KEEPER_NODES_MAX = 64 };
struct keeper_run keeper_next_run(struct keeper_search *s, const node_id *nodes, uint32_t count,
				  uint32_t from);

#endif
