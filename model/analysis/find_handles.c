/* Findings about objects of one type that handles of the runtime keep alive: a GCHandle that is
   never freed has no variable by which a path could name it. */
#include "model/analysis/finder.h"
#include <string.h>

enum {
	HANDLES_MIN = 20,
	HANDLE_PARTS = 5,      /* times `much` */
	LIBRARY_PARTS = 10,    /* the same for types of the framework */
	BYTES_MIN = 256 << 10, /* every program has some handles */
	LOOK_EVERY = 65536,
};

/* Returns the word for handles of this kind, or NULL if the root is no handle that keeps an object
   for the program. */
static const char *
handle_word(enum root_kind kind)
{
	switch (kind) {
	case ROOT_STRONG:
		return "strong";
	case ROOT_PINNED:
		return "pinning";
	case ROOT_ASYNC_PINNED:
		return "asynchronously pinning";
	case ROOT_REF_COUNTED:
		return "reference-counted";
	case ROOT_SIZED_REF:
		return "sized";
	default:
		return NULL;
	}
}

/* Adds the object of a root if nothing better than a handle keeps it. The tables of static
   variables are the runtime's own. */
static bool
add_handle(struct finder *f, struct members *m, const struct root *root, struct error *err)
{
	const struct root *best;
	type_id type = heap_type_of(f->heap, root->object);

	if (!handle_word(root->kind) || !finder_is_live(f, root->object) ||
	    !strcmp(f->heap->types[type].raw, "System.Object[]"))
		return true;
	best = finder_root(f, root->object);
	if (!best || best->kind != root->kind)
		return true;
	return members_add(
	    m, (struct member){ .key = type, .key2 = root->kind, .node = root->object }, err);
}

static bool
report_handles(void *context, const struct members *m, uint32_t from, uint32_t end,
	       struct error *err)
{
	struct finder *f = context;
	type_id type = (type_id)m->items[from].key;
	uint64_t parts = f->is_own[type] ? HANDLE_PARTS : LIBRARY_PARTS, bytes;
	uint32_t count = members_nodes(m, from, end);
	struct finding *out;

	if (count < HANDLES_MIN)
		return true;
	if (finder_is_pooled(f, m->items[from].node))
		return true;
	if (!finder_retained(f, m, from, end, &bytes, err))
		return false;
	if (bytes < parts * f->much || bytes < BYTES_MIN)
		return true;
	out = finder_add(f, &finding_handle, err);
	if (!out)
		return false;
	out->type = type;
	out->count = count;
	out->subject = m->items[from].node;
	out->name = handle_word((enum root_kind)m->items[from].key2);
	return finding_set_members(f, out, m, from, end, err);
}

static bool
find_handles(struct finder *f, struct error *err)
{
	const struct heap *h = f->heap;
	struct members m = { 0 };
	bool ok = true;

	for (uint32_t i = 0; ok && i < h->roots_count; i++) {
		ok = add_handle(f, &m, &h->roots[i], err);
		if (i % LOOK_EVERY == 0 && progress_is_cancelled(f->progress))
			ok = error_cancelled(err);
	}
	ok = ok && members_report(&m, report_handles, f, err);
	memory_free(m.items);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
why_handle(struct finding_words *w, struct text *out)
{
	text_addf(out, "are kept only by %s handles of their own", w->finding->name);
}

/*
 * 20 objects of one type that only handles of one kind keep and that retain 5 times `much` and 256
 * KiB; of types of the framework, 10 times `much`. Where dominators are unknown their own sizes
 * count. `type`: the objects; `subject`: the first; `name`: the kind of the handles.
 */
const struct finding_kind finding_handle = {
	.id = "handle",
	.title = "objects kept by handles",
	.harmless =
	    "no leak if each handle is freed when native code no longer needs the object; a "
	    "GCHandle is freed only by Free()",
	.find = find_handles,
	.what = what_count,
	.why = why_handle,
	.id_parts = ID_TYPE | ID_NAME,
};
