#include "io/gcdump/groups.h"
#include "io/gcdump/roots.h"
#include <stdlib.h>
#include <string.h>

/* All groups; each comes after its parent. */
enum { GROUP_ALL, GROUP_OTHERS = 5, GROUP_COUNT = 15 };
static const struct group_name {
	const char *name;
	uint8_t above;
	uint8_t kind; /* enum root_kind */
	bool is_pinned;
} group_names[GROUP_COUNT] = {
	/* clang-format off */
	{ "[.NET Roots]",         0,            ROOT_KIND_COUNT,    false },
	{ "[static vars]",        0,            ROOT_STATIC,        false },
	{ "[thread static vars]", 0,            ROOT_THREAD_STATIC, false },
	{ "[local vars]",         0,            ROOT_STACK,         false },
	{ "[Pinned local vars]",  0,            ROOT_STACK,         true  },
	{ "[other roots]",        0,            ROOT_KIND_COUNT,    false },
	{ "[finalizer Handles]",  GROUP_OTHERS, ROOT_FINALIZER,     false },
	{ "[strong Handles]",     GROUP_OTHERS, ROOT_STRONG,        false },
	{ "[pinning Handles]",    GROUP_OTHERS, ROOT_PINNED,        true  },
	{ "[AsyncPinnedHandle]",  GROUP_OTHERS, ROOT_ASYNC_PINNED,  true  },
	{ "[COM/WinRT Objects]",  GROUP_OTHERS, ROOT_REF_COUNTED,   false },
	{ "[SizedRefHandle]",     GROUP_OTHERS, ROOT_SIZED_REF,     false },
	{ "[frozen objects]",     GROUP_OTHERS, ROOT_FROZEN,        false },
	{ "[Dependent Handles]",  GROUP_OTHERS, ROOT_DEPENDENT,     false },
	{ "[other Handles]",      GROUP_OTHERS, ROOT_OTHER,         false },
	/* clang-format on */
};

/* The parent of a root: a group, or a leaf of that name below the group. */
struct place {
	uint32_t root;
	uint32_t group;
	const char *leaf; /* "": on the group itself */
};

enum { KNOWN_COUNT = 1024 };
struct placing {
	const struct heap *heap;
	struct gcdump_groups *groups;
	struct arena scratch;
	bool has_owners; /* some variables have their class */
	/* Cache of leaves for roots with the same texts. */
	struct known {
		struct root root;
		const char *leaf; /* NULL: unused entry */
	} known[KNOWN_COUNT];
};

static uint32_t
group_of(const struct root *root)
{
	uint32_t found = GROUP_COUNT - 1;

	for (uint32_t i = GROUP_COUNT; i-- > 0;) {
		if (group_names[i].kind != root->kind)
			continue;
		found = i;
		if (group_names[i].is_pinned == root->is_pinned)
			break;
	}
	return found;
}

/* Would a root below the leaf in this group be read back the same? */
static bool
means_root(struct placing *p, uint32_t group, const char *leaf, const struct root *root,
	   bool wants_name, bool *is_same, struct error *err)
{
	struct arena_mark mark = arena_mark(&p->scratch);
	struct gcdump_meaning m = { .kind = group_names[group].kind,
				    .is_pinned = group_names[group].is_pinned,
				    .name = "" };

	if (!gcdump_root_meaning(&m, leaf, &p->scratch, err))
		return false;
	*is_same = m.kind == root->kind && m.is_pinned == group_names[group].is_pinned &&
		   (!wants_name || !strcmp(m.name, root->name) ||
		    (m.full_name && !strcmp(m.full_name, root->name)));
	arena_reset(&p->scratch, mark);
	return true;
}

static bool
is_variable(const struct root *root)
{
	return root->kind == ROOT_STATIC || root->kind == ROOT_THREAD_STATIC;
}

/* Is it "Class.field", not only "field" or "<I.P>k__BackingField"? */
static bool
has_owner(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		depth += (*name == '<') - (*name == '>');
		if (*name == '.' && depth <= 0)
			return true;
	}
	return false;
}

/* A leaf for a root whose label cannot be used. */
static const char *
leaf_of_name(const struct placing *p, const struct root *root, struct error *err)
{
	struct arena *a = &p->groups->texts;
	const char *text = *root->name ? root->name : root->label;

	if (!*root->name && !*root->label)
		return "";
	if (!*root->name || (!is_variable(root) && root->kind != ROOT_STACK))
		return arena_printf(a, err, "[%s]", text);
	if (root->kind == ROOT_STACK)
		return arena_printf(a, err, "[%s [local var]]", text);
	/* As in dotnet-gcdump, with the type of the object. */
	if (!p->has_owners)
		return arena_printf(a, err, "[static var %s.%s]",
				    heap_type(p->heap, root->object)->raw, text);
	return arena_printf(a, err, "[static var %s]", text);
}

static bool
place_leaf(struct placing *p, const struct root *root, struct place *place, struct error *err)
{
	const char *name = group_names[place->group].name;
	size_t len = strlen(root->label);
	bool is_same = false;

	place->leaf = "";
	if (len && !*root->name && len + 2 == strlen(name) && !memcmp(name + 1, root->label, len))
		return true;
	if (len && root->label[0] != ']') {
		place->leaf = arena_printf(&p->groups->texts, err, "[%s]", root->label);
		if (!place->leaf ||
		    !means_root(p, place->group, place->leaf, root, true, &is_same, err))
			return false;
	}
	if (is_same)
		return true;
	place->leaf = leaf_of_name(p, root, err);
	if (!place->leaf ||
	    (*place->leaf && !means_root(p, place->group, place->leaf, root, false, &is_same, err)))
		return false;
	if (*place->leaf && (!is_same || !gcdump_name_is_pseudo(place->leaf)))
		place->leaf = "";
	return true;
}

/* Texts are shared by many roots, so comparing pointers suffices. */
static struct known *
known_place(struct placing *p, const struct root *root)
{
	uint64_t hash =
	    (uint64_t)(uintptr_t)root->name * 31 + (uint64_t)(uintptr_t)root->label + root->kind;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return &p->known[hash >> 32 & (KNOWN_COUNT - 1)];
}

static bool
place_root(struct placing *p, uint32_t i, struct place *place, struct error *err)
{
	const struct root *root = &p->heap->roots[i];
	struct root plain = *root;
	struct known *known;

	if (root->kind == ROOT_STACK_WORD) { /* the format has no such kind */
		plain.kind = ROOT_STACK;
		root = &plain;
	}
	known = known_place(p, root);

	*place = (struct place){ .root = i, .group = group_of(root) };
	/* Without a label, the name may contain the object's type. */
	if (known->leaf && (*root->label || !is_variable(root)) && known->root.name == root->name &&
	    known->root.label == root->label && known->root.kind == root->kind &&
	    known->root.is_pinned == root->is_pinned) {
		place->leaf = known->leaf;
		return true;
	}
	if (!place_leaf(p, root, place, err))
		return false;
	*known = (struct known){ *root, place->leaf };
	return true;
}

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = 0;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->leaf != y->leaf)
		order = strcmp(x->leaf, y->leaf);
	return order ? order : (x->root > y->root) - (x->root < y->root);
}

/* --- nodes --------------------------------------------------------------- */

/* Numbers the groups, then the leaves of each group together. */
struct numbering {
	struct gcdump_groups *groups;
	const struct place *places;
	uint32_t places_count;
	uint32_t numbers[GROUP_COUNT]; /* of groups; 0: unused */
};

static void
number_groups(struct numbering *l)
{
	bool is_used[GROUP_COUNT] = { [GROUP_ALL] = true };
	struct gcdump_groups *g = l->groups;

	for (uint32_t i = 0; i < l->places_count; i++) {
		is_used[l->places[i].group] = true;
		is_used[group_names[l->places[i].group].above] = true;
	}
	/* The order of the table makes children of one group neighbours. */
	for (uint32_t i = 0; i < GROUP_COUNT; i++) {
		struct gcdump_group *above = &g->groups[l->numbers[group_names[i].above]];

		if (!is_used[i])
			continue;
		l->numbers[i] = g->count;
		g->groups[g->count] = (struct gcdump_group){ .name = group_names[i].name };
		if (i && !above->groups_count++)
			above->groups_first = g->count;
		g->count++;
	}
}

static void
number_leaves(struct numbering *l)
{
	struct gcdump_groups *g = l->groups;
	struct gcdump_group *leaf = NULL;

	for (uint32_t i = 0; i < l->places_count; i++) {
		const struct place *place = &l->places[i];
		struct gcdump_group *group = &g->groups[l->numbers[place->group]];
		bool is_new = !i || place->group != place[-1].group ||
			      strcmp(place->leaf, place[-1].leaf) != 0;

		g->roots[i] = place->root;
		if (is_new && *place->leaf) {
			leaf = &g->groups[g->count];
			leaf->name = place->leaf;
			if (!group->groups_count++)
				group->groups_first = g->count;
			g->count++;
		} else if (is_new) {
			leaf = group;
		}
		if (is_new)
			leaf->roots_first = i;
		leaf->roots_count++;
	}
}

static bool
place_all(struct placing *p, struct place *places, struct error *err)
{
	const struct heap *h = p->heap;

	for (uint32_t i = 0; i < h->roots_count; i++)
		p->has_owners =
		    p->has_owners || (is_variable(&h->roots[i]) && has_owner(h->roots[i].name));
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (!place_root(p, i, &places[i], err))
			return false;
	if (h->roots_count)
		qsort(places, h->roots_count, sizeof(*places), compare_places);
	return true;
}

bool
gcdump_groups_init(struct gcdump_groups *g, const struct heap *h, struct error *err)
{
	struct placing *p = memory_new(1, sizeof(*p), err);
	struct place *places = memory_new(h->roots_count, sizeof(*places), err);
	struct numbering l = { .groups = g, .places = places, .places_count = h->roots_count };
	bool is_good;

	*g = (struct gcdump_groups){ 0 };
	arena_init(&g->texts, 0);
	g->groups = memory_new((size_t)h->roots_count + GROUP_COUNT, sizeof(*g->groups), err);
	g->roots = memory_new(h->roots_count, sizeof(*g->roots), err);
	is_good = p && places && g->groups && g->roots;
	if (is_good) {
		p->heap = h;
		p->groups = g;
		arena_init(&p->scratch, 0);
		is_good = place_all(p, places, err);
		arena_clear(&p->scratch);
	}
	if (is_good) {
		number_groups(&l);
		number_leaves(&l);
	}
	memory_free(p);
	memory_free(places);
	return is_good;
}

void
gcdump_groups_clear(struct gcdump_groups *g)
{
	memory_free(g->groups);
	memory_free(g->roots);
	arena_clear(&g->texts);
	*g = (struct gcdump_groups){ 0 };
}
