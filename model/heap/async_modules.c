/*
 * Modules of async methods. A call of an async method is an object whose type is a box of the base
 * library around the method's state machine, and sources give it the base library's module. It
 * belongs to the module of the class
 * that declares the method: the one of other types of that class or, if there are none, of all
 * types in its namespace.
 */
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/heap/builder.h"
#include "model/heap/framework.h"
#include <string.h>

/* A class or namespace and its module. */
struct scope {
	const char *name; /* not NUL-terminated */
	size_t len;
	const char *module; /* NULL: it is in several */
	bool is_namespace;
};

struct scopes {
	struct scope *items;
	size_t count, room;
	struct u64_map index; /* by a hash of the name */
};

static struct scope
class_of(const struct type *t)
{
	const char *name = type_class_name(t);

	return (struct scope){ name, strcspn(name, "<[+`(, "), t->module, false };
}

static struct scope
namespace_of(const struct type *t)
{
	struct scope s = class_of(t);

	while (s.len && s.name[s.len - 1] != '.')
		s.len--;
	s.is_namespace = true;
	return s;
}

static bool
scope_is(const struct scope *a, const struct scope *b)
{
	return a->is_namespace == b->is_namespace && a->len == b->len &&
	       !memcmp(a->name, b->name, a->len);
}

/* Returns the index of the scope, or U64_MAP_NONE; *key is then the one to insert it with. */
static uint32_t
scopes_find(const struct scopes *all, const struct scope *s, uint64_t *key)
{
	uint32_t at;

	*key = hash_bytes(seed_random(), s->name, s->len);
	U64_MAP_FIND(at, &all->index, *key, scope_is(&all->items[at], s));
	return at;
}

static bool
scopes_add(struct scopes *all, struct scope s, struct error *err)
{
	uint64_t key;
	uint32_t at = scopes_find(all, &s, &key);

	if (at == U64_MAP_NONE)
		return u64_map_put(&all->index, key, (uint32_t)all->count, err) &&
		       APPEND(all->items, all->count, all->room, err, s);
	if (all->items[at].module && strcmp(all->items[at].module, s.module))
		all->items[at].module = NULL;
	return true;
}

static const char *
scopes_module(const struct scopes *all, struct scope s)
{
	uint64_t key;
	uint32_t at = scopes_find(all, &s, &key);

	return at == U64_MAP_NONE ? NULL : all->items[at].module;
}

/* Namespaces of the framework are spread over many modules. Nested types of these often lack their
   namespace. */
static bool
scopes_fill(struct scopes *all, const struct heap_builder *b, struct error *err)
{
	for (type_id i = 0; i < b->types_count; i++) {
		const struct type *t = &b->types[i];

		if (type_is_async(t) || !*t->module)
			continue;
		if (!scopes_add(all, class_of(t), err) ||
		    (!type_is_of_framework(t) && !scopes_add(all, namespace_of(t), err)))
			return false;
	}
	return true;
}

/* The module is unknown, or that of the box. Sources that know the type of the state machine have
   set the right one. */
static bool
lacks_module(const struct type *t)
{
	return type_is_async(t) && (!*t->module || type_module_is_of_framework(t));
}

bool
heap_builder_async_modules(struct heap_builder *b, struct error *err)
{
	struct scopes all = { 0 };
	bool is_filled = false, ok = true;

	for (type_id i = 0; ok && i < b->types_count; i++) {
		struct type *t = &b->types[i];
		const char *module;

		if (!lacks_module(t))
			continue;
		if (!is_filled)
			ok = is_filled = scopes_fill(&all, b, err);
		module = scopes_module(&all, class_of(t));
		if (!module && !type_is_of_framework(t))
			module = scopes_module(&all, namespace_of(t));
		if (module)
			t->module = module;
		else if (!type_is_of_framework(t))
			t->module = "";
	}
	memory_free(all.items);
	u64_map_clear(&all.index);
	return ok;
}
