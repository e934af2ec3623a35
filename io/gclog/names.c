#include "io/gclog/names.h"
#include "io/gclog/gclog.h"
#include "io/gclog/roots.h"
#include "model/base/sorted.h"
#include "model/heap/names.h"
#include <stdlib.h>
#include <string.h>

uint32_t
gclog_domain_of(const struct heap *h, uint64_t address)
{
	uint32_t next;

	LOWER_BOUND(next, 1, h->info.domains_count, h->info.domains[next].start <= address);
	return next - 1;
}

/* --- containers --- */

/* The text before the last dot, if there is one. */
static struct gclog_text_part
without_field(const char *text)
{
	const char *dot = strrchr(text, '.');

	return (struct gclog_text_part){ text, dot ? (size_t)(dot - text) : 0 };
}

/*
 * The class that declares a static. The label alone does not reveal it, as most dumps have the type
 * of the object there; readers put the class, where it is one, before the name.
 */
static struct gclog_text_part
gclog_container(const struct root *root)
{
	static const char var[] = "static var ";
	const char *in_label = strstr(root->label, var);
	struct gclog_text_part part;
	size_t field;

	if (!in_label || !strchr(root->name, '.'))
		return without_field(root->name);
	/* The label has the class with its namespace. */
	part.text = in_label + sizeof(var) - 1;
	field = name_field_start(part.text, strlen(part.text));
	/* The dot belongs to the field: "<I.P>k__BackingField". */
	if (strstr(part.text + field, root->name))
		field = 0;
	part.len = field ? field - 1 : 0;
	return part;
}

/* --- the table --- */

static int
compare_parts(struct gclog_text_part a, struct gclog_text_part b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.text, b.text, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int
compare_named(const void *a, const void *b)
{
	const struct gclog_named *x = a, *y = b;
	int order = compare_parts(x->name, y->name);

	if (order)
		return order;
	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The first that does not sort before `wanted`. */
static size_t
find_place(const struct gclog_names *n, size_t count, const struct gclog_named *wanted)
{
	size_t at;

	LOWER_BOUND(at, 0, count, compare_named(&n->all[at], wanted) < 0);
	return at;
}

/* The type of this name in the domain, or else in any domain. */
static const struct gclog_named *
find_named(const struct gclog_names *n, size_t count, struct gclog_text_part name, uint32_t domain)
{
	struct gclog_named wanted = { name, domain, 0 };
	size_t at = find_place(n, count, &wanted);

	if (at < count && n->all[at].domain == domain && !compare_parts(n->all[at].name, name))
		return &n->all[at];
	wanted.domain = 0;
	at = find_place(n, count, &wanted);
	return at < count && !compare_parts(n->all[at].name, name) ? &n->all[at] : NULL;
}

static bool
add_named(struct gclog_named **array, size_t *count, size_t *room, struct gclog_named named,
	  struct error *err)
{
	return APPEND(*array, *count, *room, err, named);
}

/* The domain whose module the type has. */
static uint32_t
domain_of_type(const struct heap *h, type_id t, uint32_t before)
{
	const struct heap_domain *d = h->info.domains;

	/* Types of one domain are neighbours. */
	if (before < h->info.domains_count && !strcmp(d[before].module, h->types[t].module))
		return before;
	for (uint32_t i = 0; i < h->info.domains_count; i++)
		if (!strcmp(d[i].module, h->types[t].module))
			return i;
	return 0;
}

static bool
add_types(struct gclog_names *n, const struct heap *h, struct error *err)
{
	uint32_t before = 0;

	n->domains = memory_new(h->types_count + (size_t)1, sizeof(*n->domains), err);
	if (!n->domains)
		return false;
	for (type_id t = 0; t < h->types_count; t++) {
		const char *raw = h->types[t].raw;

		before = n->domains[t] = domain_of_type(h, t, before);
		if (!add_named(&n->all, &n->count, &n->room,
			       (struct gclog_named){ { raw, strlen(raw) }, before, t + 1 }, err))
			return false;
	}
	n->types_count = n->count;
	if (n->count)
		qsort(n->all, n->count, sizeof(*n->all), compare_named);
	return true;
}

/* Adds declaring types that have no objects. */
static bool
gather_extra(struct gclog_names *n, const struct heap *h, struct error *err)
{
	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];
		struct gclog_text_part name;
		uint32_t domain;

		if (gclog_root_of(r).kind != GCLOG_STATIC)
			continue;
		name = gclog_container(r);
		domain = gclog_domain_of(h, heap_address(h, r->object));
		if (name.len && !find_named(n, n->types_count, name, domain) &&
		    !add_named(&n->extra, &n->extra_count, &n->extra_room,
			       (struct gclog_named){ name, domain, 0 }, err))
			return false;
	}
	return true;
}

/* Removes repeated ones and numbers them after the heap's types. */
static bool
number_extra(struct gclog_names *n, const struct heap *h, struct error *err)
{
	size_t kept = 0;

	if (n->extra_count)
		qsort(n->extra, n->extra_count, sizeof(*n->extra), compare_named);
	for (size_t i = 0; i < n->extra_count; i++) {
		struct gclog_named named = n->extra[i];

		if (kept && named.domain == n->extra[kept - 1].domain &&
		    !compare_parts(named.name, n->extra[kept - 1].name))
			continue;
		named.number = h->types_count + 1 + (uint32_t)kept;
		n->extra[kept++] = named;
		if (!add_named(&n->all, &n->count, &n->room, named, err))
			return false;
	}
	n->extra_count = kept;
	if (n->count)
		qsort(n->all, n->count, sizeof(*n->all), compare_named);
	return true;
}

bool
gclog_names_init(struct gclog_names *n, const struct heap *h, struct error *err)
{
	*n = (struct gclog_names){ 0 };
	return add_types(n, h, err) && gather_extra(n, h, err) && number_extra(n, h, err);
}

void
gclog_names_clear(struct gclog_names *n)
{
	memory_free(n->all);
	memory_free(n->extra);
	memory_free(n->domains);
	*n = (struct gclog_names){ 0 };
}

uint32_t
gclog_names_container(const struct gclog_names *n, uint32_t domain, const struct root *root)
{
	struct gclog_text_part name = gclog_container(root);
	const struct gclog_named *found = name.len ? find_named(n, n->count, name, domain) : NULL;

	return found ? found->number : 0;
}
